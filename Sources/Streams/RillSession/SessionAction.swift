public import RillCore
public import RillRTP
public import RillReceive
public import RillSend

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
    /// RTP that claims, by its identifiers or its payload type, a stream whose current SSRC was active a moment ago.
    /// Packets of video are held: if the current SSRC stays silent, the stream continues with them.
    case contradictory(SSRC)
    /// RTP with one of this session's own SSRCs: a collision, which is resolved, or our own packets coming back.
    case ownSource(SSRC)
    /// It looks like RTP by its first bytes, but is not an RTP packet.
    case malformed(RTPError)
}

/// An event of a session.
///
/// Each is reported once, in order.
public enum SessionEvent: Equatable, Sendable {
    /// The first packet arrived from the remote side.
    case connected(at: MediaTime)
    /// No packet of any kind has arrived for ``SilenceTimeouts/interrupted``.
    case interrupted(at: MediaTime)
    /// No packet of any kind has arrived for ``SilenceTimeouts/lost``. Later packets are still accepted:
    /// ``reconnected(after:)``.
    case lost(at: MediaTime)
    /// Packets arrive again after a silence of this length.
    case reconnected(after: MediaDuration)
    /// The remote side announced that it leaves, with the reason if it gave one (RFC 3550 §6.6).
    case left(reason: String?)
    /// The remote side sends again after it left.
    case restarted(at: MediaTime)
    /// The session has ended, for that reason, and the remote side was sent a BYE. Nothing is sent or accepted any
    /// more.
    case failed(SessionError)

    /// The first picture of a stream was decoded: its size, and the time since the stream was added.
    case firstPicture(of: ReceivingStreamID, Resolution, after: MediaDuration)
    /// A picture was decoded whose size differs from the previous one.
    case sizeChanged(of: ReceivingStreamID, Resolution)
    /// The stream arrives under another of its RIDs (RFC 8853 §5.1).
    case layerChanged(of: ReceivingStreamID, StreamIdentifier)
    /// The remote side paused this stream, according to signaling, ``RTPSession/setMuted(_:of:)``, or its RTCP
    /// (PAUSED, RFC 7728 §8.2).
    case muted(ReceivingStreamID)
    /// The remote side resumed the stream.
    case unmuted(ReceivingStreamID)
    /// The stream's source announced its end.
    case ended(ReceivingStreamID)
    /// The stream arrives under another SSRC than before.
    case sourceChanged(of: ReceivingStreamID, from: SSRC, to: SSRC)
    /// That many packets were NACKed; repetitions within a round trip are not reported.
    case packetsRequested(of: ReceivingStreamID, count: Int)
    /// A key frame was requested from the sender.
    case keyFrameRequested(of: ReceivingStreamID)

    /// The remote side paused a stream that is sent (PAUSE, RFC 7728 §8.1), or signaling did. Nothing is sent on it,
    /// and its encoder may rest.
    case pauseRequested(of: SendingStreamID)
    /// The remote side resumed the stream (RESUME). It restarts with the requested key frame:
    /// ``SessionAction/makeKeyFrame(of:)``.
    case resumeRequested(of: SendingStreamID)

    /// A circuit breaker opened (RFC 8083): nothing is sent on the stream any more. ``sendingResumed(of:)`` follows if
    /// a report shows that the reason is gone, the path changes, or the app mutes the stream and resumes it.
    case sendingStopped(of: SendingStreamID, CircuitBreak)
    /// The stream resumes, and restarts with the requested key frame: ``SessionAction/makeKeyFrame(of:)``.
    case sendingResumed(of: SendingStreamID)
    /// Feedback for a stream that is sent.
    case feedback(of: SendingStreamID, StreamFeedback)
    /// The remote side chose the same SSRC. The stream now has a new one with new sequence numbers, and restarts with
    /// a key frame. The app may need to signal it (RFC 3550 §8.2).
    case collision(of: SendingStreamID, from: SSRC, to: SSRC)
    /// Congestion control follows other feedback of the remote side than before: see ``RateFeedback``.
    case rateFeedbackChanged(RateFeedback)
    /// The remote side's estimate of the available bitrate (REMB), in bits per second, at most 63 bits wide.
    case maximumBitrateEstimated(bitsPerSecond: UInt64)
    /// A whole packet of transport-wide feedback or of congestion control feedback (RFC 8888), for a bitrate controller
    /// of the app: the session itself does not follow it.
    case transportFeedback([UInt8])
}
