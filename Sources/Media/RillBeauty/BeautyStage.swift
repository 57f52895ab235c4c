package import RillCore

/// Filters pictures before they are split into layers, into its own buffers and within a deadline.
package struct BeautyStage: ~Copyable {
    private var filter: BeautyFilter
    private var deadline: BeautyDeadline?
    private var pictures: ResizingPool
    private let modelledCost: MediaDuration?
    /// Whether the first picture, and the first after a gap, is searched for faces before it is filtered.
    private let looksAhead: Bool
    /// Pictures that were not filtered because every buffer was in use.
    package private(set) var picturesWithoutBuffer = 0

    /// Creates a stage.
    ///
    /// - Parameters:
    ///   - options: the filter's initial options.
    ///   - cascade: finds faces; `nil` for none.
    ///   - budget: the time that a frame may take; `nil` for no limit.
    ///   - modelledCost: the assumed cost of a frame; `nil` to measure it with the clock.
    ///   - looksAhead: whether the first picture, and the first after a gap, is searched for faces before it is
    ///     filtered: for files. That takes as long as some tens of pictures.
    ///   - capacity: pictures that may be in use at once.
    package init(
        _ options: BeautyOptions, cascade: FaceCascade? = nil, budget: MediaDuration? = nil,
        modelledCost: MediaDuration? = nil, looksAhead: Bool = false, capacity: Int
    ) {
        self.looksAhead = looksAhead
        filter = BeautyFilter(options, cascade: cascade)
        deadline = budget.map(BeautyDeadline.init(budget:))
        pictures = ResizingPool(capacity: capacity)
        self.modelledCost = modelledCost
    }

    package var statistics: BeautyStatistics { filter.statistics }

    /// The mask of the last picture; see ``BeautyFilter/mask``.
    package var mask: [UInt8]? { filter.mask }

    /// See ``BeautyFilter/cascade``.
    package var cascade: FaceCascade? {
        get { filter.cascade }
        set { filter.cascade = newValue }
    }

    /// See ``BeautyFilter/faces``; none while pictures are not filtered.
    package var faces: [FaceRegion] { filter.isIdle ? [] : filter.faces }

    /// Gives the faces of the next picture; see ``BeautyFilter/giveFaces(_:)``. Forgotten if it is not filtered.
    package mutating func giveFaces(_ faces: [FaceRegion]) { filter.giveFaces(faces) }

    /// Filters a picture with `options`, and reports the cost to the deadline, which sets the level of the next
    /// picture.
    ///
    /// Returns the picture itself if there is nothing to do or it is too small, and `nil` (counted) if every buffer
    /// is in use.
    package mutating func apply(
        _ options: BeautyOptions, to frame: VideoFrame, clock: () -> MediaTime
    ) throws -> VideoFrame? {
        let start = clock()
        let count = filter.statistics.framesFiltered
        let result = try apply(options, to: frame, level: level)
        if filter.statistics.framesFiltered > count { deadline?.add(cost: modelledCost ?? clock() - start) }
        return result
    }

    /// The level of the next picture.
    package var level: BeautyLevel { deadline?.level ?? .full }

    /// Filters a picture at a level that was chosen elsewhere.
    package mutating func apply(_ options: BeautyOptions, to frame: VideoFrame, level: BeautyLevel) throws
        -> VideoFrame?
    {
        if filter.options != options { filter.options = options }
        // Options that are off need no buffers, and must not reject what an encoder would accept.
        let smallest = min(frame.resolution.width, frame.resolution.height)
        guard !filter.isIdle, frame.format == .i420, smallest >= BeautyFilter.smallestSide else {
            filter.forgetGivenFaces()
            return frame
        }
        let pool = try pictures.pool(for: frame.resolution)
        if looksAhead { filter.lookAhead(at: frame) }
        guard let result = try filter.apply(to: frame, into: pool, level: level) else {
            picturesWithoutBuffer += 1
            return nil
        }
        return result
    }
}
