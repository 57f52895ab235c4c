public import RillCore

/// An action of ``WHIPClient/poll(at:)``.
public enum WHIPClientAction: Equatable, Sendable {
    /// Send a request. Pass the response to ``WHIPClient/insert(_:to:at:)``, or the reason of a failure to
    /// ``WHIPClient/fail(_:reason:at:)``, with this identifier. After `timeout` the response is ignored.
    case send(WHIPRequest, id: Int, timeout: MediaDuration)
    /// Take note.
    case event(WHIPClientEvent)
    /// Poll again at this time, or after the next input.
    case wait(until: MediaTime)
    /// Nothing will follow.
    case ended
}

/// An event of a ``WHIPClient``, in the order in which things happened.
public enum WHIPClientEvent: Equatable, Sendable {
    /// Make a new connection, and give its offer to ``WHIPClient/setOffer(_:at:)``.
    case offerNeeded
    /// The server has answered the offer.
    case answered(WHIPAnswer)
    /// The server has answered a restart of ICE: its former answer with new credentials and candidates.
    case restarted(answer: String)
    /// The server sends this layer from now on; `nil` for its own choice.
    case layerSelected(String?)
    /// The server does not select that layer, and why.
    case layerRefused(String?, WHIPClientError)
    /// The server does not take trickled candidates, and why.
    case candidatesRefused(WHIPClientError)
    /// The session is over, and why. End its connection: another attempt follows.
    case sessionLost(WHIPClientError)
    /// The next attempt is made after this time.
    case retrying(after: MediaDuration, WHIPClientError)
    /// It cannot be done, and why.
    case failed(WHIPClientError)
}

/// The answer of an endpoint (RFC 9725 §4.2).
public struct WHIPAnswer: Equatable, Sendable {
    /// The answer to our offer.
    public var text: String
    /// The session's URL, at which it is changed and ended; `nil` if the server has sent no `Location`. Then ICE is not
    /// restarted, no candidates are trickled, and the server does not learn of the end.
    public var session: String?
    /// The ICE servers that the endpoint suggests (RFC 9725 §4.6).
    public var iceServers: [ICEServer]
    /// Whether the endpoint lets viewers select a layer.
    public var selectsLayers: Bool

    /// An answer with these parts.
    public init(text: String, session: String?, iceServers: [ICEServer] = [], selectsLayers: Bool = false) {
        (self.text, self.session) = (text, session)
        (self.iceServers, self.selectsLayers) = (iceServers, selectsLayers)
    }
}

/// Times and credentials of a ``WHIPClient``.
public struct WHIPClientSettings: Equatable, Sendable {
    /// The bearer token (RFC 9725 §4.7); `nil` for none. It is sent to the endpoint's own origin, and to the session
    /// that the endpoint names, never to where the endpoint redirects.
    public var token: String?
    /// How long a response may take. 10 s.
    public var requestTimeout = MediaDuration.seconds(10)
    /// How long the end of a session may take. 3 s.
    public var closingTimeout = MediaDuration.seconds(3)
    /// How long it is tried without a connection, at the start and whenever one is lost; `nil` for as long as it takes.
    public var connectTimeout: MediaDuration?

    /// Settings with every value at its default.
    public init(token: String? = nil) { self.token = token }
}

/// The purpose of a ``WHIPClient``.
public enum WHIPPurpose: String, Hashable, Sendable {
    /// To publish a stream (WHIP).
    case publish
    /// To watch a stream (WHEP). A stream that is not published yet is waited for.
    case watch
}
