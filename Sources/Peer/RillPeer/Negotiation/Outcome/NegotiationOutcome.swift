/// What became of a description that was set.
public struct NegotiationOutcome: Equatable, Sendable {
    /// The other side's transport; `nil` unless a remote description was set whose transport is new or changed, or has
    /// more candidates.
    public var remote: RemoteTransport?
    /// Whether the other side's credentials changed: ICE restarts.
    public var restartsICE = false
    /// Whether there is another DTLS association: the other side's fingerprints changed, or the section that describes
    /// the transport is another one.
    public var restartsDTLS = false
    /// Whether the section that describes the transport is another one. The credentials of ICE may be the same, and the
    /// path is another: browsers have other sockets then.
    public var movesTransport = false
    /// All sections, rejected ones left out, once an answer or provisional answer applies; `nil` if they are as before.
    public var sections: [NegotiatedSection]?
    /// Transceivers that the description created.
    public var addedTransceivers: [TransceiverID] = []
    /// Transceivers that a rollback removed.
    public var removedTransceivers: [TransceiverID] = []
    /// Transceivers that are now stopped.
    public var stoppedTransceivers: [TransceiverID] = []
    /// The sections of an offer that the answer will reject, or of an answer that are rejected, and why.
    public var rejections: [SectionRejection] = []
    /// Whether an offer was taken back: by a rollback, or an offer of ours because one of theirs arrived (RFC 9429
    /// §4.1.10.2).
    public var rolledBack = false

    init() {}
}

/// A section that has no media, and why.
public struct SectionRejection: Equatable, Sendable {
    /// The index of the section.
    public var index: Int
    /// Its MID, if it has one.
    public var mid: String?
    /// Why it is rejected.
    public var reason: Reason

    /// A rejection.
    public init(index: Int, mid: String?, reason: Reason) {
        self.index = index
        self.mid = mid
        self.reason = reason
    }

    /// Why a section is rejected.
    public enum Reason: Equatable, Sendable {
        /// The other side rejected it, or took it out of use.
        case rejectedByPeer
        /// The app stopped the transceiver.
        case stopped
        /// Its media type is not audio or video. Data channels are not supported yet.
        case kind(String)
        /// Its protocol is not `UDP/TLS/RTP/SAVPF`, or another name of it.
        case transport(String)
        /// RTP and RTCP would have ports of their own.
        case notMultiplexed
        /// It has no codec that this side has.
        case noCommonCodec
        /// It is outside the group of sections that share the transport.
        case notBundled
        /// There are as many streams as the settings allow.
        case tooManyStreams(limit: Int)
    }
}
