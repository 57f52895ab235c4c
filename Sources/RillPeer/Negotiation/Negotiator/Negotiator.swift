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
/// nothing.
public struct Negotiator: Sendable {
    /// What this side can do.
    public let settings: NegotiationSettings
    /// How far the exchange is.
    public private(set) var signalingState = SignalingState.stable
    /// The transceivers, in the order of their creation. Stopped ones stay until their section is used for another.
    public private(set) var transceivers: [Transceiver] = []
    /// The local description of the last complete exchange.
    public private(set) var currentLocalDescription: SessionDescription?
    /// The remote description of the last complete exchange.
    public private(set) var currentRemoteDescription: SessionDescription?
    /// The local description of the exchange under way.
    public private(set) var pendingLocalDescription: SessionDescription?
    /// The remote description of the exchange under way.
    public private(set) var pendingRemoteDescription: SessionDescription?

    /// Creates the negotiator of a connection.
    ///
    /// - Parameters:
    ///   - settings: what this side can do.
    ///   - seed: where the names and SSRCs come from.
    public init(_ settings: NegotiationSettings = NegotiationSettings(), seed: UInt64) {
        self.settings = settings
    }

    /// The pending local description, or the current one if none is pending.
    public var localDescription: SessionDescription? { pendingLocalDescription ?? currentLocalDescription }
    /// The pending remote description, or the current one if none is pending.
    public var remoteDescription: SessionDescription? { pendingRemoteDescription ?? currentRemoteDescription }
    /// Whether an offer of ours would change the session. False during an exchange.
    public var isNegotiationNeeded: Bool { false }

    /// Adds a transceiver.
    public mutating func addTransceiver(_ settings: TransceiverSettings) throws(NegotiationError) -> TransceiverID {
        throw .wrongState(signalingState, .offer, .local)
    }
    /// Changes the direction that this side wants. It takes effect with the next exchange.
    public mutating func setDirection(_ direction: MediaDirection, of id: TransceiverID) throws(NegotiationError) {}
    /// Changes the encodings. Once negotiated, their number and RIDs stay.
    public mutating func setSending(_ encodings: [SendingEncoding], of id: TransceiverID) throws(NegotiationError) {}
    /// Changes the RIDs under which we offer to receive a simulcast.
    public mutating func setReceivedRIDs(_ rids: [String], of id: TransceiverID) throws(NegotiationError) {}
    /// Changes the codecs to use.
    public mutating func setCodecPreferences(
        _ codecs: [RTPFormat.Encoding], of id: TransceiverID
    ) throws(NegotiationError) {}
    /// Stops a transceiver. It takes effect with the next exchange.
    public mutating func stop(_ id: TransceiverID) throws(NegotiationError) {}
    /// Ends everything.
    public mutating func close() { signalingState = .closed }

    /// Makes an offer. Nothing changes until it is set.
    public mutating func makeOffer(_ transport: LocalTransport) throws(NegotiationError) -> SessionDescription {
        throw .cannotMake(.offer, in: signalingState)
    }
    /// Makes an answer to the remote offer. Nothing changes until it is set.
    public mutating func makeAnswer(_ transport: LocalTransport) throws(NegotiationError) -> SessionDescription {
        throw .cannotMake(.answer, in: signalingState)
    }
    /// Sets a description that was made here.
    public mutating func setLocal(
        _ kind: DescriptionKind, _ description: SessionDescription = SessionDescription()
    ) throws(NegotiationError) -> NegotiationOutcome {
        throw .wrongState(signalingState, kind, .local)
    }
    /// Sets a description of the other side. Errors have no line: prefer the form that takes text.
    public mutating func setRemote(
        _ kind: DescriptionKind, _ description: SessionDescription = SessionDescription()
    ) throws(NegotiationError) -> NegotiationOutcome {
        throw .wrongState(signalingState, kind, .remote)
    }
    /// Sets a description of the other side. Errors name the line.
    public mutating func setRemote(
        _ kind: DescriptionKind, text: String
    ) throws(NegotiationError) -> NegotiationOutcome {
        throw .wrongState(signalingState, kind, .remote)
    }
    /// Takes a candidate that trickled in.
    ///
    /// - Parameters:
    ///   - text: the candidate; the empty text and `end-of-candidates` end them.
    ///   - mid: the MID of its section.
    ///   - index: the index of its section, which counts if there is no `mid`.
    ///   - usernameFragment: the generation that it belongs to, if known.
    /// - Returns: the candidate, or `nil` at the end of candidates.
    public mutating func addRemoteCandidate(
        _ text: String, mid: String?, index: Int? = nil, usernameFragment: String? = nil
    ) throws(NegotiationError) -> ICECandidateText? {
        throw .noRemoteDescription
    }
}
