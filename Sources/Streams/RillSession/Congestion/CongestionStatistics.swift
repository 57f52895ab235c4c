import RillCongestion
import RillCore

/// What a session's congestion control does, with the names of W3C webrtc-stats where they exist.
public struct CongestionStatistics: Codable, Equatable, Sendable {
    // MARK: RTCIceCandidatePairStats

    /// The estimate of what the path carries, in bits per second, with all headers.
    public var availableOutgoingBitrate = 0

    // MARK: RTCOutboundRtpStreamStats

    /// The time that packets waited to leave, summed over all packets, in seconds.
    public var totalPacketSendDelay = 0.0

    // MARK: Rill's own

    /// What the bitrate follows.
    public var rateFeedback = RateFeedback.none
    /// The packets that wait to leave now.
    public var packetsWaiting = 0
    /// The bytes that left and that no feedback has reported yet.
    public var bytesInFlight = 0
    /// How often the bitrate was cut because of overload.
    public var cuts = 0
    /// Probes of whether the path carries more.
    public var probes = 0
    /// Packets that were dropped before they left: after a cut, or because too many waited.
    public var packetsDiscarded = 0
    /// Reports of packets in feedback that could not be used: never sent, or forgotten.
    public var refusedReports = 0

    /// Statistics of a session that has not sent anything.
    public init() {}
}

extension SessionCongestion {
    var statistics: CongestionStatistics {
        var statistics = CongestionStatistics()
        statistics.availableOutgoingBitrate = estimate.rate.bitsPerSecond
        statistics.totalPacketSendDelay = waiting.totalDelay.seconds
        statistics.rateFeedback = rateFeedback
        statistics.packetsWaiting = waiting.count
        statistics.bytesInFlight = bytesInFlight
        statistics.cuts = estimate.cutCount
        statistics.probes = estimate.probeCount
        statistics.packetsDiscarded = packetsDiscarded + waiting.dropped
        let refusals = history.refusals
        statistics.refusedReports = refusals.neverSent + refusals.forgotten
        return statistics
    }
}

extension CongestionStatistics: CustomStringConvertible {
    /// The nonzero values by name.
    public var description: String { countedText(self) }
}
