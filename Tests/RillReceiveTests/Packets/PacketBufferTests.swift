import RillCore
import Testing

@testable import RillReceive

@Suite struct PacketBufferTests {
    private func makeBuffer(at start: Int64, capacity: Int = 16) -> PacketBuffer {
        var buffer = PacketBuffer(limit: capacity, maximumByteCount: 4)
        buffer.restart(around: start)
        return buffer
    }

    private func bytes(_ sequence: Int64) -> [UInt8] { [UInt8(truncatingIfNeeded: sequence), 7] }

    @Test(arguments: [0, 65535, 1 << 40] as [Int64])
    func `Packets come back in order`(start: Int64) {
        var buffer = makeBuffer(at: start)
        for sequence in [start + 2, start, start + 1] {
            #expect(buffer.place(of: sequence) == .free)
            let packet = bytes(sequence)
            buffer.store(packet.span, as: sequence)
            #expect(buffer.place(of: sequence) == .duplicate)
        }
        let target = [UInt8](capacity: 6) { buffer.takeOut(start, through: start + 2, to: &$0) }
        #expect(target == bytes(start) + bytes(start + 1) + bytes(start + 2))
    }

    @Test func `The window decides which packets are late and which are ahead`() {
        var buffer = makeBuffer(at: 100)
        #expect(buffer.capacity == 16 && buffer.floor == 92)
        #expect(buffer.place(of: 91) == .late)
        #expect(buffer.place(of: 92) == .free)
        #expect(buffer.place(of: 107) == .free)
        #expect(buffer.place(of: 108) == .ahead(floor: 93))
        buffer.advance(to: 101)
        #expect(buffer.place(of: 100) == .late)
        #expect(buffer.place(of: 116) == .free)
        buffer.advance(to: 50)
        #expect(buffer.floor == 101)
    }

    @Test func `Capacity is rounded up to a power of two`() {
        let sixteen = PacketBuffer(limit: 16, maximumByteCount: 4).limit
        let seventeen = PacketBuffer(limit: 17, maximumByteCount: 4).limit
        #expect(sixteen == 16 && seventeen == 32)
    }

    @Test func `Blocks come back as the window moves`() {
        var buffer = makeBuffer(at: 0)
        for sequence in 0..<1000 as Range<Int64> {
            let packet = bytes(sequence)
            buffer.store(packet.span, as: sequence)
            buffer.advance(to: sequence - 5)
            #expect(buffer.heldCount == min(Int(sequence) + 1, 6))
            #expect(buffer.place(of: sequence - 6) == (sequence >= 6 ? .duplicate : .late))
        }
        buffer.advance(to: 100_000)
        #expect(buffer.heldCount == 0)
        for sequence in 100_000..<100_016 as Range<Int64> {
            let packet = bytes(sequence)
            buffer.store(packet.span, as: sequence)
        }
        #expect(buffer.heldCount == 16)
        buffer.restart(around: 5)
        #expect(buffer.heldCount == 0 && buffer.place(of: 5) == .free)
    }

    @Test func `Padding is recognized and empty`() {
        var buffer = makeBuffer(at: 0)
        buffer.storePadding(as: 1)
        buffer.storePadding(as: 2)
        let packet = bytes(3)
        buffer.store(packet.span, as: 3)
        #expect(buffer.heldCount == 1)
        #expect(buffer.place(of: 1) == .duplicate)
        let areAllPadding = [
            buffer.isPadding(from: 1, to: 3), buffer.isPadding(from: 1, to: 1), buffer.isPadding(from: 1, to: 4),
            buffer.isPadding(from: 0, to: 2),
        ]
        #expect(areAllPadding == [true, true, false, false])
        #expect(buffer.paddingCount(from: 0, to: 5) == 2)
        let target = [UInt8](capacity: 2) { buffer.takeOut(1, through: 3, to: &$0) }
        #expect(target == bytes(3))
    }
}
