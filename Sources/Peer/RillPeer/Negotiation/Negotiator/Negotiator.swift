import RillCore
public import RillRTP

/// Offers and answers of one connection by JSEP (RFC 9429), in unified plan.
///
/// ```swift
/// var negotiator = Negotiator(NegotiationSettings(), seed: .random(in: 0...UInt64.max))
/// let outcome = try negotiator.setRemote(.offer, text: offer)
/// let answer = try negotiator.makeAnswer(transport)
/// let sections = try negotiator.setLocal(.answer, answer).sections
/// ```
///
/// A plain value: it does no I/O, has no clock, and its randomness follows from the seed. A method that throws changes
/// nothing. All sections share one transport (BUNDLE, RFC 9143), and RTP and RTCP one port (RFC 5761).
///
/// What an offer has and this side has not, such as data channels or unknown codecs, is answered with port 0; the
/// outcome says why. A description that contradicts itself or the session is an error, which names the line.
public struct Negotiator: Sendable {
    /// What this side can do.
    public let settings: NegotiationSettings
    /// How far the exchange is.
    public internal(set) var signalingState = SignalingState.stable
    /// The transceivers, in the order of their creation. Those that an answer stops are removed.
    public internal(set) var transceivers: [Transceiver] = []
    /// The local description of the last complete exchange.
    public internal(set) var currentLocalDescription: SessionDescription?
    /// The remote description of the last complete exchange.
    public internal(set) var currentRemoteDescription: SessionDescription?
    /// The local description of the exchange under way.
    public internal(set) var pendingLocalDescription: SessionDescription?
    /// The remote description of the exchange under way.
    public internal(set) var pendingRemoteDescription: SessionDescription?
    /// What was agreed on last: the sections that have media.
    public internal(set) var sections: [NegotiatedSection] = []
    /// The sections that have no media by the last exchange, and why.
    public internal(set) var rejections: [SectionRejection] = []
    /// The transport of the other side, as last described.
    public internal(set) var remoteTransport: RemoteTransport?

    /// The section of the remote description that describes its transport.
    var transportIndex: Int?
    /// The transport of our last description that was set.
    var localTransport: LocalTransport?
    /// The MID of the section that described the transport for all when something was agreed on last (RFC 9143 §7).
    var taggedMID: String?
    /// Whether the current local description is the answer of its exchange.
    var isAnswerer = false
    /// The credentials of the last complete exchange: ours and theirs.
    var agreedCredentials: (local: ICECredentials, remote: ICECredentials)?
    var numbering = Numbering()
    var generator: SeededGenerator
    /// What a rollback returns to; `nil` in the stable state.
    var checkpoint: Checkpoint?
    /// The last description that was made.
    var draft: Draft?
    /// The version of the last description that was made.
    var version: UInt64 = 1
    var transceiverCount = 0
    let sessionID: UInt64
    let canonicalName: String
    /// The media stream that our media belongs to unless the app names one: audio and video are in step.
    let streamName: String

    /// Creates the negotiator of a connection.
    ///
    /// - Parameters:
    ///   - settings: what this side can do.
    ///   - seed: where the names and SSRCs come from.
    public init(_ settings: NegotiationSettings = NegotiationSettings(), seed: UInt64) {
        self.settings = settings
        generator = SeededGenerator(seed: seed)
        // RFC 9429 §5.2.1: 63 bits.
        sessionID = generator.next() >> 1
        let name = ICECharacters.random(count: 16, using: &generator)
        canonicalName = settings.canonicalName ?? name
        streamName = Negotiator.drawName(using: &generator)
    }

    /// The pending local description, or the current one if none is pending.
    public var localDescription: SessionDescription? { pendingLocalDescription ?? currentLocalDescription }
    /// The pending remote description, or the current one if none is pending.
    public var remoteDescription: SessionDescription? { pendingRemoteDescription ?? currentRemoteDescription }

    /// Ends everything.
    public mutating func close() {
        signalingState = .closed
        draft = nil
        checkpoint = nil
    }

    /// 32 hexadecimal digits: the token that a=msid needs (RFC 8830 §2).
    static func drawName(using generator: inout SeededGenerator) -> String {
        (0..<2).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

/// What a rollback returns to.
struct Checkpoint: Sendable {
    var transceivers: [Transceiver]
    var numbering: Numbering
    var remoteTransport: RemoteTransport?
    var transportIndex: Int?
    var localTransport: LocalTransport?
}

/// A local description that was made and may be set.
struct Draft: Sendable {
    var isOffer: Bool
    var description: SessionDescription
    var transport: LocalTransport
    /// The section and the MID of each transceiver that has one.
    var places: [TransceiverID: Place] = [:]

    /// A section and its MID.
    struct Place: Sendable {
        var index: Int
        var mid: String
    }
}
