/// Something that happened on the receiving side of a stream.
public enum ReceiveEvent: Sendable {
    /// A frame left the jitter buffer for the decoder.
    case released(ReceivedFrame)
    /// The sender got a NACK for that many packets; its repetitions within a round trip are not told.
    case packetsRequested(count: Int)
    /// The sender was asked for a key frame (PLI).
    case keyFrameRequested
}
