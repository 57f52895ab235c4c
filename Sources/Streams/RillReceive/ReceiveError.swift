public import RillRTP

/// Why a stream cannot be received with its settings.
public enum ReceiveError: Error, Equatable, Sendable {
    /// The SSRC of a stream or its retransmissions belongs to another stream, or both have the same: the sender chose
    /// it twice.
    case sourceInUse(SSRC)
    /// Two formats of a stream (its codec, RTX, RED, FEC) have the same payload type.
    case payloadTypeInUse(PayloadType)
}

extension ReceiveError: CustomStringConvertible {
    /// One sentence, for a log or a person.
    public var description: String {
        switch self {
        case .sourceInUse(let ssrc): "the SSRC \(ssrc) already belongs to a stream"
        case .payloadTypeInUse(let type): "payload type \(type.rawValue) is used for two formats of one stream"
        }
    }
}
