import Glibc

/// A fixed number of frame buffers of one layout, which return by themselves.
///
/// A pool hands out a ``MutableFrame`` to fill; finished, it becomes a ``VideoFrame`` that any number of stages share;
/// the last one to let go returns the buffer. A pool that has run dry answers `nil` and counts the miss: it never
/// allocates another buffer, so its memory has a bound that stands in its initialiser.
///
///     let pool = try FramePool(resolution: .vga, capacity: 4)
///     guard var frame = pool.makeFrame() else { return }  // dry: drop this picture
///     var planes = frame.planes
///     planes.y.fill(16); planes.u.fill(128); planes.v.fill(128)
///     let black = frame.finish(captureTime: .zero)
///
/// How many buffers: one for each frame in flight at once. A live sender has up to one being captured, one waiting and
/// one being encoded a layer; eight are ample for two layers and a preview.
///
/// Thread-safe: frames may be made and let go on any thread. Cost: two short locks and one small object a frame; pages
/// that were never used take no memory.
public final class FramePool: Sendable {
    /// How the planes of this pool's frames lie.
    public let layout: FrameLayout
    /// How many frames can be in use at once.
    public let capacity: Int

    private let slotByteCount: Int
    private let buffers: Monitor<Buffers>

    /// Counts since the pool was made.
    public struct Statistics: Sendable, Equatable {
        /// Frames in use now.
        public var inUse = 0
        /// Frames handed out.
        public var handedOut = 0
        /// Requests that found the pool dry.
        public var misses = 0

        /// Nothing counted yet.
        public init() {}
    }

    private struct Buffers: ~Copyable {
        var memory: PoolMemory
        var freeSlots: [Int]
        var statistics = Statistics()
    }

    /// A pool of `capacity` frames (at least 1) of Rill's own layout for that format and size.
    public convenience init(
        _ format: PixelFormat = .i420, resolution: Resolution, capacity: Int
    ) throws(FrameError) {
        try self.init(layout: FrameLayout(format, resolution), capacity: capacity)
    }

    /// A pool of `capacity` frames (at least 1) of that layout.
    public init(layout: FrameLayout, capacity: Int) throws(FrameError) {
        precondition(capacity > 0, "a frame pool holds at least one frame, not \(capacity)")
        let page = 4096
        self.layout = layout
        self.capacity = capacity
        // Whole pages apart, plus a cache line so that the same row of two frames does not share cache sets.
        self.slotByteCount = (layout.byteCount + page - 1) / page * page + FrameLayout.alignment
        self.buffers = Monitor(
            Buffers(
                memory: try PoolMemory(byteCount: slotByteCount * capacity),
                // The last one in is the first one out: its lines are still in the cache.
                freeSlots: Array((0..<capacity).reversed())))
    }

    /// A buffer to fill, or `nil` (counted) when all are in use. Its contents are whatever was there before.
    public func makeFrame() -> MutableFrame? {
        let taken: (slot: Int, base: UnsafeMutablePointer<UInt8>)? = unsafe buffers.withLock { buffers in
            guard let slot = buffers.freeSlots.popLast() else {
                buffers.statistics.misses += 1
                return nil
            }
            buffers.statistics.handedOut += 1
            buffers.statistics.inUse += 1
            return unsafe (slot, buffers.memory.slot(slot, byteCount: slotByteCount))
        }
        guard let (slot, base) = unsafe taken else { return nil }
        return unsafe MutableFrame(layout: layout, base: base, lease: FrameLease(pool: self, slot: slot))
    }

    /// Counts since the pool was made.
    public var statistics: Statistics {
        buffers.withLock { $0.statistics }
    }

    fileprivate func giveBack(_ slot: Int) {
        buffers.withLock { buffers in
            buffers.freeSlots.append(slot)
            buffers.statistics.inUse -= 1
        }
    }
}

/// The right to use one buffer of a pool; the end of its life returns the buffer.
///
/// Nothing but its end ever looks into it: frames carry the buffer's address themselves, so that a thread that reads
/// pixels touches no memory that the last release frees (which the thread sanitizer could not order).
package final class FrameLease: Sendable {
    private let pool: FramePool
    private let slot: Int

    fileprivate init(pool: FramePool, slot: Int) {
        self.pool = pool
        self.slot = slot
    }

    deinit {
        pool.giveBack(slot)
    }
}

/// The one block of memory behind a pool.
@safe
private struct PoolMemory: ~Copyable {
    private let base: UnsafeMutableRawPointer

    init(byteCount: Int) throws(FrameError) {
        var memory: UnsafeMutableRawPointer?
        guard unsafe posix_memalign(&memory, 4096, byteCount) == 0, let memory = unsafe memory else {
            throw .outOfMemory(byteCount: byteCount)
        }
        unsafe base = memory
    }

    deinit {
        // A pool under the thread sanitizer gave out no address of this block (see `slot`).
        unsafe free(base)
    }

    /// The memory of a buffer.
    ///
    /// Under the thread sanitizer each use of a buffer gets memory that is never used again: the sanitizer does not see
    /// that the last release by ARC comes after all reads, and would call the next use of the buffer a race.
    func slot(_ index: Int, byteCount: Int) -> UnsafeMutablePointer<UInt8> {
        if isThreadSanitized {
            // Lost on purpose: see above. Only test runs get here.
            return .allocate(capacity: byteCount)
        }
        return unsafe (base + index * byteCount).assumingMemoryBound(to: UInt8.self)
    }
}

/// Whether this process runs under the thread sanitizer.
private let isThreadSanitized = unsafe dlsym(nil, "__tsan_init") != nil
