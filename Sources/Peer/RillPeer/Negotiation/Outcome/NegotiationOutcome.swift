public import RillRTP

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
        /// It has no codec that this side has: the names of both, and the parameters of those that differ by them only.
        case noCommonCodec(offered: [String], supported: [String])
        /// It is outside the group of sections that share the transport.
        case notBundled
        /// There are as many streams as the settings allow.
        case tooManyStreams(limit: Int)
        /// There are as many sections of this kind as this side receives.
        case tooManySections(MediaDescription.Kind, limit: Int)
    }
}

extension SectionRejection: CustomStringConvertible {
    /// The section and the reason: `section 1, mid "1": …`.
    public var description: String { "\(DescriptionPlace(section: index, mid: mid))\(reason)" }
}

extension SectionRejection.Reason: CustomStringConvertible {
    /// A clause that says what to change.
    public var description: String {
        switch self {
        case .rejectedByPeer: "the other side rejects it with port 0"
        case .stopped: "its transceiver is stopped"
        case .kind(let kind): "\(kind.prefix(40)) is neither audio nor video"
        case .transport(let name): "the protocol is \(name.prefix(40)), and must be UDP/TLS/RTP/SAVPF"
        case .notMultiplexed: "RTP and RTCP must share a port: add a=rtcp-mux"
        case .noCommonCodec([], let supported): "it names no codec; supported are \(supported.joined(separator: ", "))"
        case .noCommonCodec(let offered, let supported):
            "it has \(offered.joined(separator: ", ")); supported are \(supported.joined(separator: ", "))"
        case .notBundled: "it is outside the group of sections that share a transport: add its MID to a=group:BUNDLE"
        case .tooManyStreams(let limit): "there are more than \(limit) streams"
        case .tooManySections(let kind, let limit):
            "this side takes \(kind.rawValue) of \(limit) earlier section\(limit == 1 ? "" : "s") only"
        }
    }
}

/// What both sides agreed on for one media section.
public struct NegotiatedSection: Equatable, Sendable {
    /// Its transceiver.
    public var transceiver: TransceiverID
    /// Its MID.
    public var mid: String
    /// Its index in the descriptions.
    public var index: Int
    /// Audio or video.
    public var kind: MediaDescription.Kind
    /// The direction, as this side sees it.
    public var direction: MediaDirection
    /// The streams that we send, the highest layer first: each has the RID of its encoding, or none if only the first
    /// encoding is sent. The payload types are those of the remote description. Empty if we do not send.
    public var sending: [StreamDescription]
    /// The streams that we receive, in the order of the other side. The payload types are those of the local
    /// description. Empty if we do not receive.
    public var receiving: [StreamDescription]
    /// All formats that both have, with the payload types of the local description, preferred first: packets of each
    /// may arrive. The first that is not for repair is the one in `receiving`.
    public var formats: [RTPFormat]
    /// The same formats with the payload types of the remote description: packets of each may be sent.
    public var remoteFormats: [RTPFormat]
    /// The most that the other side wants to receive in this section, in bits per second (b=TIAS, or b=AS); `nil` for
    /// any.
    public var maximumBitrate: Int?
}
