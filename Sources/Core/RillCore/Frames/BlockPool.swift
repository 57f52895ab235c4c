import Glibc

/// A fixed number of memory blocks that return by themselves. Pictures are stored in them.
///
/// A block is busy while it has holders. The holders are the code that took it (a ``MutableFrame``, or libvpx, which
/// decodes into it) and every ``FrameLease`` on it. When the last holder releases it, it is free again. A pool
/// without a free block returns `nil` and counts the miss.
///
/// ```swift
/// let pool = BlockPool(capacity: 17)
/// guard let block = pool.take(byteCount: 497_000) else { return -1 }
/// let lease = pool.lease(block.index, limit: 8)   // a picture lends the block to its sinks
/// pool.release(block.index)                       // the decoder is done with it
/// ```
///
/// Memory: at most `capacity` blocks, each as large as its largest request. A block that is more than four times too
/// large is returned to the system before it is used again. A pool created with a size allocates all blocks then; any
/// other pool allocates as needed. Pages that were never touched use no memory. New blocks are zeroed.
///
/// Thread-safe. Cost: a short lock per call.
package final class BlockPool: Sendable {
    /// How many blocks can be busy at once.
    package let capacity: Int
    private let blocks: Monitor<Blocks>

    /// A block that was taken.
    @safe
    package struct Block {
        /// Its index in the pool.
        package let index: Int
        /// Its first byte, aligned to ``FrameLayout/alignment``.
        @unsafe package let base: UnsafeMutablePointer<UInt8>
        /// Its size, at least the requested size.
        package let byteCount: Int
    }

    /// Counts since the pool was created.
    package struct Statistics: Sendable, Equatable {
        /// Blocks that are busy now.
        package var inUse = 0
        /// Leases that exist now.
        package var leases = 0
        /// Blocks handed out.
        package var handedOut = 0
        /// Requests that found no free block.
        package var misses = 0
        /// Allocations from the system.
        package var allocations = 0
        /// Bytes allocated now.
        package var byteCount = 0
    }

    /// Creates a pool that allocates a block when it is first taken, with the requested size.
    package init(capacity: Int) {
        precondition(capacity > 0, "a pool holds at least one block, not \(capacity)")
        self.capacity = capacity
        self.blocks = Monitor(Blocks(capacity: capacity))
    }

    /// Creates a pool of blocks of one size and allocates all of them.
    package convenience init(capacity: Int, byteCount: Int) throws(FrameError) {
        self.init(capacity: capacity)
        try blocks.withLock { (blocks) throws(FrameError) in
            for index in 0..<capacity where !blocks.allocate(index, byteCount: byteCount) {
                throw .outOfMemory(byteCount: capacity * byteCount)
            }
        }
    }

    /// Takes a free block of at least `byteCount` bytes, held until ``release(_:)``. Returns `nil` (counted) if all
    /// are busy or the system has no memory. The contents are undefined.
    package func take(byteCount: Int) -> Block? {
        take(byteCount: byteCount, asLease: false)
    }

    /// Takes a free block as ``take(byteCount:)`` does, held by a lease from the start.
    package func takeLeased(byteCount: Int) -> (block: Block, lease: FrameLease)? {
        guard let block = take(byteCount: byteCount, asLease: true) else { return nil }
        return (block, FrameLease(pool: self, index: block.index))
    }

    private func take(byteCount: Int, asLease isLease: Bool) -> Block? {
        blocks.withLock { blocks in
            guard let index = blocks.takeIndex(byteCount: byteCount) else {
                blocks.statistics.misses += 1
                return nil
            }
            blocks.statistics.handedOut += 1
            blocks.statistics.inUse += 1
            blocks.statistics.leases += isLease ? 1 : 0
            blocks.slots[index].holders = 1
            return blocks.block(index)
        }
    }

    /// Releases the hold of the code that took the block.
    package func release(_ index: Int) {
        blocks.withLock { $0.release(index) }
    }

    /// Adds a lease to a busy block. Returns `nil` if `limit` leases exist already.
    package func lease(_ index: Int, limit: Int) -> FrameLease? {
        let isLeased = blocks.withLock { blocks in
            precondition(blocks.slots[index].holders > 0, "block \(index) is free")
            guard blocks.statistics.leases < limit else { return false }
            blocks.statistics.leases += 1
            blocks.slots[index].holders += 1
            return true
        }
        return isLeased ? FrameLease(pool: self, index: index) : nil
    }

    fileprivate func endLease(_ index: Int) {
        blocks.withLock { blocks in
            blocks.statistics.leases -= 1
            blocks.release(index)
        }
    }

    /// The block with that index, which only its holders may access; `nil` if it has no memory.
    package func block(_ index: Int) -> Block? {
        blocks.withLock { $0.block(index) }
    }

    /// Counts since the pool was created.
    package var statistics: Statistics {
        blocks.withLock { $0.statistics }
    }
}

/// The right to use one block of a pool, which ends with the lease's life.
///
/// Only its `deinit` uses the reference to the pool. Frames carry the block's address themselves, so a thread that
/// reads pixels never touches memory that the last release frees. (The thread sanitizer could not order that.)
package final class FrameLease: Sendable {
    private let pool: BlockPool
    private let index: Int

    fileprivate init(pool: BlockPool, index: Int) {
        self.pool = pool
        self.index = index
    }

    deinit {
        pool.endLease(index)
    }
}

/// The state of a pool's blocks, and their memory.
@safe
private struct Blocks: ~Copyable {
    /// One block.
    @safe
    struct Slot {
        /// The allocation from the system. The block itself starts a little after it.
        @unsafe var allocation: UnsafeMutableRawPointer?
        @unsafe var base: UnsafeMutablePointer<UInt8>?
        var byteCount = 0
        /// The number of holders: the code that took the block, and leases.
        var holders = 0
    }

    var slots: [Slot]
    /// The free blocks. The last one returned is taken first: its cache lines are still warm.
    var freeIndices: [Int]
    var statistics = BlockPool.Statistics()

    init(capacity: Int) {
        slots = Array(repeating: Slot(), count: capacity)
        freeIndices = Array((0..<capacity).reversed())
    }

    deinit {
        // Leases keep their pool alive, so no block is held any more. (The thread sanitizer cannot see that: see
        // `takeIndex`.)
        for slot in slots where !isThreadSanitized { unsafe free(slot.allocation) }
    }

    /// Finds a free block and makes sure that it has memory: the smallest that fits, else one without memory, else
    /// any other, which is reallocated.
    mutating func takeIndex(byteCount: Int) -> Int? {
        var best: (place: Int, cost: Int)?
        for place in freeIndices.indices.reversed() {
            let available = slots[freeIndices[place]].byteCount
            let cost =
                fits(available, byteCount) ? available - byteCount : available == 0 ? Int.max - 1 : Int.max
            if best.map({ cost < $0.cost }) ?? true { best = (place, cost) }
            if cost == 0 { break }
        }
        guard let place = best?.place else { return nil }
        let index = freeIndices[place]
        // Under the thread sanitizer each use of a block gets fresh memory that is never reused. The sanitizer
        // does not see that the last ARC release comes after all reads, and would report the next use of the block as
        // a race.
        if isThreadSanitized || !fits(slots[index].byteCount, byteCount) {
            guard allocate(index, byteCount: byteCount) else { return nil }
        }
        freeIndices.remove(at: place)
        return index
    }

    /// Whether a block may be used for that size. A block that is far too large does not fit: otherwise it would
    /// never be returned to the system.
    private func fits(_ available: Int, _ needed: Int) -> Bool {
        available >= needed && available / 4 <= needed
    }

    /// Replaces the memory of a free block by `byteCount` bytes. Returns `false` if the system has none.
    mutating func allocate(_ index: Int, byteCount: Int) -> Bool {
        let page = 4096
        // Leaked on purpose under the thread sanitizer: see above. This only happens in test runs.
        if !isThreadSanitized { unsafe free(slots[index].allocation) }
        statistics.byteCount -= slots[index].byteCount
        slots[index] = Slot()
        // `calloc` leaves the pages of large blocks untouched. They must be zero: libvpx reads bytes that it never
        // wrote.
        guard let allocation = unsafe calloc(1, byteCount + 2 * page) else { return false }
        // Each block starts at a different cache line of its page, so that the same rows of two frames use
        // different cache sets.
        let start = (UInt(bitPattern: allocation) + UInt(page - 1)) / UInt(page) * UInt(page)
        let offset = Int(start - UInt(bitPattern: allocation)) + index * FrameLayout.alignment % page
        unsafe slots[index].allocation = allocation
        unsafe slots[index].base = (allocation + offset).assumingMemoryBound(to: UInt8.self)
        slots[index].byteCount = byteCount
        statistics.byteCount += byteCount
        statistics.allocations += 1
        return true
    }

    mutating func release(_ index: Int) {
        precondition(slots[index].holders > 0, "block \(index) is released more often than it was taken")
        slots[index].holders -= 1
        guard slots[index].holders == 0 else { return }
        freeIndices.append(index)
        statistics.inUse -= 1
    }

    func block(_ index: Int) -> BlockPool.Block? {
        guard let base = unsafe slots[index].base else { return nil }
        return unsafe BlockPool.Block(index: index, base: base, byteCount: slots[index].byteCount)
    }
}

/// Whether this process runs under the thread sanitizer.
private let isThreadSanitized = unsafe dlsym(nil, "__tsan_init") != nil
