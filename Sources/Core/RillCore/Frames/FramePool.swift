/// A fixed number of frame buffers of one layout, which return by themselves.
///
/// A pool hands out a ``MutableFrame`` to fill. Finished, it becomes a ``VideoFrame`` that any number of stages
/// share. The last reference to go returns the buffer. A pool without a free buffer returns `nil` and counts the
/// miss. It never allocates another buffer, so its initializer bounds its memory.
///
/// ```swift
/// let pool = try FramePool(resolution: .vga, capacity: 4)
/// guard var frame = pool.makeFrame() else { return }  // no free buffer: drop this picture
/// var planes = frame.planes
/// planes.y.fill(16); planes.u.fill(128); planes.v.fill(128)
/// let black = frame.finish(captureTime: .zero)
/// ```
///
/// Choose one buffer for each frame in flight. A live sender has one being captured, one waiting, and one being
/// encoded per layer. Eight are ample for two layers and a preview.
///
/// Thread-safe: frames may be created and released on any thread. Cost: two short locks and one small object per
/// frame. Pages that were never used take no memory.
public final class FramePool: Sendable {
    /// The layout of this pool's frames.
    public let layout: FrameLayout
    /// How many frames can be in use at once.
    public let capacity: Int

    private let blocks: BlockPool

    /// Counts since the pool was created.
    public struct Statistics: Codable, Sendable, Equatable {
        /// Frames in use now.
        public var inUse = 0
        /// Frames handed out.
        public var handedOut = 0
        /// Requests that found no free buffer.
        public var misses = 0

        /// Creates zero counts.
        public init() {}
    }

    /// Creates a pool of `capacity` frames (at least 1) with Rill's own layout for that format and size.
    public convenience init(
        _ format: PixelFormat = .i420, resolution: Resolution, capacity: Int
    ) throws(FrameError) {
        try self.init(layout: FrameLayout(format, resolution), capacity: capacity)
    }

    /// Creates a pool of `capacity` frames (at least 1) with the given layout.
    public init(layout: FrameLayout, capacity: Int) throws(FrameError) {
        precondition(capacity > 0, "a frame pool holds at least one frame, not \(capacity)")
        self.layout = layout
        self.capacity = capacity
        self.blocks = try BlockPool(capacity: capacity, byteCount: layout.byteCount)
    }

    /// Returns a buffer to fill, or `nil` (counted) if all are in use. Its contents are undefined.
    public func makeFrame() -> MutableFrame? {
        guard let (block, lease) = blocks.takeLeased(byteCount: layout.byteCount) else { return nil }
        return unsafe MutableFrame(layout: layout, base: block.base, lease: lease)
    }

    /// Counts since the pool was created.
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
    /// The counts that are not zero, by name: `inUse 2, handedOut 120`.
    public var description: String { countedText(self) }
}

/// Errors of frame memory.
public enum FrameError: Error, Equatable, Sendable {
    /// The system has no memory for a pool.
    case outOfMemory(byteCount: Int)
}

extension FrameError: CustomStringConvertible {
    /// The size of the failed allocation, and a remedy.
    public var description: String {
        switch self {
        case .outOfMemory(let byteCount):
            "no memory for a frame pool of \(byteCount) bytes: use fewer or smaller frames"
        }
    }
}

/// A frame pool that follows the size of the pictures: a new size replaces it.
///
/// The previous pool lives as long as its frames are in use, so for that time there are two.
package struct ResizingPool: Sendable {
    private let capacity: Int
    private var pool: FramePool?

    /// Creates the pool. Each underlying pool holds `capacity` I420 frames and is allocated on first use.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// Returns the pool for pictures of that size.
    package mutating func pool(for resolution: Resolution) throws(FrameError) -> FramePool {
        if let pool, pool.layout.resolution == resolution { return pool }
        let pool = try FramePool(resolution: resolution, capacity: capacity)
        self.pool = pool
        return pool
    }

    /// Whether a frame of the last size is available.
    package var hasBuffer: Bool { pool.map { $0.statistics.inUse < capacity } ?? true }
}
