public import RillCore
public import RillRTP
public import RillReceive

/// What to do next, as ``RTPSession/poll(at:into:)`` returns it.
public enum SessionAction: Sendable {
    /// Send this datagram, whose bytes are in the array.
    case transmit(OutgoingPacket)
    /// Decode a frame of this stream, ``RTPSession/releasedFrame``, whose bytes are in the array, and report the
    /// outcome with ``RTPSession/finish(_:of:_:picture:decoded:at:)``. The stream releases no other frame before
    /// that.
    case decode(of: ReceivingStreamID)
    /// Play this payload of an audio stream, whose bytes are in the array. Payloads come in the order of arrival, each
    /// once; nothing has to be reported.
    case payload(of: ReceivingStreamID, ReceivedPayload)
    /// Encode one key frame of this stream, as soon as there is a picture for it.
    case makeKeyFrame(of: SendingStreamID)
    /// Something happened.
    case event(SessionEvent)
    /// Do nothing until that time or the next datagram.
    case wait(until: MediaTime)
}

/// What a datagram was, as ``RTPSession/insert(_:at:)`` returns it.
public enum SessionInsertResult: Equatable, Sendable {
    /// A packet of that stream, and what its jitter buffer did with it; `nil` for one that only helps to repair
    /// others.
    case media(of: ReceivingStreamID, InsertResult?)
    /// RTCP.
    case feedback
    /// Not for a session: another protocol (RFC 7983), or neither RTP nor RTCP.
    case other(DatagramKind)
    /// RTP of an SSRC that belongs to no stream, without identifiers of one. The session keeps no state for it.
    case unknownSource(SSRC)
    /// RTP that claims, by its identifiers or its payload type, a stream whose current SSRC is still active.
    case contradictory(SSRC)
    /// RTP with one of this session's own SSRCs: a collision, which is resolved, or our own packets coming back.
    case ownSource(SSRC)
    /// It looks like RTP by its first bytes, but is not an RTP packet.
    case malformed(RTPError)
}
