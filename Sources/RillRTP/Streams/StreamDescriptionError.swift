/// Why streams cannot be what two sides say of them: numbers or names that contradict each other.
///
/// Errors of the wire count bytes (``RTPError``) and those of session descriptions lines (``SDPError``); whoever negotiates
/// wants the number that was chosen twice.
public enum StreamDescriptionError: Error, Equatable, Sendable {
    /// A payload type stands for two formats of one stream, or for different ones of two streams of a session.
    case payloadTypeInUse(PayloadType)
    /// A payload type between 64 and 95: with its marker set a packet would be taken for RTCP (RFC 5761 §4).
    case reservedPayloadType(PayloadType)
    /// A source is that of two streams, or of a stream and its retransmissions.
    case sourceInUse(SSRC)
    /// Two streams of a section have the same RID, or two sections the same MID.
    case identifierInUse(String)
    /// A MID or RID has not 1 to 16 bytes, or has other signs than a header extension or a session description can bear.
    case invalidIdentifier(String)
    /// A CNAME has not 1 to 255 bytes, or has a line end in it.
    case invalidCanonicalName(byteCount: Int)
    /// The numbers of header extensions mean different things in two streams of a session.
    case headerExtensionInUse(UInt8)
    /// Nothing tells the packets of two streams apart: neither source, nor names, nor payload type.
    case indistinguishable(PayloadType)
    /// More streams than a session may have.
    case tooManyStreams(count: Int, limit: Int)
    /// The codec is not one of video that could be received: its name has other signs or more than 15, or its clock is
    /// not 90 kHz.
    case unsupportedFormat(name: String, clockRate: UInt32)
    /// A section of RTP whose formats are all unknown, or only those of repair.
    case noCodec(section: Int)
}

extension StreamDescriptionError: CustomStringConvertible {
    /// One sentence, for a log or a person.
    public var description: String {
        switch self {
        case .payloadTypeInUse(let type): "payload type \(type) stands for two formats"
        case .reservedPayloadType(let type):
            "payload type \(type) would be taken for RTCP: choose another than 64 to 95"
        case .sourceInUse(let ssrc): "the source \(ssrc) is that of two streams"
        case .identifierInUse(let name): "two streams are named \"\(name)\""
        case .invalidIdentifier(let name): "\"\(name)\" cannot name a stream: 1 to 16 letters, digits, - and _ can"
        case .invalidCanonicalName(let count): "a canonical name of \(count) bytes: 1 to 255 on one line are possible"
        case .headerExtensionInUse(let id): "header extension number \(id) stands for two kinds"
        case .indistinguishable(let type):
            "nothing tells two streams of payload type \(type) apart: give them sources, or MIDs and RIDs"
        case .tooManyStreams(let count, let limit): "\(count) streams in one session; at most \(limit) are possible"
        case .unsupportedFormat(let name, let clockRate):
            "\(name)/\(clockRate) is not a codec of video with a clock of 90 kHz"
        case .noCodec(let section): "section \(section) of the session description names no codec that Rill has"
        }
    }
}
