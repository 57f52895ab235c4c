public import RillCore

/// Smooths, lightens and reddens skin, and sharpens everything else: the beauty filter of call SDKs.
///
/// ```swift
/// var filter = BeautyFilter(.natural)
/// guard let beautiful = filter.apply(to: frame, into: pool) else { return }  // no free buffer
/// ```
///
/// With a cascade, or if an app gives faces, they are followed, and skin is what has the color of a face within its
/// reach; a picture that shows no face is only sharpened. With neither, skin is detected by its color (all tones of the
/// Monk scale) in blocks of four by four pixels. Texture separates it, as far as possible, from wood, walls and hair.
/// The mask is soft and steady over time,
/// and includes the eyes and lips that skin surrounds; those of a known face are spared. Inside the mask, luma moves
/// toward the result of an edge-preserving diffusion (see `DiffusionKernel`). Where cells of two by two pixels differ
/// from their surroundings by more than pores do, luma stays. Only the last step processes every pixel.
///
/// Deterministic: the same frames with the same options produce the same bytes on any machine. If all amounts
/// are 0, the frame itself is returned.
///
/// One owner, one thread at a time. Options may change between any two frames. A change takes eight frames, so that
/// the picture does not jump. Memory: about three bytes per pixel, allocated with the first frame of a size; nothing
/// afterwards. Cost: see Benchmarks; about a millisecond for a frame of 1280x720.
public struct BeautyFilter: ~Copyable {
    /// The options from the next frame on.
    public var options: BeautyOptions {
        didSet { ramp.aim(at: BeautyAmounts(options)) }
    }

    /// Counts since the filter was created.
    public private(set) var statistics = BeautyStatistics()

    /// The face detector, whose faces determine the color of skin; `nil` to detect skin by the colors of all skin.
    ///
    /// A change resets the known faces and the mask, and frees and allocates memory with the next frame.
    public var cascade: FaceCascade? {
        didSet { if cascade != oldValue { planes = nil } }
    }

    private var given: [FaceRegion]?
    private var ramp: BeautyRamp
    private var planes: SkinPlanes?
    /// Whether the mask is that of the previous frame.
    private var hasMask = false
    private var framesSinceMask = 0

    /// The smallest width and height of a picture.
    public static let smallestSide = 16

    /// Creates a filter whose first frame has these options in full.
    ///
    /// - Parameters:
    ///   - options: the options of the first frame.
    ///   - cascade: the face detector, whose faces determine the color of skin; `nil` to detect skin by the colors of
    ///     all skin.
    public init(_ options: BeautyOptions = .natural, cascade: FaceCascade? = nil) {
        self.options = options
        self.cascade = cascade
        ramp = BeautyRamp(BeautyAmounts(options))
    }

    /// Filters a frame into a frame of `pool`. Returns the frame itself, without a copy, if there is nothing to do.
    ///
    /// Time, color space, rotation and timestamps are kept. Samples are treated as BT.601 in limited range.
    ///
    /// - Parameters:
    ///   - frame: I420 in limited range, at least 16x16, any size and stride.
    ///   - pool: a pool of I420 frames of the same size; another size or format traps.
    ///   - level: the level that a ``BeautyDeadline`` allows.
    /// - Returns: the filtered frame, or `nil` if the pool has no free buffer; the filter is then unchanged.
    /// - Throws: ``BeautyError/unsupportedPicture(format:width:height:)``.
    public mutating func apply(
        to frame: VideoFrame, into pool: FramePool, level: BeautyLevel = .full
    ) throws(BeautyError) -> VideoFrame? {
        let size = frame.resolution
        guard frame.format == .i420, min(size.width, size.height) >= BeautyFilter.smallestSide else {
            throw .unsupportedPicture(format: "\(frame.format)", width: size.width, height: size.height)
        }
        guard frame.colorSpace.range == .limited else {
            throw .unsupportedPicture(format: "\(frame.format) in full range", width: size.width, height: size.height)
        }
        precondition(
            pool.layout.format == .i420 && pool.layout.resolution == size,
            "a pool of \(pool.layout.resolution) does not fit a picture of \(size)")
        var following = ramp
        let amounts = following.next()
        guard !amounts.isNone else {
            ramp = following
            hasMask = false
            given = nil
            statistics.framesUnfiltered += 1
            return frame
        }
        guard var target = pool.makeFrame() else { return nil }
        ramp = following
        let planes = planes(for: size)
        if frame.isDiscontinuity { hasMask = false }
        if let given { planes.give(given) }
        given = nil
        findSkin(in: frame, planes, level, amounts)
        write(frame, planes, level.limited(amounts), to: &target)
        hasMask = true
        statistics.count(level, faceCount: planes.knownFaces.count)
        return frame.finished(target)
    }

    /// Searches a frame for faces before it is filtered, if it is the first one or the first after a gap: those that
    /// are found count in full at once. The frame must be one that ``apply(to:into:level:)`` takes.
    package mutating func lookAhead(at frame: VideoFrame) {
        guard cascade != nil, given == nil, frame.format == .i420 else { return }
        let planes = planes(for: frame.resolution)
        guard !hasMask || frame.isDiscontinuity else { return }
        planes.take(luma: PictureRows(reading: frame, plane: 0))
        planes.lookAhead(
            luma: PictureRows(reading: frame, plane: 0), u: PictureRows(reading: frame, plane: 1),
            v: PictureRows(reading: frame, plane: 2))
    }

    /// Whether the next frame would be returned unchanged: all amounts are 0 and no change is in progress.
    public var isIdle: Bool { options.isOff && ramp.isDone }

    private mutating func planes(for size: Resolution) -> SkinPlanes {
        if let planes, planes.width == size.width, planes.height == size.height { return planes }
        let planes = SkinPlanes(pictureWidth: size.width, pictureHeight: size.height, cascade: cascade)
        self.planes = planes
        hasMask = false
        return planes
    }

    private mutating func findSkin(
        in frame: VideoFrame, _ planes: SkinPlanes, _ level: BeautyLevel, _ amounts: BeautyAmounts
    ) {
        framesSinceMask += 1
        let isMaskDue = !hasMask || framesSinceMask >= level.maskInterval
        planes.take(luma: PictureRows(reading: frame, plane: 0))
        if level < .halfStatistics { planes.findFaces(luma: PictureRows(reading: frame, plane: 0)) }
        if isMaskDue {
            planes.findColor(u: PictureRows(reading: frame, plane: 1), v: PictureRows(reading: frame, plane: 2))
        }
        if isMaskDue || level.smooths { planes.measure() }
        if isMaskDue {
            framesSinceMask = 0
            planes.makeMask(isFirst: !hasMask)
        }
        // Sharpening excludes smooth skin, so flatness is needed without smoothing too. It then lasts as long as its
        // mask.
        if isMaskDue || level.smooths { planes.findFlatness() }
        if level.smooths {
            planes.smooth(coarsely: level.isCoarse)
        } else {
            planes.leave()
        }
        planes.findLift(amounts)
    }

    private func write(
        _ frame: VideoFrame, _ planes: SkinPlanes, _ amounts: BeautyAmounts, to target: inout MutableFrame
    ) {
        let u = (PictureRows(reading: frame, plane: 1), PictureRows(writing: &target, plane: 1))
        for y in 0..<u.0.height { u.1.row(y).copy(u.0.row(y), count: u.0.width) }
        RednessKernel.run(
            PictureRows(reading: frame, plane: 2), mask: planes.mask, spans: planes.spans, amount: amounts.redness,
            to: PictureRows(writing: &target, plane: 2))
        planes.colorLips(
            PictureRows(reading: frame, plane: 2), amounts, in: PictureRows(writing: &target, plane: 2))
        LumaKernel(amounts: amounts).run(
            PictureRows(reading: frame, plane: 0), smooth: planes.smoothLuma, flatness: planes.flatness,
            lift: planes.lift, mask: planes.mask, spans: planes.spans, rows: planes.pixelRows,
            to: PictureRows(writing: &target, plane: 0))
    }

    /// The faces that are known, in pixels of the last frame: given, or found by the cascade and seen a second time. At
    /// most four.
    public var faces: [FaceRegion] { planes?.knownFaces ?? [] }

    /// Sets all faces of the next frame, found by a detector of the app.
    ///
    /// ```swift
    /// filter.giveFaces([FaceRegion(x: 500, y: 120, side: 240)])
    /// ```
    ///
    /// A face stays known for 120 frames, so a detector may process every tenth frame only, and be some frames late.
    /// An empty list means that there is none. For 120 frames after a call the filter does not search itself.
    ///
    /// - Parameter faces: squares in pixels of the frame, as the filter takes it (upright). Any number; the first
    ///   four count.
    public mutating func giveFaces(_ faces: [FaceRegion]) { given = faces }

    /// Forgets faces that were given for a frame that is not filtered.
    mutating func forgetGivenFaces() { given = nil }

    /// The mask of the last filtered frame: 0 to 255 for each chroma sample, row by row; `nil` before the first.
    public var mask: [UInt8]? {
        guard let planes, hasMask else { return nil }
        var mask: [UInt8] = []
        mask.reserveCapacity(planes.mask.width * planes.mask.height)
        for y in 0..<planes.mask.height {
            let row = planes.mask.row(y)
            for x in 0..<planes.mask.width { mask.append(row[x]) }
        }
        return mask
    }
}

/// Counts of a ``BeautyFilter``.
public struct BeautyStatistics: Codable, Hashable, Sendable {
    /// Filtered frames.
    public var framesFiltered = 0
    /// Filtered frames in which a face was known.
    public var framesWithFaces = 0
    /// Frames returned unchanged because all amounts were 0.
    public var framesUnfiltered = 0
    /// The number of filtered frames at each level, in the order of `BeautyLevel.allCases`.
    public var framesAtLevel = [Int](repeating: 0, count: BeautyLevel.allCases.count)
    /// The level of the last frame.
    public var level = BeautyLevel.full

    /// Creates zero counts.
    public init() {}

    mutating func count(_ level: BeautyLevel, faceCount: Int) {
        framesFiltered += 1
        if faceCount > 0 { framesWithFaces += 1 }
        framesAtLevel[level.rawValue] += 1
        self.level = level
    }
}

extension BeautyStatistics: CustomStringConvertible {
    /// The counts that are not zero, by name: `framesFiltered 120, framesAtLevel [120, 0, 0, 0], level full`.
    public var description: String { countedText(self) }
}
