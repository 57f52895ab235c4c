public import RillCore
public import RillImage

/// One layer at work: cuts and scales a frame to the layer's size where it has another, and encodes it.
///
/// It carries out what a ``SimulcastPlan`` decided and decides nothing itself, so that the live driver can run each
/// layer on a thread of its own and get the same bytes. One owner, one thread at a time.
public final class LayerEncoder {
    /// The layer's settings; its bitrate is that of the last task.
    public let settings: LayerSettings
    private let encoder: VPXEncoder
    private let scaledFrames: FramePool

    /// Makes the encoder; its memory is taken when the first frame comes.
    public init(_ settings: LayerSettings) throws(CodecError) {
        self.settings = settings
        self.encoder = try VPXEncoder(
            settings.encoder, layer: StreamLayer(rid: settings.rid), resolution: settings.resolution,
            frameRate: settings.frameRate, bitrate: settings.bitrate)
        do {
            // One frame at a time is scaled, encoded, and let go.
            self.scaledFrames = try FramePool(resolution: settings.resolution, capacity: 1)
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
        let scaled = fitted(frame, to: task.crop)
        try encoder.setBitrate(task.bitrate)
        try encoder.encode(scaled, isKeyFrame: task.isKeyFrameRequested, body)
    }

    /// What the layer's encoder has done so far.
    public var statistics: VPXEncoder.Statistics { encoder.statistics }

    /// The picture that the layer codes of `frame`: for comparing what was shown with what was meant.
    ///
    /// The answer uses the layer's one buffer: let it go before the next frame.
    public func fitted(_ frame: VideoFrame, to crop: CropRegion) -> VideoFrame {
        if crop == CropRegion(all: settings.resolution), frame.resolution == settings.resolution { return frame }
        guard let scaled = frame.scaled(crop, into: scaledFrames) else {
            preconditionFailure("the scaled frame of the task before is still in use")
        }
        return scaled
    }
}
