public import RillCore
import RillImage

/// One layer at work: brings a frame to the layer's size where it has another, and encodes it.
///
/// It carries out what a ``SimulcastPlan`` decided, and decides only by what comes in, so that the live driver can run
/// each layer on a thread of its own and get the same bytes. One owner, one thread at a time.
public final class LayerEncoder {
    /// What became of a frame.
    public enum Outcome: Sendable, Equatable {
        /// It was coded, with that quantizer index (0 to 127 for VP8, 0 to 255 for VP9); `nil` of an own encoder that says
        /// none.
        case coded(quantizer: Int?)
        /// The rate control left it out.
        case dropped
        /// The encoder holds it back, since it looks ahead.
        case held
        /// It was the same as the one before, and was left out.
        case unchanged
    }

    /// The layer's settings, as of the last task.
    public private(set) var settings: LayerSettings
    /// Frames left out because they were the same as the one before.
    public private(set) var framesUnchanged = 0
    private let encoder: any VideoEncoder
    private var scaler: LayerScaler
    private var unchanged = UnchangedFramePolicy()

    /// Makes the encoder; the memory of its pictures is taken when the first frame comes.
    ///
    /// - Parameters:
    ///   - firstPass: what a ``LayerAnalyzer`` found of the same tasks; see ``VPXEncoder``.
    ///   - make: makes the encoder, where it is not to be one that Rill brings.
    /// - Throws: ``CodecError``: `unsupportedCodec` where neither Rill nor `make` has the codec, `own` with what `make` threw.
    public init(
        _ settings: LayerSettings, firstPass: FirstPassStatistics? = nil, make: VideoEncoderFactory? = nil
    ) throws(CodecError) {
        try settings.validate()
        self.settings = settings
        self.encoder =
            if let own = try settings.codec.attempt({ try make?(settings) }) {
                own
            } else {
                try settings.makeBuiltInEncoder(firstPass: firstPass)
            }
        self.scaler = try LayerScaler(of: settings)
    }

    /// Carries out one task: calls `body` with the coded frame and its bytes, which hold until it returns.
    ///
    /// - Parameter clock: is asked when the picture has the layer's size, for its stamp `scaled`; one that it has already
    ///   stays.
    /// - Throws: ``CodecError``, or what `body` throws.
    @discardableResult
    public func encode(
        _ frame: VideoFrame, _ task: LayerTask, clock: () -> MediaTime? = { nil },
        _ body: (EncodedFrame, Span<UInt8>) throws -> Void
    ) throws -> Outcome {
        guard frame.format == .i420 else { throw CodecError.unsupportedFormat(frame.format) }
        let isChanged = task.settings != settings || task.isRestartRequested
        if isChanged { try change(task) }
        let canSkip = unchanged.canSkip(task.content, at: frame.captureTime)
        if canSkip, !isChanged, !task.isKeyFrameRequested, settings.isSkippingUnchangedFrames {
            framesUnchanged += 1
            return .unchanged
        }
        guard var scaled = scaler.fitted(frame) else {
            preconditionFailure("the scaled frame of the task before is still in use")
        }
        if scaled.stamps[.scaled] == nil { scaled.stamps[.scaled] = clock() }
        // No key frame is left out: a request is served by this very frame.
        switch try encoder.encode(scaled, isKeyFrame: task.isKeyFrameRequested, body) {
        case .coded(let quantizer):
            unchanged.coded(task.content, at: frame.captureTime, quantizer: quantizer, by: settings.codec)
            return .coded(quantizer: quantizer)
        case .dropped: return .dropped
        case .held: return .held
        }
    }

    /// Calls `body` with the frames that are held back, when no task will follow.
    public func finish(_ body: (EncodedFrame, Span<UInt8>) throws -> Void) throws {
        try encoder.finish(body)
    }

    private func change(_ task: LayerTask) throws(CodecError) {
        let new = task.settings
        precondition(new.rid == settings.rid, "a task of layer \(new.rid) for layer \(settings.rid)")
        try new.validate()
        try new.codec.attempt { () throws in
            try encoder.change(
                to: new.encoder, resolution: new.resolution, frameRate: new.frameRate, bitrate: new.bitrate)
            if task.isRestartRequested { try encoder.restart() }
        }
        if new.resolution != settings.resolution || new.aspect != settings.aspect {
            scaler = try LayerScaler(of: new)
        }
        settings = new
    }

    /// What the layer's encoder has done so far.
    public var statistics: EncoderStatistics { encoder.statistics }
}

/// Makes an encoder that is not Rill's for a layer, of whichever codec; `nil` where Rill's is to encode that layer.
///
/// It is called once for each layer, when its pipeline is made. What changes at run time is told to the encoder itself, with
/// ``RillCore/VideoEncoder/change(to:resolution:frameRate:bitrate:)``.
public typealias VideoEncoderFactory = @Sendable (LayerSettings) throws -> (any VideoEncoder)?

extension VideoCodec {
    /// Runs `body`; what it throws becomes a ``CodecError``, if it is none.
    package func attempt<Result>(_ body: () throws -> Result) throws(CodecError) -> Result {
        do { return try body() } catch let error as CodecError {
            throw error
        } catch {
            throw .own(self, detail: "\(error)")
        }
    }
}

extension LayerScaler {
    convenience init(of settings: LayerSettings) throws(CodecError) {
        do throws(FrameError) {
            // One frame at a time is scaled, encoded, and let go.
            try self.init(settings.resolution, aspect: settings.aspect, capacity: 1)
        } catch {
            throw .frames(error)
        }
    }
}
