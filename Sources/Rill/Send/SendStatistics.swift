public import RillCore
public import RillRTP
public import RillSend

/// The statistics of one layer of a ``SendPipeline``.
public struct SendStatistics: Codable, Equatable, Sendable {
    /// The layer's name.
    public var rid: StreamLayer.RID
    /// The layer's SSRC.
    public var ssrc: SSRC
    /// The statistics of its encoder.
    public var encoder: EncoderStatistics
    /// Frames skipped because they equal the previous one.
    public var framesUnchanged: Int
    /// Picture size as of the last frame.
    public var resolution: Resolution
    /// Packets sent, and feedback received.
    public var stream: RTPStreamStatistics
    /// Time from preprocessing to the encoded frame, summed over the frames (including the wait for the encoder).
    public var totalEncodeTime: MediaDuration
    /// Why the layer's pictures are smaller or fewer than configured.
    public var qualityLimitationReason = QualityLimitationReason.none
    /// How often adaptation changed the layer's size.
    public var qualityLimitationResolutionChanges = 0
}

/// What keeps a layer below its settings (W3C webrtc-stats, `RTCQualityLimitationReason`).
public enum QualityLimitationReason: String, Codable, Sendable, Equatable {
    /// Nothing.
    case none
    /// The machine is too slow.
    case cpu
    /// The bitrate is too low.
    case bandwidth
}

extension SendStatistics: CustomStringConvertible {
    /// A line with the layer's name and size, and a line for each stage, without zeros.
    public var description: String {
        let limit = qualityLimitationReason == .none ? "" : ", limited by \(qualityLimitationReason)"
        return countedText(
            "\(rid) \(ssrc), \(resolution)\(limit)",
            [
                ("layer", countedText(Layer(self))), ("encoder", encoder.description), ("stream", stream.description),
            ])
    }

    /// The layer's own counters.
    private struct Layer {
        var framesUnchanged: Int
        var totalEncodeTime: MediaDuration
        var qualityLimitationResolutionChanges: Int

        init(_ statistics: SendStatistics) {
            framesUnchanged = statistics.framesUnchanged
            totalEncodeTime = statistics.totalEncodeTime
            qualityLimitationResolutionChanges = statistics.qualityLimitationResolutionChanges
        }
    }
}
