public import RillCore
public import RillPeer
public import RillRTP
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
    /// A publisher's first picture of a layer arrived. Its size is `nil` if the picture is encrypted, and neither its
    /// packets nor its first bytes tell it.
    case firstPicture(ForwardSession, layer: String, Resolution?)
    /// Packets of a publisher's layer arrive, but no picture that can be forwarded, although key frames were requested
    /// for two seconds. They are damaged, or encrypted so that neither packets nor first bytes tell key frames. Its
    /// ``firstPicture(_:layer:_:)`` may still come.
    case unreadable(ForwardSession, layer: String)
    /// Somebody gets another layer of a stream from now on; the first one, and the one after a pause, too.
    case layerChanged(ForwardSession, to: String)
    /// A member gets no pictures of a stream: its network does not carry them beside what is more important. They
    /// return by themselves.
    case paused(ForwardSession)
    /// A member's slot, a section of its session, shows another stream from now on, or has its sound; `nil` for none.
    case slotChanged(ForwardSession, mid: String, kind: MediaDescription.Kind, shows: String?)
    /// Another member of a room speaks: the stream that it publishes; `nil` once that has ended, until somebody speaks.
    case speakerChanged(room: String, to: String?)
    /// Nobody wants a layer of a publisher's, and has not for 5 s: it need not be sent. A publisher that follows
    /// requests to pause (RFC 7728) was asked instead of this event. The smallest layer is always wanted.
    case layerUnwanted(ForwardSession, layer: String)
    /// Somebody wants a layer again of which ``layerUnwanted(_:layer:)`` was the last event: it is to begin with a key
    /// frame.
    case layerWanted(ForwardSession, layer: String)
    /// The forwarder's thread is late, or is in time again, and leaves out more or less.
    case overloadChanged(to: OverloadLevel)
    /// Somebody gets nothing of a stream until it changes again: the publisher has gone over to this codec, which they
    /// do not have.
    case codecUnavailable(ForwardSession, VideoCodec)
    /// A session is sent nothing any more, because nobody reports on what is sent (RFC 8083 §4.1).
    case stopped(ForwardSession, CircuitBreak)
    /// It reports again, and gets its streams from their next key frames on.
    case resumed(ForwardSession)
    /// A session has ended.
    case ended(ForwardSession, ForwardEnd)
}

/// A session in events.
public struct ForwardSession: Equatable, Sendable {
    /// Its number.
    public var id: ICEPeerID
    /// The name of the stream that is spoken of; where it is the session alone, that under which it came.
    public var stream: String
    /// Whether it came to publish, or as a member; otherwise it watches.
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
