import RillBeauty
import RillCodec
import RillCore
import RillImage

/// What every frame goes through before it is split into layers: it is brought to limited range, turned upright, made beautiful,
/// shown to the taps, and compared with the one before. One owner, one thread at a time; see ``SendPipeline``.
final class FramePreparation {
    private let isTurning: Bool
    private let captured: (any FrameSink)?
    private let preprocessed: (any FrameSink)?
    private var colors: ColorConverter
    private var turner: UprightTurner
    private var beauty: BeautyStage
    private var changes = PictureChangeCounter()

    /// What the stages have done so far.
    struct Counts: Sendable {
        var framesConverted = 0
        var picturesWithoutBuffer = 0
        var beauty = BeautyStatistics()
    }

    /// A frame that is ready for the layers' encoders.
    struct Output {
        var frame: VideoFrame
        /// What was done to faces.
        var beauty: (options: BeautyOptions, level: BeautyLevel)
        /// How often the picture changed so far; `nil` where nobody asks.
        var content: Int?
    }

    init(_ settings: SendSettings, captured: (any FrameSink)?, preprocessed: (any FrameSink)?) {
        let (layerCount, capacity) = (
            settings.layers.count, UprightTurner.capacity(layerCount: settings.layers.count)
        )
        isTurning = settings.orientation == .applied
        colors = ColorConverter(capacity: capacity)
        turner = UprightTurner(layerCount: layerCount)
        beauty = BeautyStage(
            settings.beauty, budget: settings.beautyBudget, modelledCost: settings.modelledBeautyCost,
            capacity: capacity)
        (self.captured, self.preprocessed) = (captured, preprocessed)
    }

    /// Prepares a frame; `nil` (counted) when there is no buffer for what it has to become: then no layer has anything to do
    /// with it.
    ///
    /// - Parameters:
    ///   - options: what is to be done to faces.
    ///   - looksForChanges: whether the picture is compared with the one before.
    func prepare(
        _ captured: VideoFrame, _ options: BeautyOptions, looksForChanges: Bool, clock: () -> MediaTime
    ) throws -> Output? {
        try self.captured?.consume(captured)
        guard var frame = try inLimitedRange(captured) else { return nil }
        if isTurning, frame.rotation != .none {
            guard let upright = try turner.upright(frame) else { return nil }
            frame = upright
        }
        let level = beauty.level
        guard let beautiful = try beauty.apply(options, to: frame, clock: clock) else { return nil }
        frame = beautiful
        frame.stamps[.preprocessed] = clock()
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

    /// Has the taps' sinks write what is still to be written: both, whatever happens to one. The first error is thrown.
    func finish() throws {
        let results = [Result { try captured?.finish() }, Result { try preprocessed?.finish() }]
        for result in results { try result.get() }
    }
}
