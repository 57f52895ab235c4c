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
