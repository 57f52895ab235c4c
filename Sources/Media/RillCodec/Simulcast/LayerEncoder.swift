public import RillCore
public import RillImage

/// The encoder of one layer: scales each frame to the layer's size if needed, and encodes it.
///
/// It executes the tasks of a ``SimulcastPlan``. Its output depends only on its input, so the live driver can run
/// each layer on its own thread and get the same bytes. One owner, one thread at a time.
public final class LayerEncoder {
    /// The outcome of a frame.
    public enum Outcome: Sendable, Equatable {
        /// It was encoded with that quantizer index (0 to 127 for VP8, 0 to 255 for VP9). `nil` if a custom encoder
        /// reports none.
        case coded(quantizer: Int?)
        /// The rate control dropped it.
        case dropped
        /// The encoder holds it back for lookahead.
        case held
        /// It was the same as the previous one and was skipped.
        case unchanged
    }

    /// The layer's settings, as of the last task.
    public private(set) var settings: LayerSettings
    /// Frames skipped because they were the same as the previous one.
    public private(set) var framesUnchanged = 0
    private let encoder: any VideoEncoder
    private var scaler: LayerScaler
    private var unchanged = UnchangedFramePolicy()

    /// Creates the encoder. The memory of its pictures is allocated when the first frame arrives.
    ///
    /// - Parameters:
    ///   - settings: the layer's settings.
    ///   - firstPass: the statistics of a ``LayerAnalyzer`` for the same frames; see ``VPXEncoder``.
    ///   - make: creates a custom encoder, or returns `nil` to use the built-in one.
    /// - Throws: ``CodecError``; `unsupportedCodec` if neither Rill nor `make` has the codec, `own` for an error of
    ///   `make`.
    public init(
        _ settings: LayerSettings, firstPass: FirstPassStatistics? = nil, make: VideoEncoderFactory? = nil
    ) throws(CodecError) {
        try settings.validate()
        self.settings = settings
        self.encoder =
            if let own = try settings.codec.attempt({ try make?(settings) }) {
                own
            } else {
                try VPXEncoder(
                    settings.encoder, layer: StreamLayer(rid: settings.rid), resolution: settings.resolution,
                    frameRate: settings.frameRate, bitrate: settings.bitrate, firstPass: firstPass)
            }
        self.scaler = try LayerScaler(of: settings)
    }

    /// Executes one task: encodes the frame, and calls `body` with the coded frame.
    ///
    /// - Parameters:
    ///   - frame: the source's I420 frame, of any size.
    ///   - task: the layer's task for this frame.
    ///   - clock: returns the current time once the picture is scaled, for its timestamp `scaled`. An existing
    ///     timestamp is kept.
    ///   - body: receives the coded frame and its bytes, which are valid until it returns.
    /// - Returns: the outcome of the frame.
    /// - Throws: ``CodecError``, or an error of `body`.
    @discardableResult
    public func encode(
        _ frame: VideoFrame, _ task: LayerTask, clock: () -> MediaTime? = { nil },
        _ body: (EncodedFrame, Span<UInt8>) throws -> Void
    ) throws -> Outcome {
        guard frame.format == .i420 else { throw CodecError.unsupportedFormat(frame.format) }
        let isChanged = task.settings != settings || task.isRestartRequested
        let isForced = isChanged && !followsNetwork(task)
        if isChanged { try change(task) }
        let canSkip = unchanged.canSkip(task.content, at: frame.captureTime)
        if canSkip, !isForced, !task.isKeyFrameRequested, settings.isSkippingUnchangedFrames {
            framesUnchanged += 1
            return .unchanged
        }
        guard var scaled = scaler.fitted(frame) else {
            preconditionFailure("the scaled frame of the previous task is still in use")
        }
        if scaled.timestamps[.scaled] == nil { scaled.timestamps[.scaled] = clock() }
        if let byteLimit = task.byteLimit { encoder.limitNextFrame(to: max(1, byteLimit)) }
        // Key frames are never dropped: this very frame serves the request.
        switch try encoder.encode(scaled, isKeyFrame: task.isKeyFrameRequested, body) {
        case .coded(let quantizer):
            unchanged.coded(task.content, at: frame.captureTime, quantizer: quantizer, by: settings.codec)
            return .coded(quantizer: quantizer)
        case .dropped: return .dropped
        case .held: return .held
        }
    }

    /// Outputs the frames that are still held back. Called after the last task.
    ///
    /// - Parameter body: receives each coded frame and its bytes, which are valid until it returns.
    public func finish(_ body: (EncodedFrame, Span<UInt8>) throws -> Void) throws {
        try encoder.finish(body)
    }

    /// Whether only the bitrate changes, as with each bandwidth estimate. An unchanged picture needs no new encode
    /// then.
    private func followsNetwork(_ task: LayerTask) -> Bool {
        guard task.settings.encoder.burstLimit != nil, !task.isRestartRequested else { return false }
        var old = settings
        old.bitrate = task.settings.bitrate
        return old == task.settings
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

    /// The encoder's counts so far.
    public var statistics: EncoderStatistics { encoder.statistics }
}

/// A function that creates an app's own encoder for a layer, for any codec. It returns `nil` to use the built-in
/// encoder.
///
/// It is called once per layer, when its pipeline is created. Later changes reach the encoder through
/// ``/RillCore/VideoEncoder/change(to:resolution:frameRate:bitrate:)``.
public typealias VideoEncoderFactory = @Sendable (LayerSettings) throws -> (any VideoEncoder)?

extension VideoCodec {
    /// Runs `body`, and wraps any other error in a ``CodecError``.
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
            // One frame at a time is scaled, encoded and released.
            try self.init(settings.resolution, aspect: settings.aspect, capacity: 1)
        } catch {
            throw .frames(error)
        }
    }
}

/// Fits pictures to a layer's shape and size. Pictures that already fit pass unchanged.
public final class LayerScaler {
    /// The layer's size.
    public let resolution: Resolution
    /// How pictures of another shape are fitted.
    public let aspect: AspectPolicy
    private let pool: FramePool

    /// Creates a scaler.
    ///
    /// - Parameters:
    ///   - resolution: the target size.
    ///   - aspect: how pictures of another shape are fitted.
    ///   - capacity: how many scaled pictures may be in use at once.
    /// - Throws: ``/RillCore/FrameError`` if there is no memory.
    public init(_ resolution: Resolution, aspect: AspectPolicy = .crop, capacity: Int) throws(FrameError) {
        self.resolution = resolution
        self.aspect = aspect
        self.pool = try FramePool(resolution: resolution, capacity: capacity)
    }

    /// Returns an I420 picture at the layer's size; `nil` if all of the scaler's buffers are in use.
    public func fitted(_ frame: VideoFrame) -> VideoFrame? {
        if frame.resolution == resolution { return frame }
        return frame.scaled(PictureFit(frame.resolution, into: resolution, aspect), into: pool)
    }
}

/// The first pass of a layer that is encoded in two passes. It gets the same frames as the ``LayerEncoder``, and
/// scales them in the same way. One owner, one thread at a time.
public final class LayerAnalyzer {
    private let pass: VPXFirstPass
    private let scaler: LayerScaler

    /// Creates the first pass.
    public init(_ settings: LayerSettings) throws(CodecError) {
        try settings.validate()
        pass = try VPXFirstPass(
            settings.encoder, resolution: settings.resolution, frameRate: settings.frameRate,
            bitrate: settings.bitrate)
        scaler = try LayerScaler(of: settings)
    }

    /// Analyzes one frame.
    public func add(_ frame: VideoFrame) throws(CodecError) {
        guard frame.format == .i420 else { throw .unsupportedFormat(frame.format) }
        guard let scaled = scaler.fitted(frame) else {
            preconditionFailure("the scaled frame of the task before is still in use")
        }
        try pass.add(scaled)
    }

    /// Returns the statistics. Called once, after the last frame.
    public func finish() throws(CodecError) -> FirstPassStatistics { try pass.finish() }
}
