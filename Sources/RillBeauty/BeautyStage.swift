package import RillCore

/// Makes pictures beautiful before they are split into layers, into buffers of its own, and keeps the deadline.
package struct BeautyStage: ~Copyable {
    private var filter: BeautyFilter
    private var deadline: BeautyDeadline?
    private var pictures: FittingPool
    private let modelledCost: MediaDuration?
    /// Pictures that could not be made beautiful, because every buffer was in use.
    package private(set) var picturesWithoutBuffer = 0

    /// - Parameters:
    ///   - budget: what a frame may cost; `nil` for whatever it does.
    ///   - modelledCost: what a frame is taken to cost; `nil` where the clock says it.
    ///   - capacity: pictures that may be in use at once.
    package init(
        _ options: BeautyOptions, budget: MediaDuration? = nil, modelledCost: MediaDuration? = nil, capacity: Int
    ) {
        filter = BeautyFilter(options)
        deadline = budget.map(BeautyDeadline.init(budget:))
        pictures = FittingPool(capacity: capacity)
        self.modelledCost = modelledCost
    }

    package var statistics: BeautyStatistics { filter.statistics }

    /// The mask of the last picture; see ``RillBeauty/BeautyFilter/mask``.
    package var mask: [UInt8]? { filter.mask }

    /// The picture with `options`; itself where nothing is to be done, or where it is too small; `nil` (counted) when
    /// every buffer is in use. What it costs is told to the deadline, which says at which level the next one is done.
    package mutating func apply(
        _ options: BeautyOptions, to frame: VideoFrame, clock: () -> MediaTime
    ) throws -> VideoFrame? {
        let start = clock()
        let count = filter.statistics.framesFiltered
        let result = try apply(options, to: frame, level: level)
        if filter.statistics.framesFiltered > count { deadline?.add(cost: modelledCost ?? clock() - start) }
        return result
    }

    /// The level at which the next picture is done.
    package var level: BeautyLevel { deadline?.level ?? .full }

    /// The same at a level that was chosen elsewhere.
    package mutating func apply(_ options: BeautyOptions, to frame: VideoFrame, level: BeautyLevel) throws
        -> VideoFrame?
    {
        if filter.options != options { filter.options = options }
        // No buffers for what is off, and no refusal of what an encoder would take.
        let smallest = min(frame.resolution.width, frame.resolution.height)
        guard !filter.isIdle, frame.format == .i420, smallest >= BeautyFilter.smallestSide else { return frame }
        let pool = try pictures.pool(for: frame.resolution)
        guard let result = try filter.apply(to: frame, into: pool, level: level) else {
            picturesWithoutBuffer += 1
            return nil
        }
        return result
    }
}
