import Glibc

/// A fixed number of blocks of memory, which return by themselves: what pictures stand in.
///
/// A block is busy while somebody has it: who took it (a ``MutableFrame``, or libvpx, which decodes into it), and every
/// ``FrameLease`` on it. When the last of them lets go it is free again. A pool without a free block answers `nil` and
/// counts the miss.
///
///     let pool = BlockPool(capacity: 17)
///     guard let block = pool.take(byteCount: 497_000) else { return -1 }
///     let lease = pool.lease(block.index, limit: 8)   // a picture shows the block to its sinks
///     pool.release(block.index)                       // the decoder is done with it
///
/// Memory: at most `capacity` blocks, each as large as the largest that it was asked for; one that is more than four
/// times too large is given back to the system before it is used again. A pool that is told the size at the start takes
/// the memory then, any other as it goes; pages that were never touched take none. New blocks are zero.
///
/// Thread-safe. Cost: a short lock for each call.
package final class BlockPool: Sendable {
    /// How many blocks can be busy at once.
    package let capacity: Int
    private let blocks: Monitor<Blocks>

    /// A block that was taken.
    @safe
    package struct Block {
        /// Which of the pool's blocks it is.
        package let index: Int
        /// Its first byte, aligned to ``FrameLayout/alignment``.
        @unsafe package let base: UnsafeMutablePointer<UInt8>
        /// Its size, which is at least what was asked for.
        package let byteCount: Int
    }

    /// Counts since the pool was made.
    package struct Statistics: Sendable, Equatable {
        /// Blocks that are busy now.
        package var inUse = 0
        /// Leases that live now.
        package var leases = 0
        /// Blocks handed out.
        package var handedOut = 0
        /// Requests that found no free block.
        package var misses = 0
        /// Times that memory was asked of the system.
        package var allocations = 0
        /// Bytes that the pool has of it now.
        package var byteCount = 0
    }

    /// A pool whose blocks get their memory, of the size that is asked for, when they are taken for the first time.
    package init(capacity: Int) {
        precondition(capacity > 0, "a pool holds at least one block, not \(capacity)")
        self.capacity = capacity
        self.blocks = Monitor(Blocks(capacity: capacity))
    }

    /// A pool of blocks of one size, whose memory is all there from the start.
    package convenience init(capacity: Int, byteCount: Int) throws(FrameError) {
        self.init(capacity: capacity)
        try blocks.withLock { (blocks) throws(FrameError) in
            for index in 0..<capacity where !blocks.allocate(index, byteCount: byteCount) {
                throw .outOfMemory(byteCount: capacity * byteCount)
            }
        }
    }

    /// A free block of at least `byteCount` bytes, which its taker holds until ``release(_:)``; `nil` (counted) when all
    /// are busy, or the system has no memory. Its contents are whatever was there before.
    package func take(byteCount: Int) -> Block? {
        take(byteCount: byteCount, asLease: false)
    }

    /// The same, held by a lease from the start.
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

    /// Ends the hold of who took the block.
    package func release(_ index: Int) {
        blocks.withLock { $0.release(index) }
    }

    /// One more hold on a busy block; `nil` when `limit` leases live already.
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

    /// The block of that number as it is now, which only those who hold it may look into; `nil` where it has no memory.
    package func block(_ index: Int) -> Block? {
        blocks.withLock { $0.block(index) }
    }

    /// Counts since the pool was made.
    package var statistics: Statistics {
        blocks.withLock { $0.statistics }
    }
}

/// The right to use one block of a pool; the end of its life is the end of the right.
///
/// Nothing but its end ever looks into it: frames carry the block's address themselves, so that a thread that reads
/// pixels touches no memory that the last release frees (which the thread sanitizer could not order).
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

/// What is known of the blocks of a pool, and their memory.
@safe
private struct Blocks: ~Copyable {
    /// One block.
    @safe
    struct Slot {
        /// What the system gave; the block itself begins a little behind it.
        @unsafe var allocation: UnsafeMutableRawPointer?
        @unsafe var base: UnsafeMutablePointer<UInt8>?
        var byteCount = 0
        /// Who took it, and leases.
        var holders = 0
    }

    var slots: [Slot]
    /// The free ones; the last one in is the first one out, whose lines are still in the cache.
    var freeIndices: [Int]
    var statistics = BlockPool.Statistics()

    init(capacity: Int) {
        slots = Array(repeating: Slot(), count: capacity)
        freeIndices = Array((0..<capacity).reversed())
    }

    deinit {
        // Leases keep their pool: nobody has a block any more. (The thread sanitizer does not see it: see `takeIndex`.)
        for slot in slots where !isThreadSanitized { unsafe free(slot.allocation) }
    }

    /// Finds a free block and sees to its memory: the smallest that fits; else one without memory; else any other, which
    /// loses what it has.
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
        // Under the thread sanitizer each use of a block gets memory that is never used again: the sanitizer does not see
        // that the last release by ARC comes after all reads, and would call the next use of the block a race.
        if isThreadSanitized || !fits(slots[index].byteCount, byteCount) {
            guard allocate(index, byteCount: byteCount) else { return nil }
        }
        freeIndices.remove(at: place)
        return index
    }

    /// Whether a block may be used for that size: one that is far too large would never be given back to the system.
    private func fits(_ available: Int, _ needed: Int) -> Bool {
        available >= needed && available / 4 <= needed
    }

    /// Gives a free block memory of that size in place of what it has; `false` if there is none.
    mutating func allocate(_ index: Int, byteCount: Int) -> Bool {
        let page = 4096
        // Lost on purpose under the thread sanitizer: see above. Only test runs get there.
        if !isThreadSanitized { unsafe free(slots[index].allocation) }
        statistics.byteCount -= slots[index].byteCount
        slots[index] = Slot()
        // `calloc` leaves the pages of large blocks untouched. They are zero for libvpx, which reads what it never wrote.
        guard let allocation = unsafe calloc(1, byteCount + 2 * page) else { return false }
        // Each begins at another cache line of its page, so that the same row of two frames does not share cache sets.
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
        precondition(slots[index].holders > 0, "block \(index) is let go more often than it was taken")
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
