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
    /// How long the layer was limited for each reason, while it was switched on and the source delivered frames.
    public var qualityLimitationDurations = LimitationDurations()
    /// The encoder's target in bit/s; 0 while the layer is not sent.
    public var targetBitrate = 0
    /// Frames left out before they were encoded, because packets waited to be sent.
    public var framesSkipped = SkippedFrames()

    /// A time for each ``QualityLimitationReason`` (W3C webrtc-stats, `qualityLimitationDurations`).
    public struct LimitationDurations: Codable, Equatable, Sendable {
        /// Not limited.
        public var none = MediaDuration.zero
        /// Limited by the machine.
        public var cpu = MediaDuration.zero
        /// Limited by the bitrate.
        public var bandwidth = MediaDuration.zero

        /// Durations of zero.
        public init() {}

        mutating func add(_ duration: MediaDuration, to reason: QualityLimitationReason) {
            switch reason {
            case .none: none += duration
            case .cpu: cpu += duration
            case .bandwidth: bandwidth += duration
            }
        }
    }

    /// Frames that were left out, by reason.
    public struct SkippedFrames: Codable, Equatable, Sendable {
        /// Too much waited in the pacer (``SendPipeline/SkipReason/queueFull``).
        public var queueFull = 0
        /// Too much was in flight (``SendPipeline/SkipReason/windowFull``).
        public var windowFull = 0
        /// They waited for their encoder when a key frame was requested that replaces them.
        public var outdated = 0

        /// No frames.
        public init() {}
    }
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
        var qualityLimitationDurations: LimitationDurations
        var framesSkipped: SkippedFrames

        init(_ statistics: SendStatistics) {
            framesUnchanged = statistics.framesUnchanged
            totalEncodeTime = statistics.totalEncodeTime
            qualityLimitationResolutionChanges = statistics.qualityLimitationResolutionChanges
            // Without a limit there is nothing to tell.
            qualityLimitationDurations = statistics.qualityLimitationDurations
            qualityLimitationDurations.none = .zero
            framesSkipped = statistics.framesSkipped
        }
    }
}
