/// The outcome of an encoded frame that was released to a decoder.
public enum DecodeOutcome: Equatable, Sendable {
    /// The frame was decoded, whether or not its picture was shown.
    case decoded
    /// The decoder rejected the frame: the reference chain is broken here.
    case refused
    /// The frame was skipped: the decoder waits for a key frame.
    case skipped
}
