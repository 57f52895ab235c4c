public import RillCore
public import RillPeer
public import RillSession

/// What ``StreamForwarder/poll(at:into:)`` asks for.
public enum ForwardAction: Sendable {
    /// Send the datagram that was written.
    case transmit(on: ICEPath)
    /// Take note.
    case event(ForwardEvent)
    /// Poll again at this time, or after the next call.
    case wait(until: MediaTime)
}

/// An event of a ``StreamForwarder``, in the order in which things happened.
public enum ForwardEvent: Equatable, Sendable {
    /// Sections of a session's offer have no media, and why.
    case sectionsRejected(ForwardSession, [SectionRejection])
    /// A session is connected.
    case connected(ForwardSession)
    /// A publisher's first picture of a layer arrived.
    case firstPicture(ForwardSession, layer: String, Resolution)
    /// A viewer gets another layer from now on; the first one, too.
    case layerChanged(ForwardSession, to: String)
    /// A viewer gets nothing until it changes again: the publisher has gone over to this codec, which the viewer does
    /// not have.
    case codecUnavailable(ForwardSession, VideoCodec)
    /// A viewer gets nothing any more, because nobody reports on what is sent to it (RFC 8083 §4.1).
    case stopped(ForwardSession, CircuitBreak)
    /// It reports again, and gets the stream from the next key frame on.
    case resumed(ForwardSession)
    /// A session has ended.
    case ended(ForwardSession, ForwardEnd)
}

/// A session in events.
public struct ForwardSession: Equatable, Sendable {
    /// Its number.
    public var id: ICEPeerID
    /// The stream's name.
    public var stream: String
    /// Whether it publishes; otherwise it watches.
    public var isPublisher: Bool

    /// A session of a stream.
    public init(id: ICEPeerID, stream: String, isPublisher: Bool) {
        (self.id, self.stream, self.isPublisher) = (id, stream, isPublisher)
    }
}

/// Why a session has ended.
public enum ForwardEnd: Equatable, Sendable {
    /// Its own side asked for it, by signaling or in DTLS.
    case left
    /// Another publisher took its place.
    case replaced
    /// It was not connected yet, and another one needed its place.
    case evicted
    /// The connection failed.
    case failed(PeerError)
    /// A circuit breaker stopped what was sent to a viewer (RFC 8083 §4.2 to §4.4).
    case circuitBroken(CircuitBreak)
    /// The stream of a viewer has had no publisher for too long, or one with other codecs only.
    case streamEnded
    /// The forwarder was closed.
    case closed
}
