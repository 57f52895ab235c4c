/// A pool for pictures of whatever size comes next: made anew where the size changes.
///
/// Pictures of an earlier size keep their pool alive as long as somebody holds them, so for that time there are two.
package struct FittingPool: Sendable {
    private let capacity: Int
    private var pool: FramePool?

    /// Pools of `capacity` I420 frames each, none of which takes memory before it is asked for.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// The pool for pictures of that size.
    package mutating func pool(for resolution: Resolution) throws(FrameError) -> FramePool {
        if let pool, pool.layout.resolution == resolution { return pool }
        let pool = try FramePool(resolution: resolution, capacity: capacity)
        self.pool = pool
        return pool
    }

    /// Whether a frame of the size of the last one would be had.
    package var hasBuffer: Bool { pool.map { $0.statistics.inUse < capacity } ?? true }
}
