public import RillCore
import RillImage

/// One layer at work: cuts and scales a frame to the layer's size where it has another, and encodes it.
///
/// It carries out what a ``SimulcastPlan`` decided and decides nothing itself, so that the live driver can run each
/// layer on a thread of its own and get the same bytes. One owner, one thread at a time.
public final class LayerEncoder {
    /// The layer's settings; its bitrate is that of the last task.
    public let settings: LayerSettings
    private let encoder: VPXEncoder
    private let scaler: LayerScaler

    /// Makes the encoder; its memory is taken when the first frame comes.
    public init(_ settings: LayerSettings) throws(CodecError) {
        self.settings = settings
        self.encoder = try VPXEncoder(
            settings.encoder, layer: StreamLayer(rid: settings.rid), resolution: settings.resolution,
            frameRate: settings.frameRate, bitrate: settings.bitrate)
        do {
            // One frame at a time is scaled, encoded, and let go.
            self.scaler = try LayerScaler(settings.resolution, capacity: 1)
        } catch {
            throw .frames(error)
        }
    }

    /// Carries out one task: calls `body` with the coded frame and its bytes, which hold until it returns.
    ///
    /// - Throws: ``CodecError``, or what `body` throws.
    public func encode(
        _ frame: VideoFrame, _ task: LayerTask, _ body: (EncodedFrame, Span<UInt8>) throws -> Void
    ) throws {
        guard frame.format == .i420 else { throw CodecError.unsupportedFormat(frame.format) }
        guard let scaled = scaler.fitted(frame, to: task.crop) else {
            preconditionFailure("the scaled frame of the task before is still in use")
        }
        try encoder.setBitrate(task.bitrate)
        try encoder.encode(scaled, isKeyFrame: task.isKeyFrameRequested, body)
    }

    /// What the layer's encoder has done so far.
    public var statistics: VPXEncoder.Statistics { encoder.statistics }
}
