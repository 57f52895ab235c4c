public import RillRTP

/// Why a stream cannot be received as its settings say.
public enum ReceiveError: Error, Equatable, Sendable {
    /// A stream, or its retransmissions, would come from a source that is another stream's, or the stream's own: the other
    /// side chose the same SSRC twice.
    case sourceInUse(SSRC)
    /// Two formats of a stream (its codec, RTX, RED, FEC) have the same payload type.
    case payloadTypeInUse(PayloadType)
}

extension ReceiveError: CustomStringConvertible {
    /// One sentence, for a log or a person.
    public var description: String {
        switch self {
        case .sourceInUse(let ssrc): "the source \(ssrc) belongs to a stream already"
        case .payloadTypeInUse(let type): "payload type \(type.rawValue) stands for two formats of one stream"
        }
    }
}
