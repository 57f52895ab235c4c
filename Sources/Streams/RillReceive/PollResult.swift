public import RillCore
public import RillRTP

/// What to do next, as ``JitterBuffer`` returns it.
public enum PollResult: Equatable, Sendable {
    /// Decode a frame: its bytes are in the array passed to `poll`, its description is
    /// ``JitterBuffer/releasedFrame``. Then poll again.
    case frame
    /// Send a picture loss indication to the sender (RFC 4585 §6.3.1). Then poll again.
    case requestKeyFrame
    /// Send a generic NACK for ``JitterBuffer/requestedPackets`` to the sender (RFC 4585 §6.2.1). Then poll again.
    case requestPackets
    /// Do nothing until that time or the next packet, whichever is first. `.distantFuture`: only a packet can change
    /// anything.
    case wait(until: MediaTime)
}

/// A frame that left a ``JitterBuffer`` in decode order, after all frames that it refers to.
public struct ReceivedFrame: Sendable {
    /// The frame's description: number, references, size, and the timestamps `arrived`, `assembled` and `released`.
    ///
    /// The number follows the picture IDs if the sender sends them (gaps are then lost frames), otherwise the order;
    /// it only increases. The capture time is the RTP timestamp as a time, on the sender's media clock.
    public var frame: EncodedFrame
    /// The RTP timestamp on the wire.
    public var rtpTimestamp: RTPTimestamp
    /// The timestamp without wraparound: the first packet's 32 bits, counted on from there.
    public var extendedTimestamp: Int64
    /// When the frame should be shown: its planned release time plus the usual decode time. It may have been released
    /// later, never earlier.
    public var playoutTime: MediaTime
    /// The playout delay that was aimed at (W3C jitterBufferTargetDelay): from the shortest transit of a frame in the
    /// last minute to the time of showing.
    public var targetDelay: MediaDuration
    /// Whether to show it. A frame so late that its successor is already due is only decoded.
    public var isShown: Bool
    /// Whether a packet of it was retransmitted or recovered by FEC.
    public var isRepaired: Bool
    /// Whether it was released more than 2 ms after its planned time.
    public var isLate: Bool

    /// The value before the first frame is released.
    static func none(of settings: JitterBufferSettings) -> ReceivedFrame {
        ReceivedFrame(
            frame: EncodedFrame(
                codec: settings.codec, layer: StreamLayer(rid: settings.rid), number: -1, references: FrameReferences(),
                isKey: false, resolution: Resolution(width: 2, height: 2), captureTime: .zero, byteCount: 0),
            rtpTimestamp: RTPTimestamp(0), extendedTimestamp: 0, playoutTime: .zero, targetDelay: .zero, isShown: false,
            isRepaired: false, isLate: false)
    }
}
