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

    /// The statistics of the stages so far.
    struct Counts: Sendable {
        var framesConverted = 0
        var picturesWithoutBuffer = 0
        var beauty = BeautyStatistics()
    }

    /// A frame that is ready for the layers' encoders.
    struct Output {
        var frame: VideoFrame
        /// The face processing that was applied.
        var beauty: (options: BeautyOptions, level: BeautyLevel)
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
            settings.beauty, budget: settings.beautyBudget, modelledCost: settings.modeledBeautyCost,
            capacity: capacity)
        (self.captured, self.preprocessed) = (captured, preprocessed)
    }

    /// Prepares a frame; `nil` (counted) if there is no buffer for the result. Then no layer encodes it.
    ///
    /// - Parameters:
    ///   - captured: the frame as it was captured.
    ///   - options: the face processing to apply.
    ///   - looksForChanges: whether the picture is compared with the previous one.
    ///   - clock: returns the current time.
    func prepare(
        _ captured: VideoFrame, _ options: BeautyOptions, looksForChanges: Bool, clock: () -> MediaTime
    ) throws -> Output? {
        try self.captured?.consume(captured)
        guard var frame = try inLimitedRange(captured) else { return nil }
        if isRotating, frame.rotation != .none {
            guard let upright = try turner.upright(frame) else { return nil }
            frame = upright
        }
        let level = beauty.level
        guard let beautiful = try beauty.apply(options, to: frame, clock: clock) else { return nil }
        frame = beautiful
        frame.timestamps[.preprocessed] = clock()
        try preprocessed?.consume(frame)
        return Output(
            frame: frame, beauty: (options, level), content: looksForChanges ? changes.add(frame) : nil)
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
            beauty: beauty.statistics)
    }

    /// Finishes both taps' sinks, even if one fails, so that they write what is pending. The first error is thrown.
    func finish() throws {
        let results = [Result { try captured?.finish() }, Result { try preprocessed?.finish() }]
        for result in results { try result.get() }
    }
}
