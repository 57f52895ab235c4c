import RillCore
public import RillRTP
package import RillReceive
public import RillSession

/// The settings of a ``PeerMedia``.
package struct PeerMediaSettings: Sendable {
    /// How packets are protected.
    package enum Protection: Sendable {
        /// Not at all: packets leave and enter as they are.
        case none
        /// By keys. Before they are set, nothing leaves or enters.
        case keys
    }

    package var protection: Protection
    /// CNAME.
    package var canonicalName = "rill"
    /// The wall clock's time at `MediaTime.zero`.
    package var wallClockAtZero = NTPTimestamp.unixEpoch
    /// How what is sent adapts to the network, if the other side gives feedback; `nil` for not at all.
    package var congestion: CongestionSettings?
    /// How long frames that are received wait before they are decoded.
    package var playoutDelay = PlayoutDelayBounds.adaptive
    /// Whether frames that are received may be encrypted, and are not to be read: see
    /// ``RillReceive/JitterBufferSettings/isOpaque``.
    package var isOpaque = false
    /// When the other side counts as interrupted, and as lost.
    package var timeouts = SilenceTimeouts()
    /// Whether feedback may be sent without a report (RFC 5506); `nil` for what the streams say.
    package var usesReducedSizeRTCP: Bool?
    /// Whether the other side sends reception reports.
    package var expectsReports = true
    /// The seed of SSRCs, first numbers and the times of reports.
    package var seed: UInt64

    package init(protection: Protection, seed: UInt64 = .random(in: 0 ... .max)) {
        (self.protection, self.seed) = (protection, seed)
    }
}

extension RTPSessionSettings {
    /// The settings that the first sections of a peer require.
    init(_ media: PeerMediaSettings, _ sections: [NegotiatedSection], seed: UInt64) {
        let streams = sections.flatMap { $0.sending + $0.receiving }
        self.init(canonicalName: media.canonicalName, seed: seed)
        wallClockAtZero = media.wallClockAtZero
        usesReducedSizeRTCP =
            media.usesReducedSizeRTCP ?? (!streams.isEmpty && streams.allSatisfy(\.usesReducedSizeRTCP))
        signalsMute = streams.contains { $0.feedback.contains(.pause) }
        (timeouts, expectsReports) = (media.timeouts, media.expectsReports)
        guard var congestion = media.congestion else { return }
        if !expectsReports { congestion.useUpperBound() }
        // Without feedback of packets, the bitrate follows receiver reports.
        if let stream = streams.first { congestion.negotiate(stream) } else { congestion.feedback = nil }
        if media.protection == .keys { congestion.packetOverhead += RTPSessionSettings.protectionOverhead }
        self.congestion = congestion
    }

    /// The tag of GCM, which SRTP adds to each packet, in bytes. That of HMAC-SHA1 has 10.
    private static var protectionOverhead: Int { 16 }
}

/// A stream that is sent, as it was negotiated.
public struct PeerSendingStream: Equatable, Sendable {
    /// Its number in the session.
    public let id: SendingStreamID
    /// Its transceiver.
    public let transceiver: TransceiverID
    /// What was negotiated: codec, RID, limits.
    public internal(set) var description: StreamDescription
    /// Whether frames are wanted: not if the section's direction excludes them, or the layer is paused.
    public internal(set) var isActive: Bool
}

/// A stream that is received, as it was negotiated.
public struct PeerReceivingStream: Equatable, Sendable {
    /// Its number in the session.
    public let id: ReceivingStreamID
    /// Its transceiver.
    public let transceiver: TransceiverID
    /// What was negotiated: codec, RID, limits.
    public internal(set) var description: StreamDescription
    /// Whether the other side may send it now.
    public internal(set) var isActive: Bool
}

extension NegotiatedSection {
    /// The streams of a peer without negotiation, which its description, or an agreement of its own, names: as one
    /// section.
    package init(sending: [StreamDescription], receiving: [StreamDescription]) {
        self.init(
            transceiver: TransceiverID(rawValue: 0), mid: "", index: 0, kind: .video, direction: .sendAndReceive,
            sending: sending, receiving: receiving, formats: [], remoteFormats: [])
    }
}
