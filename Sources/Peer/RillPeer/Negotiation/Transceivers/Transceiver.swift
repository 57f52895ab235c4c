public import RillRTP

/// Identifies a transceiver of one ``Negotiator``; no number is used twice.
public struct TransceiverID: Hashable, Sendable {
    /// The number.
    public let rawValue: Int

    init(rawValue: Int) { self.rawValue = rawValue }
}

extension TransceiverID: CustomStringConvertible {
    /// The number: `transceiver 3`.
    public var description: String { "transceiver \(rawValue)" }
}

/// What is sent and received by one media section: W3C's `RTCRtpTransceiver` (RFC 9429 §3.4.1).
public struct Transceiver: Equatable, Sendable, Identifiable {
    /// Its identity.
    public let id: TransceiverID
    /// Audio or video.
    public let kind: MediaDescription.Kind
    /// The MID of its section; `nil` as long as it has none.
    public internal(set) var mid: String?
    /// The index of its section; `nil` as long as it has none.
    public internal(set) var index: Int?
    /// What this side wants.
    public internal(set) var direction: MediaDirection
    /// What both agreed on; `nil` before the first answer.
    public internal(set) var currentDirection: MediaDirection?
    /// Whether the app stopped it. The section stays until the next exchange.
    public internal(set) var isStopping = false
    /// What is sent, the highest layer first; one without a RID if there is no simulcast. An answer removes those that
    /// it leaves out, for good.
    public internal(set) var sending: [SendingEncoding]
    /// The RIDs under which we offer to receive a simulcast, the highest layer first.
    public internal(set) var receivedRIDs: [String]
    /// The RIDs under which a simulcast was last received. Offers of ours keep them, also if an offer of the other
    /// side's began it.
    var agreedRIDs: [String] = []
    /// The RIDs under which encodings were last sent. Offers of ours keep them.
    var agreedSendingRIDs: [String] = []
    /// The codecs to use, preferred first; empty for those of the settings, in their order.
    public internal(set) var codecPreferences: [RTPFormat.Encoding]
    /// The media stream and track that we say our media belongs to.
    public internal(set) var localStreams: [MediaStreamName]
    /// The media streams and tracks that the other side says its media belongs to.
    public internal(set) var remoteStreams: [MediaStreamName] = []
    /// Whether an offer's new section of that kind may take it (RFC 9429 §5.10).
    public internal(set) var answersOffers: Bool

    /// The SSRCs of each encoding: drawn once, and then kept.
    var sources: [EncodingSources] = []
    /// Whether the app changed something that only an offer can tell.
    var needsOffer = false
    /// Whether an offer of the other side created it.
    var isRemote = false
    /// The RIDs of the encodings before an offer renamed them.
    var ridsBeforeOffer: [String?]?
}

/// The SSRCs of an encoding.
struct EncodingSources: Equatable, Sendable {
    var ssrc: SSRC
    var retransmission: SSRC
}

/// The initial properties of a transceiver.
public struct TransceiverSettings: Equatable, Sendable {
    /// Audio or video.
    public var kind: MediaDescription.Kind
    /// What this side wants.
    public var direction: MediaDirection
    /// What is sent, the highest layer first. Several need RIDs.
    public var sending: [SendingEncoding] = [SendingEncoding()]
    /// The RIDs under which we offer to receive a simulcast, the highest layer first.
    public var receivedRIDs: [String] = []
    /// The codecs to use, preferred first; empty for those of the settings, in their order.
    public var codecPreferences: [RTPFormat.Encoding] = []
    /// The media streams that our media belongs to; by default one that is drawn.
    public var streams: [MediaStreamName]?
    /// Whether a new section of the other side's may take this transceiver, as W3C's `addTrack` has it; otherwise it
    /// waits for an offer of ours, as with `addTransceiver`.
    public var answersOffers = true

    /// A transceiver of a kind, with the defaults otherwise.
    public init(_ kind: MediaDescription.Kind, _ direction: MediaDirection = .sendAndReceive) {
        self.kind = kind
        self.direction = direction
    }
}

/// One layer of what is sent: W3C's `RTCRtpEncodingParameters`.
public struct SendingEncoding: Equatable, Sendable {
    /// The RID of the layer; `nil` without simulcast.
    public var rid: String?
    /// Whether it is sent. An inactive layer is negotiated, and paused.
    public var isActive: Bool
    /// The limits of the layer, written as restrictions of its RID.
    public var limits: StreamDescription.Limits

    /// A layer.
    public init(rid: String? = nil, isActive: Bool = true, limits: StreamDescription.Limits = .init()) {
        self.rid = rid
        self.isActive = isActive
        self.limits = limits
    }
}

/// a=msid: a media stream and a track (RFC 8830 §2).
public struct MediaStreamName: Hashable, Sendable {
    /// The name of the media stream; `-` for none.
    public var stream: String
    /// The name of the track; `nil` if it has none.
    public var track: String?

    /// A media stream and a track: 1 to 64 bytes each, of letters, digits and punctuation except quotes, colons,
    /// brackets and slashes.
    public init(stream: String, track: String? = nil) {
        self.stream = stream
        self.track = track
    }
}

extension SendingEncoding {
    /// How many layers a transceiver may send, or receive.
    static let maximumCount = 16
}

extension Transceiver {
    /// Checks the encodings and RIDs of a transceiver.
    ///
    /// The names of what is sent and of what is received differ: a=rid lines of a section have different names.
    static func check(_ sending: [SendingEncoding], receivedRIDs: [String]) throws(NegotiationError) {
        guard (1...SendingEncoding.maximumCount).contains(sending.count) else {
            throw .invalidEncodings(.count(sending.count))
        }
        guard receivedRIDs.count <= SendingEncoding.maximumCount else {
            throw .invalidEncodings(.count(receivedRIDs.count))
        }
        var seen: Set<String> = []
        for rid in sending.compactMap(\.rid) + receivedRIDs {
            guard StreamDescription.isRID(rid) else { throw .invalidEncodings(.invalidRID(rid)) }
            guard seen.insert(rid).inserted else { throw .invalidEncodings(.duplicateRID(rid)) }
        }
        guard sending.count == 1 || sending.allSatisfy({ $0.rid != nil }) else {
            throw .invalidEncodings(.missingRID)
        }
    }
}
