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

    private let blocks: BlockPool

    /// Counts since the pool was made.
    public struct Statistics: Codable, Sendable, Equatable {
        /// Frames in use now.
        public var inUse = 0
        /// Frames handed out.
        public var handedOut = 0
        /// Requests that found the pool dry.
        public var misses = 0

        /// Nothing counted yet.
        public init() {}
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
        self.layout = layout
        self.capacity = capacity
        self.blocks = try BlockPool(capacity: capacity, byteCount: layout.byteCount)
    }

    /// A buffer to fill, or `nil` (counted) when all are in use. Its contents are whatever was there before.
    public func makeFrame() -> MutableFrame? {
        guard let (block, lease) = blocks.takeLeased(byteCount: layout.byteCount) else { return nil }
        return unsafe MutableFrame(layout: layout, base: block.base, lease: lease)
    }

    /// Counts since the pool was made.
    public var statistics: Statistics {
        let counts = blocks.statistics
        var statistics = Statistics()
        statistics.inUse = counts.inUse
        statistics.handedOut = counts.handedOut
        statistics.misses = counts.misses
        return statistics
    }
}

extension FramePool.Statistics: CustomStringConvertible {
    /// What is not zero, by name: `inUse 2, handedOut 120`.
    public var description: String { countedText(self) }
}
