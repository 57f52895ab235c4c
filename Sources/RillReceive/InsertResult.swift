public import RillRTP

/// What became of a packet that was put into a ``JitterBuffer``.
public enum InsertResult: Equatable, Sendable {
    /// It is held until its frame is played out or dropped.
    case queued
    /// It is held, and to make room for it that many frames, the oldest, were dropped. A key frame will be asked for.
    case queuedAfterOverflow(droppedFrames: Int)
    /// It carries padding alone: nothing to hold, but its number is not missing.
    case padding
    /// The same sequence number was there already.
    case duplicate
    /// Its frame was played out or dropped before; or it was sent again, and lies out of the ring's reach.
    case late
    /// Its sequence number or timestamp lies too far from those before it. It is kept aside; should the next such
    /// packet continue it, the stream has jumped, and both are queued as its new beginning.
    case onProbation
    /// Number, timestamp, start and marker contradict what the packets around it say.
    case inconsistent
    /// It is longer than ``JitterBufferSettings/maximumPacketByteCount``.
    case oversized(byteCount: Int)
    /// It belongs to another source.
    case wrongSSRC(SSRC)
    /// It carries something else than this stream's video.
    case wrongPayloadType(PayloadType)
    /// It is no RTP packet, or its payload no VP8.
    case malformed(RTPError)
}
