import RillBeauty
import RillCodec
import RillCore
import RillImage

/// The processing of every frame before it is split into layers: convert it to limited range, rotate it upright,
/// filter faces, show it to the taps, and compare it with the previous frame. One owner, one thread at a time; see
/// ``SendPipeline``.
final class FramePreparation {
    private let isRotating: Bool
    private let captured: (any FrameSink)?
    private let preprocessed: (any FrameSink)?
    private var colors: ColorConverter
    private var turner: UprightRotator
    private var beauty: BeautyStage
    private var changes = PictureChangeCounter()
    /// The known faces, when they last changed noticeably.
    private var faces: [FaceRegion] = []
    /// Given faces that no frame was filtered with yet.
    private var given: [FaceRegion]?

    /// The statistics of the stages so far.
    struct Counts: Sendable {
        var framesConverted = 0
        var picturesWithoutBuffer = 0
        var beauty = BeautyStatistics()
        /// The known faces, when they last changed noticeably.
        var faces: [FaceRegion] = []
    }

    /// The face processing that the app asks for.
    struct Request: Sendable {
        var options: BeautyOptions
        var cascade: FaceCascade?
        /// Faces that the app found, for the next frame.
        var given: [FaceRegion]?
    }

    /// A frame that is ready for the layers' encoders.
    struct Output {
        var frame: VideoFrame
        /// The face processing that was applied.
        var beauty: (options: BeautyOptions, level: BeautyLevel)
        /// The given faces that take effect with this frame.
        var given: [FaceRegion]?
        /// How often the picture has changed so far; `nil` if it is not compared.
        var content: Int?
    }

    init(_ settings: SendSettings, captured: (any FrameSink)?, preprocessed: (any FrameSink)?) {
        let (layerCount, capacity) = (
            settings.layers.count, UprightRotator.capacity(layerCount: settings.layers.count)
        )
        isRotating = settings.orientation == .applied
        colors = ColorConverter(capacity: capacity)
        turner = UprightRotator(layerCount: layerCount)
        beauty = BeautyStage(
            settings.beauty, cascade: nil, budget: settings.beautyBudget, modelledCost: settings.modeledBeautyCost,
            capacity: capacity)
        (self.captured, self.preprocessed) = (captured, preprocessed)
    }

    /// Prepares a frame; `nil` (counted) if there is no buffer for the result. Then no layer encodes it.
    ///
    /// - Parameters:
    ///   - captured: the frame as it was captured.
    ///   - request: the face processing to apply.
    ///   - looksForChanges: whether the picture is compared with the previous one.
    ///   - clock: returns the current time.
    func prepare(
        _ captured: VideoFrame, _ request: Request, looksForChanges: Bool, clock: () -> MediaTime
    ) throws -> Output? {
        try self.captured?.consume(captured)
        guard var frame = try inLimitedRange(captured) else { return nil }
        if isRotating, frame.rotation != .none {
            guard let upright = try turner.upright(frame) else { return nil }
            frame = upright
        }
        if beauty.cascade == nil, let cascade = request.cascade { beauty.cascade = cascade }
        if let faces = request.given { given = faces }
        if let given { beauty.giveFaces(given) }
        let (level, count) = (beauty.level, beauty.statistics.framesFiltered)
        guard let beautiful = try beauty.apply(request.options, to: frame, clock: clock) else { return nil }
        let applied = beauty.statistics.framesFiltered > count ? given : nil
        given = nil
        noteFaces()
        frame = beautiful
        frame.timestamps[.preprocessed] = clock()
        try preprocessed?.consume(frame)
        return Output(
            frame: frame, beauty: (request.options, level), given: applied,
            content: looksForChanges ? changes.add(frame) : nil)
    }

    /// A face that moved by less than an eighth of its size is the same.
    private func noteFaces() {
        let (known, last) = (beauty.faces, faces)
        let isSame = known.count == last.count && zip(known, last).allSatisfy { $0.isNear($1, within: 0.125) }
        // A list of its own: the filter changes its list in place.
        if !isSame { faces = known.map(\.self) }
    }

    private func inLimitedRange(_ frame: VideoFrame) throws(CodecError) -> VideoFrame? {
        guard frame.colorSpace.range == .full else { return frame }
        do throws(FrameError) { return try colors.convert(frame) } catch { throw .frames(error) }
    }

    var counts: Counts {
        Counts(
            framesConverted: colors.framesConverted,
            picturesWithoutBuffer: colors.picturesWithoutBuffer + turner.picturesWithoutBuffer
                + beauty.picturesWithoutBuffer,
            beauty: beauty.statistics, faces: faces)
    }

    /// Finishes both taps' sinks, even if one fails, so that they write what is pending. The first error is thrown.
    func finish() throws {
        let results = [Result { try captured?.finish() }, Result { try preprocessed?.finish() }]
        for result in results { try result.get() }
    }
}

/// Rotates pictures upright before they are encoded, into its own buffers.
struct UprightRotator: Sendable {
    private var pictures: ResizingPool
    /// Pictures that could not be rotated because every buffer was in use.
    private(set) var picturesWithoutBuffer = 0

    /// Creates one for `layerCount` layers. Each may have a current picture and some that wait. Four more are for the
    /// one being admitted, the one that the next is compared with, and two for a preview.
    init(layerCount: Int) {
        pictures = ResizingPool(capacity: UprightRotator.capacity(layerCount: layerCount))
    }

    /// The most pictures of one stage that are in use at once.
    static func capacity(layerCount: Int) -> Int { (1 + LayerJob.waitingLimit) * layerCount + 4 }

    /// Returns the picture upright; `nil` (counted) if every buffer is in use.
    ///
    /// - Parameter frame: the picture, I420.
    /// - Throws: ``/RillCodec/CodecError/unsupportedFormat(_:)`` for a format that no encoder would take, or
    ///   ``/RillCodec/CodecError/frames(_:)``.
    mutating func upright(_ frame: VideoFrame) throws(CodecError) -> VideoFrame? {
        guard frame.format == .i420 else { throw .unsupportedFormat(frame.format) }
        let pool: FramePool
        do { pool = try pictures.pool(for: frame.rotation.applied(to: frame.resolution)) } catch {
            throw .frames(error)
        }
        guard let upright = frame.rotated(by: frame.rotation, into: pool) else {
            picturesWithoutBuffer += 1
            return nil
        }
        return upright
    }
}
