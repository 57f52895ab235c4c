public import RillReceive

/// Something that happened on the receiving side of a stream.
public enum ReceiveEvent: Sendable {
    /// A frame left the jitter buffer for the decoder.
    case released(ReceivedFrame)
    /// The sender was asked for that many packets again (generic NACK).
    case packetsRequested(count: Int)
    /// The sender was asked for a key frame (PLI).
    case keyFrameRequested
}
