import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import RillTestSupport
import Testing

@Suite struct PayloadReceiverTests {
    private static let ssrc = SSRC(0xA0D10)

    private static func settings() -> JitterBufferSettings {
        var settings = JitterBufferSettings(ssrc: ssrc, payloadType: PayloadType(111))
        settings.clockRate = .opus
        return settings
    }

    private let receiver = PayloadReceiver(settings(), ssrc: ssrc)

    /// Packet `index` of 20 ms, with its index in two bytes.
    private static func packet(_ index: Int, from start: UInt16 = 0, timestamp: UInt32? = nil) -> [UInt8] {
        let header = RTPHeader(
            marker: index == 0, payloadType: PayloadType(111),
            sequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: Int(start) + index)),
            timestamp: RTPTimestamp(timestamp ?? UInt32(truncatingIfNeeded: 0xFFFF_0000 + 960 * index)), ssrc: ssrc)
        let payload = [UInt8(truncatingIfNeeded: index >> 8), UInt8(truncatingIfNeeded: index)]
        let packet = RTPPacket(header: header, payload: payload.span)
        return [UInt8](capacity: packet.byteCount) { packet.write(into: &$0) }
    }

    private static func time(_ index: Int) -> MediaTime { .zero + .milliseconds(20) * index }

    /// Inserts packets in that order, and returns the indices of the payloads that come out.
    private func take(_ indices: [Int], from start: UInt16 = 0) -> (results: [InsertResult], indices: [Int]) {
        var (results, taken, bytes): ([InsertResult], [Int], [UInt8]) = ([], [], [])
        for index in indices {
            let packet = Self.packet(index, from: start)
            results.append(receiver.insert(packet.span, isWanted: true, at: Self.time(indices.max() ?? 0)))
            while receiver.next(into: &bytes) != nil { taken.append(Int(bytes[0]) << 8 | Int(bytes[1])) }
        }
        return (results, taken)
    }

    @Test(arguments: [0, 1, 127, 128, 32767, 32768, 65534, 65535] as [UInt16])
    func `Payloads come as they arrive, copies do not`(start: UInt16) throws {
        let order = [0, 1, 3, 2, 2, 3, 5, 4, 0, 60, 5, 59]
        let (results, taken) = take(order, from: start)
        #expect(taken == [0, 1, 3, 2, 5, 4, 60, 59], "from \(start)")
        #expect(results.filter { $0 == .duplicate }.count == 4)
        let statistics = receiver.statistics
        #expect(statistics.packetsReceived == order.count && statistics.packetsDuplicated == 4)
        // 61 were sent: the others are missing, and copies count as received (RFC 3550 A.3).
        #expect(statistics.packetsLost == 61 - order.count)
        let block = try #require(receiver.reportBlock(at: Self.time(61)))
        #expect(block.extendedHighestSequenceNumber == UInt32(start) + 60 && block.cumulativeLost == 49)
    }

    @Test func `Properties of the packet come with its payload`() throws {
        let packet = Self.packet(0, from: 65535)
        _ = receiver.insert(packet.span, isWanted: true, at: Self.time(3))
        var bytes: [UInt8] = []
        let payload = try #require(receiver.next(into: &bytes))
        #expect(payload.sequenceNumber == 65535 && payload.timestamp == RTPTimestamp(0xFFFF_0000) && payload.hasMarker)
        #expect(payload.arrival == Self.time(3) && bytes == [0, 0])
        #expect(receiver.next(into: &bytes) == nil)
    }

    @Test func `What is not taken is bounded, and the oldest go`() {
        var results: [InsertResult] = []
        for index in 0..<100 {
            results.append(receiver.insert(Self.packet(index).span, isWanted: true, at: Self.time(index)))
        }
        #expect(results.filter { $0 == .queuedAfterOverflow(droppedFrames: 1) }.count == 36)
        var (taken, bytes): ([Int], [UInt8]) = ([], [])
        while receiver.next(into: &bytes) != nil { taken.append(Int(bytes[1])) }
        #expect(taken == Array(36..<100))
    }

    @Test func `What is not wanted is counted only`() {
        for index in 0..<10 { _ = receiver.insert(Self.packet(index).span, isWanted: false, at: Self.time(index)) }
        #expect(receiver.waitingCount == 0 && receiver.statistics.packetsReceived == 10)
    }

    @Test func `A sender that restarts is followed, one odd packet is not`() {
        #expect(take([0, 1, 2]).indices == [0, 1, 2])
        let odd = Self.packet(3, from: 30_000, timestamp: 0x4000_0000)
        #expect(receiver.insert(odd.span, isWanted: true, at: Self.time(3)) == .onProbation)
        let next = Self.packet(4, from: 30_000, timestamp: 0x4000_0000 + 960)
        #expect(receiver.insert(next.span, isWanted: true, at: Self.time(4)) == .queued)
        #expect(receiver.statistics.resynchronizations == 1)
    }

    @Test func `Foreign and damaged packets are refused`() {
        let packet = Self.packet(0)
        for length in 0..<12 {
            let result = receiver.insert(packet.span.extracting(0..<length), isWanted: true, at: .zero)
            guard case .malformed = result else {
                Issue.record("\(length) bytes: \(result)")
                return
            }
        }
        var other = packet
        other[1] = 96
        #expect(receiver.insert(other.span, isWanted: true, at: .zero) == .wrongPayloadType(PayloadType(96)))
        other = packet
        other[11] ^= 1
        guard case .wrongSSRC = receiver.insert(other.span, isWanted: true, at: .zero) else {
            Issue.record("another SSRC is taken")
            return
        }
        #expect(receiver.waitingCount == 0 && receiver.reportBlock(at: .zero) == nil)
    }

    @Test func `No bytes trap`() {
        let seeds = (0..<8).map { Self.packet($0 * 9000) }
        var bytes: [UInt8] = []
        for (index, input) in MutatedInputs(of: seeds, count: 50_000, using: SeededGenerator(seed: 3)).enumerated() {
            _ = receiver.insert(input.span, isWanted: true, at: Self.time(index))
            if index % 90 == 0 { while receiver.next(into: &bytes) != nil {} }
            #expect(receiver.waitingCount <= 64)
        }
    }
}
