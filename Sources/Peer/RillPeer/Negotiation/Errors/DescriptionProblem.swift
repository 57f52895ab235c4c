public import RillRTP

/// What is wrong with a remote description.
public enum DescriptionProblem: Equatable, Sendable {
    /// It has more sections than the settings allow.
    case tooManySections(count: Int, limit: Int)
    /// It has fewer sections than the description before it, or an answer does not have those of the offer.
    case sectionCount(Int, expected: Int)
    /// A section has another media type than before.
    case kindChanged(String, expected: String)
    /// A section has another protocol than before.
    case transportChanged(String, expected: String)
    /// A section has another MID than before.
    case midChanged(String?, expected: String)
    /// A MID is empty, too long, or has characters that it cannot have.
    case invalidMID(String)
    /// Two sections have the same MID.
    case duplicateMID(String)
    /// A group names a MID that no section has.
    case unknownMID(String)
    /// An answer accepts a section that the offer rejects.
    case notOffered
    /// An answer leaves a section outside the group of the transport.
    case notBundled
    /// An answer has ports of their own for RTP and RTCP.
    case notMultiplexed
    /// The ICE credentials are missing.
    case missingCredentials
    /// The ICE credentials are invalid.
    case invalidCredentials(ICEError)
    /// The fingerprint is missing.
    case missingFingerprint
    /// A fingerprint is invalid.
    case invalidFingerprint(DTLSError)
    /// No fingerprint has a known hash function.
    case unknownFingerprints
    /// The DTLS role is missing from an answer, unknown, or not open to the writer.
    case invalidSetup(String)
    /// An answer accepts a section with no codec of the offer.
    case noCommonCodec
    /// An answer has another ID for a header extension than the offer.
    case headerExtensionChanged(id: UInt16, uri: String)
    /// Two header extensions of a section have the same ID.
    case duplicateHeaderExtension(id: UInt16)
    /// A RID is invalid.
    case invalidRID(String)
    /// Two layers have the same RID.
    case duplicateRID(String)
    /// Too many streams.
    case tooManyStreams(count: Int, limit: Int)
    /// The streams contradict each other.
    case contradictoryStreams(StreamDescriptionError)
}

/// Where in a description the problem is.
public struct DescriptionPlace: Hashable, Sendable {
    /// The index of the section; `nil` for the session's own lines.
    public var section: Int?
    /// The MID of the section, if it has one.
    public var mid: String?
    /// The number of the line, from 1; `nil` if the description was not set as text.
    public var line: Int?

    init(section: Int? = nil, mid: String? = nil, line: Int? = nil) {
        self.section = section
        self.mid = mid
        self.line = line
    }
}

/// What is wrong with the encodings of a transceiver.
public enum EncodingProblem: Equatable, Sendable {
    /// There are none, or more than 16.
    case count(Int)
    /// A RID is not 1 to 16 letters, digits, `-` or `_`.
    case invalidRID(String)
    /// Two have the same RID.
    case duplicateRID(String)
    /// There are several, and one has no RID.
    case missingRID
    /// The number or the RIDs differ from those that were negotiated.
    case changed
}

extension DescriptionProblem: CustomStringConvertible {
    /// A description of the problem in one sentence.
    public var description: String {
        switch self {
        case .tooManySections(let count, let limit): "\(count) sections; the limit is \(limit)"
        case .sectionCount(let count, let expected):
            "\(count) sections instead of \(expected): sections are never removed, only set to port 0"
        case .kindChanged(let kind, let expected): "the section is of \(kind), and was of \(expected)"
        case .transportChanged(let name, let expected): "the protocol is \(name), and was \(expected)"
        case .midChanged(let mid, let expected):
            "the MID is \(mid.map { "\"\($0)\"" } ?? "missing"), and was \"\(expected)\": keep the order of sections"
        case .invalidMID(let mid):
            "\"\(mid.prefix(40))\" is not a MID: use 1 to \(RemoteDescription.maximumMIDByteCount) visible characters"
        case .duplicateMID(let mid): "two sections have the MID \"\(mid)\""
        case .unknownMID(let mid): "a group names the MID \"\(mid)\", which no section has"
        case .notOffered: "the answer accepts a section that the offer rejects: answer it with port 0"
        case .notBundled:
            "the section is outside the group of the first one, and all share one transport: add its MID to a=group:BUNDLE"
        case .notMultiplexed: "RTP and RTCP must share a port: add a=rtcp-mux"
        case .missingCredentials: "a=ice-ufrag or a=ice-pwd is missing"
        case .invalidCredentials(let error): error.description
        case .missingFingerprint: "a=fingerprint is missing: without the hash of a certificate there is no DTLS"
        case .invalidFingerprint(let error): error.description
        case .unknownFingerprints: "no fingerprint is of a known hash function: add one of sha-256"
        case .invalidSetup(let value):
            "a=setup:\(value.prefix(20)) is no DTLS role that is open to the writer: an offer has actpass, an answer active or passive, and a connection keeps its roles"
        case .noCommonCodec: "the answer accepts the section with no codec that was offered"
        case .headerExtensionChanged(let id, let uri):
            "the header extension \(uri) has the ID \(id), which the offer does not give it"
        case .duplicateHeaderExtension(let id): "the header extension ID \(id) has two meanings"
        case .invalidRID(let rid): "\"\(rid.prefix(40))\" is not a RID: use 1 to 16 letters, digits, - and _"
        case .duplicateRID(let rid): "two streams have the RID \"\(rid)\""
        case .tooManyStreams(let count, let limit): "\(count) streams; the limit is \(limit)"
        case .contradictoryStreams(let error): error.description
        }
    }
}
