import RillCore

/// The bytes of the held packets, in blocks of one size.
///
/// The block released last is the next one used, so a calm stream uses a few blocks that stay in the cache, and
/// blocks that were never used take no memory.
@safe
struct PacketMemory: ~Copyable, @unchecked Sendable {
    // Sendable by hand: this value is the only owner of the memory, and it cannot be copied.
    private var base: UnsafeMutablePointer<UInt8>
    private let blockByteCount: Int
    private var blockCount: Int
    /// The first `freeCount` of these are the free blocks.
    private var freeBlocks: FixedStorage<Int32>
    private var freeCount: Int

    /// Creates memory for `blockCount` payloads of at most `blockByteCount` bytes each.
    init(blockCount: Int, blockByteCount: Int) {
        precondition(blockCount > 0 && blockByteCount > 0, "\(blockCount) blocks of \(blockByteCount) bytes")
        // Freed in `deinit`.
        unsafe base = .allocate(capacity: blockCount * blockByteCount)
        self.blockByteCount = blockByteCount
        self.blockCount = blockCount
        self.freeCount = blockCount
        self.freeBlocks = FixedStorage(repeating: 0, count: blockCount)
        for index in 0..<blockCount { freeBlocks[index] = Int32(blockCount - 1 - index) }
    }

    deinit {
        unsafe base.deallocate()
    }

    /// The number of blocks in use.
    var usedCount: Int { blockCount - freeCount }

    /// Doubles the number of blocks; their content is copied, which happens rarely.
    mutating func grow() {
        let count = blockCount * 2
        // The old memory is freed here, the new one in `deinit`.
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: count * blockByteCount)
        unsafe larger.update(from: base, count: blockCount * blockByteCount)
        unsafe base.deallocate()
        unsafe base = larger
        var free = FixedStorage(repeating: Int32(0), count: count)
        for index in 0..<blockCount { free[index] = Int32(count - 1 - index) }
        for index in 0..<freeCount { free[blockCount + index] = freeBlocks[index] }
        freeCount += blockCount
        freeBlocks = free
        blockCount = count
    }

    /// Copies `bytes` into a block. The owner must not hold more packets than there are blocks.
    mutating func store(_ bytes: Span<UInt8>) -> Int32 {
        precondition(bytes.count <= blockByteCount, "\(bytes.count) bytes in a block of \(blockByteCount)")
        precondition(freeCount > 0, "all \(blockCount) blocks are in use")
        freeCount -= 1
        let block = freeBlocks[freeCount]
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            // Within the block, as checked above; the caller's bytes are separate.
            unsafe (base + Int(block) * blockByteCount).update(from: start, count: source.count)
        }
        return block
    }

    /// Releases a block, and appends its first `count` bytes, which must have been stored, to `output`, which must
    /// have room.
    @_lifetime(output: copy output)
    mutating func takeOut(_ block: Int32, count: Int, to output: inout OutputSpan<UInt8>) {
        precondition(count >= 0 && count <= blockByteCount && block >= 0 && Int(block) < blockCount)
        precondition(count <= output.freeCapacity, "\(count) bytes, room for \(output.freeCapacity)")
        unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
            guard let target = buffer.baseAddress else { return }
            // Within the block and the room, as checked above; the caller's bytes are separate.
            unsafe (target + initialized).initialize(from: base + Int(block) * blockByteCount, count: count)
            initialized += count
        }
        release(block)
    }

    /// Releases a block.
    mutating func release(_ block: Int32) {
        freeBlocks[freeCount] = block
        freeCount += 1
    }
}
