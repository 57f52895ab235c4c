public import RillCore
public import RillRTP

/// What a ``JitterBuffer`` wants done now.
public enum PollResult: Equatable, Sendable {
    /// Decode a frame: its bytes are in the array given to `poll`, what it is says ``JitterBuffer/releasedFrame``. Then
    /// poll again.
    case frame
    /// Send the stream's source a picture loss indication (RFC 4585 §6.3.1). Then poll again.
    case requestKeyFrame
    /// Send the stream's source a generic NACK (RFC 4585 §6.2.1) for ``JitterBuffer/requestedPackets``. Then poll again.
    case requestPackets
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
    /// When the frame was to be shown: when it was to be released, and the time that decoding usually takes. It may have
    /// been released later, never earlier.
    public var playoutTime: MediaTime
    /// The delay that the playout aimed at (W3C jitterBufferTargetDelay): from the fastest way that a frame had in the last
    /// minute to the moment of showing.
    public var targetDelay: MediaDuration
    /// Whether to show it; a frame that came so late that its successor is due already is only decoded.
    public var isShown: Bool
    /// Whether a packet of it was sent again, or made again from FEC packets.
    public var isRepaired: Bool
    /// Whether it was released more than 2 ms later than it was to be.
    public var isLate: Bool

    /// What stands where no frame was released yet.
    static func none(of settings: JitterBufferSettings) -> ReceivedFrame {
        ReceivedFrame(
            frame: EncodedFrame(
                codec: settings.codec, layer: StreamLayer(rid: settings.rid), number: -1, references: FrameReferences(),
                isKey: false, resolution: Resolution(width: 2, height: 2), captureTime: .zero, byteCount: 0),
            rtpTimestamp: RTPTimestamp(0), extendedTimestamp: 0, playoutTime: .zero, targetDelay: .zero, isShown: false,
            isRepaired: false, isLate: false)
    }
}
