/// An event on the receiving side of a stream.
public enum ReceiveEvent: Sendable {
    /// A frame left the jitter buffer for the decoder.
    case released(ReceivedFrame)
    /// That many packets were NACKed; repetitions within a round trip are not reported.
    case packetsRequested(count: Int)
    /// A key frame was requested (PLI).
    case keyFrameRequested
}
