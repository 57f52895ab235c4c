public import RillCore
public import RillRTP
public import RillReceive
public import RillSession

/// What ``PeerConnection/poll(at:into:)`` asks for.
public enum PeerAction: Sendable {
    /// Send the datagram that was written.
    case transmit(on: ICEPath)
    /// Decode a frame of this stream, `session.releasedFrame`, whose bytes were written, and report the outcome with
    /// ``/RillSession/RTPSession/finish(_:of:_:picture:decoded:at:)``.
    case decode(of: ReceivingStreamID)
    /// Play this payload of a stream of sound, whose bytes were written, or pass it on. Payloads come in the order of
    /// arrival, each once.
    case payload(of: ReceivingStreamID, ReceivedPayload)
    /// Encode a key frame of this stream, as soon as there is a picture for it.
    case makeKeyFrame(of: SendingStreamID)
    /// Take note.
    case event(PeerEvent)
    /// Poll again at this time, or after the next call.
    case wait(until: MediaTime)
}

/// An event of a connection, in the order in which things happened.
public enum PeerEvent: Equatable, Sendable {
    /// The state changed.
    case stateChanged(from: PeerConnectionState, to: PeerConnectionState)
    /// Streams came, went, paused or resumed by negotiation: see ``PeerConnection/sendingStreams`` and
    /// ``PeerConnection/receivingStreams``.
    case streamsChanged
    /// The connection failed, and why. The state follows.
    case failed(PeerError)
    /// ICE: a path was found or lost.
    case ice(ICEEvent)
    /// The peer warned of something in DTLS. The connection goes on.
    case warning(DTLSAlert)
    /// A handshake is done with the right peer: packets may be protected.
    case keysAgreed
    /// The session: pictures, mutes, reports.
    case session(SessionEvent)
}

/// What became of a datagram.
public enum PeerInsertResult: Equatable, Sendable {
    /// It was STUN, or from an address that has not answered a check.
    case ice(ICEInsertResult)
    /// It was DTLS.
    case dtls(DTLSInsertResult)
    /// It was DTLS, from an address that has not answered a check yet: it is taken if the address does.
    case held
    /// It was RTP or RTCP of the session, decrypted.
    case media(SessionInsertResult)
    /// It is RTP or RTCP, still protected: a driver holds the media.
    case passed
    /// It was dropped.
    case dropped(PeerDropReason)
}

/// Why a datagram from a validated address was dropped.
public enum PeerDropReason: Hashable, Sendable {
    /// RTP or RTCP before the handshake was done with the right peer, or before anything was negotiated.
    case noKeys
    /// SRTP refused it: forged, damaged, or seen before.
    case refused(UnprotectOutcome)
    /// It came before its address answered a check, and is not the beginning of a handshake, or others wait already.
    case early
    /// DTLS, before it is known which side begins.
    case noRole
    /// Neither STUN, DTLS, RTP nor RTCP.
    case unknownProtocol(DatagramKind)
    /// The connection is closed.
    case closed
}
