import RillCore
import Testing

@testable import RillReceive

@Suite struct PacketMemoryTests {
    private func bytes(_ number: Int, count: Int = 40) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0 &* 7) }
    }

    @Test(arguments: [1, 2, 16])
    func `What is held outlives every growth`(first: Int) {
        var memory = PacketMemory(blockCount: first, blockByteCount: 40)
        var held: [(block: Int32, bytes: [UInt8])] = []
        var count = first
        while count <= first * 256 {
            while held.count < count {
                let packet = bytes(held.count)
                held.append((memory.store(packet.span), packet))
            }
            #expect(memory.usedCount == count)
            // Let every third one go, and store another in its place.
            for index in stride(from: 0, to: held.count, by: 3) {
                memory.release(held[index].block)
                let packet = bytes(index + 7 * count, count: index % 41)
                held[index] = (memory.store(packet.span), packet)
            }
            #expect(Set(held.map(\.block)).count == count)
            for index in held.indices {
                let (block, expected) = held[index]
                let found = [UInt8](capacity: 40) { memory.takeOut(block, count: expected.count, to: &$0) }
                #expect(memory.usedCount == count - 1)
                held[index].block = memory.store(expected.span)
                guard found == expected else {
                    Issue.record("block \(block) of \(count)")
                    return
                }
            }
            count *= 2
            memory.grow()
        }
    }

    @Test func `The block given back last is handed out first`() {
        var memory = PacketMemory(blockCount: 8, blockByteCount: 4)
        let packet = bytes(1, count: 4)
        let blocks = (0..<8).map { _ in memory.store(packet.span) }
        memory.release(blocks[3])
        memory.release(blocks[5])
        #expect(memory.usedCount == 6)
        #expect(memory.store(packet.span) == blocks[5])
        #expect(memory.store(packet.span) == blocks[3])
    }
}

/// The packet buffer grows as it has to, and no further than its limit.
@Suite struct PacketBufferGrowthTests {
    private func bytes(_ sequence: Int64) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: sequence >> (8 * $0)) } }

    @Test(arguments: [0, 65_000, 1 << 40] as [Int64])
    func `It doubles up to the limit and holds everything`(start: Int64) {
        var buffer = PacketBuffer(limit: 4096, maximumByteCount: 4)
        #expect(buffer.capacity == PacketBuffer.initialCapacity)
        buffer.restart(around: start)
        let floor = buffer.floor
        var expected: [UInt8] = []
        for sequence in floor..<floor + 4096 {
            #expect(buffer.place(of: sequence) == .free)
            let packet = bytes(sequence)
            buffer.store(packet.span, as: sequence)
            expected += packet
        }
        #expect(buffer.capacity == 4096 && buffer.heldCount == 4096)
        #expect(buffer.place(of: floor + 4096) == .ahead(floor: floor + 1))
        #expect(buffer.capacity == 4096)
        let found = [UInt8](capacity: expected.count) { buffer.takeOut(floor, through: floor + 4095, to: &$0) }
        #expect(found == expected)
        #expect(buffer.place(of: floor) == .duplicate && buffer.place(of: floor - 1) == .late)
        buffer.advance(to: floor + 4096)
        #expect(buffer.heldCount == 0)
    }

    @Test func `One far packet makes it grow at once`() {
        var buffer = PacketBuffer(limit: 1000, maximumByteCount: 4)
        #expect(buffer.limit == 1024)
        buffer.restart(around: 500)
        let floor = buffer.floor
        let packet = bytes(floor)
        buffer.store(packet.span, as: floor)
        buffer.storePadding(as: floor + 1)
        #expect(buffer.place(of: floor + 1023) == .free)
        #expect(buffer.capacity == 1024)
        #expect(buffer.place(of: floor) == .duplicate && buffer.place(of: floor + 1) == .duplicate)
        #expect(buffer.place(of: floor + 256) == .free && buffer.heldCount == 1)
    }

    @Test func `A small limit is taken at once`() {
        let capacity = PacketBuffer(limit: 16, maximumByteCount: 4).capacity
        #expect(capacity == 16)
    }
}
