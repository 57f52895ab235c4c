import RillCore

/// The bytes of the packets that are held: blocks of one size, handed out and taken back.
///
/// The block given back last is the next one handed out, so a calm stream keeps to a few blocks that stay in the cache,
/// and blocks that were never used take no memory.
@safe
struct PacketMemory: ~Copyable, @unchecked Sendable {
    // Sendable by hand: this value is the only owner of the memory, and it cannot be copied.
    private let base: UnsafeMutablePointer<UInt8>
    private let blockByteCount: Int
    private let blockCount: Int
    private var freeBlocks: [Int32]

    /// Memory for `blockCount` payloads of at most `blockByteCount` bytes each.
    init(blockCount: Int, blockByteCount: Int) {
        unsafe base = .allocate(capacity: blockCount * blockByteCount)
        self.blockByteCount = blockByteCount
        self.blockCount = blockCount
        self.freeBlocks = (0..<Int32(blockCount)).reversed()
    }

    deinit {
        unsafe base.deallocate()
    }

    /// Blocks in use.
    var usedCount: Int { blockCount - freeBlocks.count }

    /// Copies `bytes` into a block. The owner holds no more packets than there are blocks.
    mutating func store(_ bytes: Span<UInt8>) -> Int32 {
        precondition(bytes.count <= blockByteCount, "\(bytes.count) bytes in a block of \(blockByteCount)")
        guard let block = freeBlocks.popLast() else { preconditionFailure("all \(blockCount) blocks are in use") }
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            // Within the block, as checked above; the caller's bytes are not ours.
            unsafe (base + Int(block) * blockByteCount).update(from: start, count: source.count)
        }
        return block
    }

    /// Appends the first `count` bytes of a block that is in use, which must have been stored.
    func append(_ block: Int32, count: Int, to target: inout [UInt8]) {
        precondition(count <= blockByteCount && Int(block) < blockCount)
        // Within the block, as checked above.
        unsafe target.append(contentsOf: UnsafeBufferPointer(start: base + Int(block) * blockByteCount, count: count))
    }

    /// Takes a block back.
    mutating func release(_ block: Int32) {
        freeBlocks.append(block)
    }
}
