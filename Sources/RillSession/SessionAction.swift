public import RillCore
public import RillRTP
public import RillReceive

/// What a session wants done: what ``RTPSession/poll(at:into:)`` says.
public enum SessionAction: Sendable {
    /// Send this datagram, whose bytes were put into the array.
    case transmit(OutgoingPacket)
    /// Decode a frame of this stream, ``RTPSession/releasedFrame``, whose bytes were put into the array, and say with
    /// ``RTPSession/finish(_:of:_:picture:decoded:at:)`` what came of it; the stream gives no other before.
    case decode(of: ReceivingStreamID)
    /// Make one key frame of this stream, as soon as there is a picture for it.
    case makeKeyFrame(of: SendingStreamID)
    /// Something happened.
    case event(SessionEvent)
    /// Nothing before that time or the next datagram.
    case wait(until: MediaTime)
}

/// What a datagram was to a session: what ``RTPSession/insert(_:at:)`` says.
public enum SessionInsertResult: Equatable, Sendable {
    /// A packet of that stream, and what its jitter buffer did with it; `nil` for one that only helps to repair others.
    case media(of: ReceivingStreamID, InsertResult?)
    /// RTCP.
    case feedback
    /// Nothing for a session: another protocol's (RFC 7983), or neither RTP nor RTCP.
    case other(DatagramKind)
    /// RTP of a source that belongs to no stream and bears no name of one. No note is taken of the source.
    case unknownSource(SSRC)
    /// RTP of a source that would take the place of one whose packets are coming: by the names that it bears, or by its payload
    /// type.
    case contradictory(SSRC)
    /// RTP of a source of this session's own: a collision, which is resolved, or our own packets coming back.
    case ownSource(SSRC)
    /// By its first bytes RTP, but not an RTP packet.
    case malformed(RTPError)
}
