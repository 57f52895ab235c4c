public import RillRTP

/// The outcome of inserting a packet into a ``JitterBuffer``.
public enum InsertResult: Equatable, Sendable {
    /// The packet is held until its frame is played out or dropped.
    case queued
    /// The packet is held, and that many of the oldest frames were dropped to make room for it. A key frame will be
    /// requested.
    case queuedAfterOverflow(droppedFrames: Int)
    /// The packet only carries padding: there is nothing to hold, but its sequence number is not missing.
    case padding
    /// The same sequence number was already received.
    case duplicate
    /// The packet's frame was already played out or dropped, or it was retransmitted and is outside the ring.
    case late
    /// The packet's sequence number or timestamp is too far from the previous ones. It is kept aside. If the next
    /// such packet continues it, the stream has jumped, and both are queued as its new start.
    case onProbation
    /// Sequence number, timestamp, start and marker bit contradict the surrounding packets.
    case inconsistent
    /// The packet is longer than ``JitterBufferSettings/maximumPacketByteCount``.
    case oversized(byteCount: Int)
    /// The packet has another SSRC.
    case wrongSSRC(SSRC)
    /// The packet carries something other than this stream's video.
    case wrongPayloadType(PayloadType)
    /// The bytes are not an RTP packet, or the payload is not valid for the codec.
    case malformed(RTPError)
}
