/// What became of a coded frame that was released to a decoder.
public enum DecodeOutcome: Equatable, Sendable {
    /// It was decoded, whether or not its picture was shown.
    case decoded
    /// The decoder refused it: the chain is broken here.
    case refused
    /// It was passed over: the decoder waits for a key frame.
    case skipped
}
