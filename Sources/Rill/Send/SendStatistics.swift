public import RillCore
public import RillRTP
public import RillSend

/// What one layer of a ``SendPipeline`` has sent.
public struct SendStatistics: Codable, Equatable, Sendable {
    /// The layer's name.
    public var rid: StreamLayer.RID
    /// The layer's source identifier.
    public var ssrc: SSRC
    /// What its encoder has done.
    public var encoder: EncoderStatistics
    /// Frames left out because they were the same as the one before.
    public var framesUnchanged: Int
    /// Size of the pictures, as of the last frame.
    public var resolution: Resolution
    /// What went on the wire, and what came back.
    public var stream: RTPStreamStatistics
    /// Time spent from preprocessing to the coded frame, summed over the frames (waiting for the encoder included).
    public var totalEncodeTime: MediaDuration
    /// Why the layer's pictures are smaller or fewer than they are set to be.
    public var qualityLimitationReason = QualityLimitationReason.none
    /// How often the layer's size was adapted.
    public var qualityLimitationResolutionChanges = 0
}

/// What keeps a layer below its settings (W3C webrtc-stats, `RTCQualityLimitationReason`).
public enum QualityLimitationReason: String, Codable, Sendable, Equatable {
    /// Nothing does.
    case none
    /// The machine is too slow.
    case cpu
    /// The bitrate is too low.
    case bandwidth
}

extension SendStatistics: CustomStringConvertible {
    /// A line with the layer's name and size, and a line for each part of its way, without what is zero.
    public var description: String {
        let limit = qualityLimitationReason == .none ? "" : ", limited by \(qualityLimitationReason)"
        return countedText(
            "\(rid) \(ssrc), \(resolution)\(limit)",
            [
                ("layer", countedText(Layer(self))), ("encoder", encoder.description), ("stream", stream.description),
            ])
    }

    /// What is counted of the layer itself.
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
