import RillCore
import RillTransport
import Testing

@Suite struct DatagramBatchTests {
    @Test func `Datagrams keep their order, each with its metadata`() {
        var batch = OutgoingDatagrams(capacity: 3, datagramByteCount: 100)
        #expect(batch.isEmpty && batch.capacity == 3 && batch.datagramByteCount == 100)
        let address = UDPAddress(.loopback, port: 9)
        let mark = TrafficClass(dscp: .video, ecn: .capable1)
        let outcomes = [
            batch.append { $0.append(1) }, batch.append(to: address) { _ in },
            batch.append(to: address, trafficClass: mark) { output in
                #expect(output.freeCapacity == 100)
                output.append(repeating: 7, count: 100)
            },
            batch.append { $0.append(3) }, batch.append { _ in Issue.record("there is no room") },
        ]
        #expect(outcomes == [.appended, .empty, .appended, .appended, .full])
        #expect(batch.count == 3 && batch.isFull)
        #expect(batch.bytes(at: 0).array == [1] && batch.destination(at: 0) == nil && batch.trafficClass(at: 0) == nil)
        #expect(batch.bytes(at: 1).array == [UInt8](repeating: 7, count: 100))
        #expect(batch.destination(at: 1) == address && batch.trafficClass(at: 1) == mark)
        batch.removeFirst(2)
        #expect(batch.count == 1 && batch.bytes(at: 0).array == [3] && batch.isFull)
        batch.removeFirst(1)
        #expect(batch.isEmpty && !batch.isFull)
        #expect(batch.append { $0.append(4) } == .appended && batch.bytes(at: 0).array == [4])
        batch.removeAll()
        #expect(batch.isEmpty == true)
    }

    @Test func `Received datagrams can be changed in place`() {
        var batch = IncomingDatagrams(capacity: 2, datagramByteCount: 10)
        let source = UDPAddress(.loopbackV6, port: 1)
        let bytes: [UInt8] = [1, 2, 3]
        let outcomes = [
            batch.append(copying: bytes.span, from: source, trafficClass: TrafficClass(rawValue: 0b101)),
            batch.append(copying: [UInt8](repeating: 0, count: 11).span, from: source),
            batch.append(copying: [UInt8](repeating: 0, count: 10).span, from: source),
            batch.append(copying: bytes.span, from: source),
        ]
        #expect(outcomes == [true, false, true, false])
        #expect(batch.indices == 0..<2 && batch.source(at: 0) == source && batch.ecn(at: 0) == .capable1)
        let count = batch.withBytes(at: 0) { bytes in
            bytes[1] = 9
            return bytes.count
        }
        #expect(count == 3 && batch.bytes(at: 0).array == [1, 9, 3] && batch.bytes(at: 1).count == 10)
        batch.removeAll()
        #expect(batch.count == 0)
    }

    @Test func `A traffic class is a byte`() {
        for value in 0...255 {
            let mark = TrafficClass(rawValue: UInt8(value))
            #expect(mark.rawValue == UInt8(value) && mark.dscp.rawValue == UInt8(value >> 2))
        }
        // RFC 8837 §5: AF42, AF41, EF and CS1.
        #expect(TrafficClass(dscp: .video, ecn: .capable0).rawValue == 0x92)
        #expect(TrafficClass(dscp: .importantVideo).rawValue == 0x88)
        #expect(TrafficClass(dscp: .voice).rawValue == 0xB8 && TrafficClass(dscp: .background).rawValue == 0x20)
        #expect(TrafficClass().rawValue == 0 && TrafficClass(rawValue: 3).ecn == .congestionExperienced)
    }
}
