public import RillCore
public import RillRTP

/// What a ``JitterBuffer`` wants done now.
public enum PollResult: Sendable {
    /// Decode this frame; its bytes are in the array given to `poll`. Then poll again.
    case frame(ReceivedFrame)
    /// Send the stream's source a picture loss indication (RFC 4585 §6.3.1). Then poll again.
    case requestKeyFrame
    /// Nothing, until that time or the next packet, whichever comes first. `.distantFuture`: only a packet can change
    /// anything.
    case wait(until: MediaTime)
}

/// A frame that left a ``JitterBuffer`` in decode order, with all frames that it refers to before it.
public struct ReceivedFrame: Sendable {
    /// What the frame is: number, references, size, and the stamps `arrived`, `assembled` and `released`.
    ///
    /// The number follows the picture IDs where the sender gives them (so gaps are lost frames), else the order; it
    /// only ever grows. The capture time is the timestamp as a time, on the sender's media clock.
    public var frame: EncodedFrame
    /// The timestamp as it stood on the wire.
    public var rtpTimestamp: RTPTimestamp
    /// The timestamp without its wraparounds: the first packet's own 32 bits, counted on from there.
    public var extendedTimestamp: Int64
    /// When the frame was to be played out. It may have been released later, never earlier.
    public var playoutTime: MediaTime
    /// Whether to show it; a frame that came so late that its successor is due already is only decoded.
    public var isShown: Bool
}
