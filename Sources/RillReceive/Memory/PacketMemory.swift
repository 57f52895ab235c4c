import RillCore

/// The bytes of the packets that are held: blocks of one size, handed out and taken back.
///
/// The block given back last is the next one handed out, so a calm stream keeps to a few blocks that stay in the cache,
/// and blocks that were never used take no memory. It grows by whole chunks; blocks never move.
@safe
struct PacketMemory: ~Copyable, @unchecked Sendable {
    // Sendable by hand: this value is the only owner of the memory, and it cannot be copied.
    /// The chunks, each as large as all before it together, and the first one alone as large as the second.
    private var chunks = unsafe InlineArray<16, UnsafeMutablePointer<UInt8>?>(repeating: nil)
    private var chunkCount = 1
    private let firstChunkShift: Int
    private let blockByteCount: Int
    private var blockCount: Int
    /// The first `freeCount` of these are the free blocks.
    private var freeBlocks: FixedStorage<Int32>
    private var freeCount: Int

    /// Memory for `blockCount` payloads, a power of two, of at most `blockByteCount` bytes each.
    init(blockCount: Int, blockByteCount: Int) {
        precondition(blockCount > 0 && blockCount & (blockCount - 1) == 0, "\(blockCount) blocks: no power of two")
        // Freed in `deinit`.
        unsafe chunks[0] = .allocate(capacity: blockCount * blockByteCount)
        self.firstChunkShift = blockCount.trailingZeroBitCount
        self.blockByteCount = blockByteCount
        self.blockCount = blockCount
        self.freeCount = blockCount
        self.freeBlocks = FixedStorage(repeating: 0, count: blockCount)
        for index in 0..<blockCount { freeBlocks[index] = Int32(blockCount - 1 - index) }
    }

    deinit {
        for index in 0..<chunkCount { unsafe chunks[index]?.deallocate() }
    }

    /// Blocks in use.
    var usedCount: Int { blockCount - freeCount }

    /// Makes room for twice as many blocks as there are.
    mutating func grow(to count: Int) {
        precondition(count == blockCount * 2 && chunkCount < 16, "\(blockCount) blocks grow to twice as many")
        // Freed in `deinit`.
        unsafe chunks[chunkCount] = .allocate(capacity: blockCount * blockByteCount)
        chunkCount += 1
        var larger = FixedStorage(repeating: Int32(0), count: count)
        for index in 0..<blockCount { larger[index] = Int32(count - 1 - index) }
        for index in 0..<freeCount { larger[blockCount + index] = freeBlocks[index] }
        freeCount += blockCount
        freeBlocks = larger
        blockCount = count
    }

    /// Copies `bytes` into a block. The owner holds no more packets than there are blocks.
    mutating func store(_ bytes: Span<UInt8>) -> Int32 {
        precondition(bytes.count <= blockByteCount, "\(bytes.count) bytes in a block of \(blockByteCount)")
        precondition(freeCount > 0, "all \(blockCount) blocks are in use")
        freeCount -= 1
        let block = freeBlocks[freeCount]
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            // Within the block, as checked above; the caller's bytes are not ours.
            unsafe address(of: Int(block)).update(from: start, count: source.count)
        }
        return block
    }

    /// Appends the first `count` bytes of a block that is in use, which must have been stored; `output` has room.
    @_lifetime(output: copy output)
    func append(_ block: Int32, count: Int, to output: inout OutputSpan<UInt8>) {
        precondition(count >= 0 && count <= blockByteCount && block >= 0 && Int(block) < blockCount)
        precondition(count <= output.freeCapacity, "\(count) bytes, room for \(output.freeCapacity)")
        unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
            guard let target = buffer.baseAddress else { return }
            // Within the block and the room, as checked above; the caller's bytes are not ours.
            unsafe (target + initialized).initialize(from: address(of: Int(block)), count: count)
            initialized += count
        }
    }

    /// Takes a block back.
    mutating func release(_ block: Int32) {
        freeBlocks[freeCount] = block
        freeCount += 1
    }

    /// Where a block begins: block numbers of a chunk have the same leading bit, but for those of the first.
    @inline(__always)
    private func address(of block: Int) -> UnsafeMutablePointer<UInt8> {
        let chunk = max(0, Int.bitWidth - block.leadingZeroBitCount - firstChunkShift)
        let first = chunk == 0 ? 0 : 1 << (firstChunkShift + chunk - 1)
        guard let base = unsafe chunks[chunk] else { preconditionFailure("block \(block) of \(blockCount)") }
        // A chunk holds all blocks from its first one on.
        return unsafe base + (block - first) * blockByteCount
    }
}
