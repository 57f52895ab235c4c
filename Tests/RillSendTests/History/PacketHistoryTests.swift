import RillCore
import RillRTP
import Testing

@testable import RillSend

@Suite struct PacketHistoryTests {
    @Test(arguments: [0, 1, 127, 128, 32767, 32768, 65534, 65535] as [UInt16], [1, 2, 7, 64])
    func `The newest packets are kept, whatever the first number`(start: UInt16, capacity: Int) {
        let first = SequenceNumber(start)
        var history = PacketHistory(capacity: capacity, slotByteCount: 4, firstSequenceNumber: first)
        for sent in 0..<200 {
            #expect(history.nextSequenceNumber == first.advanced(by: sent))
            append(to: &history, UInt8(sent), byteCount: sent % 5)
            for ago in -3...70 {
                let packet = history.packet(first.advanced(by: sent - ago))
                let isKept = (0..<capacity).contains(ago) && ago <= sent
                let isThere = packet != nil
                #expect(isThere == isKept, "\(capacity) packets from \(start): \(sent), \(ago) ago")
                guard let packet else { continue }
                let bytes = packet.bytes.array
                let sentAt = packet.sentAt
                #expect(bytes == [UInt8](repeating: UInt8(sent - ago), count: (sent - ago) % 5))
                #expect(sentAt == MediaTime(nanoseconds: Int64(sent - ago)))
            }
        }
    }

    @Test func `A history of the maximum length keeps every packet`() {
        let capacity = PacketHistory.maximumCapacity
        var history = PacketHistory(capacity: capacity, slotByteCount: 1, firstSequenceNumber: SequenceNumber(40_000))
        for sent in 0..<70_000 { append(to: &history, UInt8(truncatingIfNeeded: sent), byteCount: 1) }
        let newest = history.nextSequenceNumber.advanced(by: -1)
        for ago in [0, 1, 1000, capacity - 1] {
            let byte = history.packet(newest.advanced(by: -ago))?.bytes[0]
            #expect(byte == UInt8(truncatingIfNeeded: 69_999 - ago), "\(ago) ago")
        }
        let isGone = history.packet(newest.advanced(by: -capacity)) == nil
        #expect(isGone)
        let isUnsent = history.packet(newest.next) == nil
        #expect(isUnsent)
    }

    @Test func `Packets older than two seconds make room, but for the newest 32`() {
        var history = PacketHistory(capacity: 512, slotByteCount: 100, firstSequenceNumber: SequenceNumber(65530))
        func append(at time: MediaTime) {
            let byte = UInt8(truncatingIfNeeded: history.count)
            history.append(at: time) { output in output.append(repeating: byte, count: 90) }
        }
        func isKept(_ sent: Int) -> Bool {
            history.packet(SequenceNumber(65530).advanced(by: sent))?.bytes[0] == UInt8(truncatingIfNeeded: sent)
        }
        // Twenty a second: 41 at a time, in few blocks again and again.
        for sent in 0..<500 {
            append(at: MediaTime(nanoseconds: Int64(sent) * 50_000_000))
            for ago in 0...40 where ago <= sent { #expect(isKept(sent - ago), "\(sent), \(ago) ago") }
            #expect(!isKept(sent - 41), "\(sent)")
        }
        #expect(history.blockCount <= 16)
        // A burst of 300, and a pause.
        for _ in 0..<300 { append(at: .zero + .seconds(60)) }
        for sent in 500..<800 { #expect(isKept(sent)) }
        #expect(!isKept(499))
        for _ in 0..<10 { append(at: .zero + .seconds(70)) }
        for sent in 778..<810 { #expect(isKept(sent), "\(sent)") }
        #expect(!isKept(777))
    }

    @Test func `An empty history has nothing`() {
        let history = PacketHistory(capacity: 4, slotByteCount: 4, firstSequenceNumber: SequenceNumber(0))
        for number in [0, 1, 65535] as [UInt16] {
            let isThere = history.packet(SequenceNumber(number)) != nil
            #expect(!isThere, "\(number)")
        }
        let hasNewest = history.newest != nil
        #expect(!hasNewest)
    }

    private func append(to history: inout PacketHistory, _ byte: UInt8, byteCount: Int) {
        history.append(at: MediaTime(nanoseconds: Int64(history.count))) { output in
            output.append(repeating: byte, count: byteCount)
        }
    }
}
