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
