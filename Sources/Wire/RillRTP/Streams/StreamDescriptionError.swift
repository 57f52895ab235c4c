/// Errors in the negotiated properties of streams: contradictory or invalid values.
///
/// Complements ``RTPError``, which reports positions in bytes, and ``SDPError``, which reports lines. These errors
/// carry the value that conflicts.
public enum StreamDescriptionError: Error, Equatable, Sendable {
    /// A payload type has two formats in one stream, or different formats in two streams of a session.
    case payloadTypeInUse(PayloadType)
    /// A payload type is 64 to 95: with the marker bit set, its packets would look like RTCP (RFC 5761 §4).
    case reservedPayloadType(PayloadType)
    /// Two streams, or a stream and its retransmissions, have the same SSRC.
    case sourceInUse(SSRC)
    /// Two streams of a section have the same RID, or two sections the same MID.
    case identifierInUse(String)
    /// A MID or RID does not have 1 to 16 bytes, or has characters that a header extension or session description
    /// cannot carry.
    case invalidIdentifier(String)
    /// A CNAME does not have 1 to 255 bytes, or contains a control character.
    case invalidCanonicalName(byteCount: Int)
    /// A header extension ID or kind has different mappings in two streams of a session.
    case headerExtensionInUse(UInt8)
    /// The packets of two streams cannot be distinguished by source, names or payload type.
    case indistinguishable(PayloadType)
    /// A session has too many streams.
    case tooManyStreams(count: Int, limit: Int)
    /// The codec cannot be received as video, or at all: it is one of audio, its name has invalid characters or more
    /// than 15, or its clock rate is not the codec's.
    case unsupportedFormat(name: String, clockRate: UInt32)
    /// An RTP section has only formats that are unknown or used for repair.
    case noCodec(section: Int)
}

extension StreamDescriptionError: CustomStringConvertible {
    /// A description of the error in one sentence.
    public var description: String {
        switch self {
        case .payloadTypeInUse(let type): "payload type \(type) has two formats"
        case .reservedPayloadType(let type):
            "payload type \(type) could be mistaken for RTCP: choose one outside 64 to 95"
        case .sourceInUse(let ssrc): "two streams have the SSRC \(ssrc)"
        case .identifierInUse(let name): "two streams are named \"\(name)\""
        case .invalidIdentifier(let name): "\"\(name)\" is no stream name: use 1 to 16 letters, digits, - and _"
        case .invalidCanonicalName(let count): "a canonical name of \(count) bytes: use 1 to 255 bytes on one line"
        case .headerExtensionInUse(let id): "the header extension ID \(id) has two kinds"
        case .indistinguishable(let type):
            "two streams with payload type \(type) cannot be distinguished: give them SSRCs, or MIDs and RIDs"
        case .tooManyStreams(let count, let limit): "\(count) streams in one session; the limit is \(limit)"
        case .unsupportedFormat(let name, let clockRate):
            "\(name)/\(clockRate) is not a codec of this kind with its clock rate"
        case .noCodec(let section): "section \(section) of the session description has no codec that Rill supports"
        }
    }
}
