public import RillCore
public import RillRTP
public import RillSend

/// Something that happened in a call. Each is told once, in the order in which it happened.
public enum SessionEvent: Equatable, Sendable {
    /// The first packet came from the other side.
    case connected(at: MediaTime)
    /// No packet of any kind has come for ``RTPSessionSettings/interruptedAfter``.
    case interrupted(at: MediaTime)
    /// No packet of any kind has come for ``RTPSessionSettings/lostAfter``. What comes later is still taken: ``back(after:)``.
    case lost(at: MediaTime)
    /// Packets come again, after so long a silence.
    case reconnected(after: MediaDuration)
    /// The other side said that it leaves, and why if it said so (RFC 3550 §6.6).
    case left(reason: String?)
    /// Who had left sends again.
    case restarted(at: MediaTime)

    /// The first picture of a stream was decoded: its size, and how long after the stream was added.
    case firstPicture(of: ReceivingStreamID, Resolution, after: MediaDuration)
    /// A picture of another size than the one before was decoded.
    case sizeChanged(of: ReceivingStreamID, Resolution)
    /// The stream comes under another of its names (RFC 8853 §5.1).
    case layerChanged(of: ReceivingStreamID, StreamIdentifier)
    /// The other side sends nothing on this stream for a while, as signalling said, ``RTPSession/setMuted(_:of:)``, or its RTCP
    /// (PAUSED, RFC 7728 §8.2).
    case muted(ReceivingStreamID)
    /// It sends again.
    case unmuted(ReceivingStreamID)
    /// The stream's source has said that it ends.
    case ended(ReceivingStreamID)
    /// The stream comes from another source than before.
    case sourceChanged(of: ReceivingStreamID, from: SSRC, to: SSRC)
    /// The sender was asked for that many packets; repetitions within a round trip are not told.
    case packetsRequested(of: ReceivingStreamID, count: Int)
    /// The sender was asked for a key frame.
    case keyFrameRequested(of: ReceivingStreamID)

    /// The other side wants nothing of a stream that is sent (PAUSE, RFC 7728 §8.1), or signalling said so: nothing is sent on it, and its
    /// encoder may rest.
    case pauseRequested(of: SendingStreamID)
    /// It wants the stream again (RESUME), which begins with the key frame that is asked for: ``SessionAction/makeKeyFrame(of:)``.
    case resumeRequested(of: SendingStreamID)

    /// What was said of a stream that is sent.
    case feedback(of: SendingStreamID, StreamFeedback)
    /// The other side has chosen the same source: the stream has another one now, with numbers of its own, and begins again with
    /// a key frame. The app may want to signal it (RFC 3550 §8.2).
    case collision(of: SendingStreamID, from: SSRC, to: SSRC)
    /// The other side's estimate of what the path carries (REMB), in bits a second, 63 bits at the most.
    case maximumBitrateEstimated(bitsPerSecond: UInt64)
    /// A packet of transport-wide feedback, whole, for whoever controls the rate.
    case transportFeedback([UInt8])
}
