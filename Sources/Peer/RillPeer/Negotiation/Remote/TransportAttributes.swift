import RillRTP

/// What a section, or the whole session, says about ICE and DTLS (RFC 8839, RFC 8840, RFC 8842). Not parsed further.
struct TransportAttributes {
    var usernameFragment: String?
    var password: String?
    var fingerprints: [String] = []
    var setup: String?
    var associationID: String?
    var candidates: [String] = []
    /// How many candidates are beyond the limit.
    var excessCandidateCount = 0
    var hasAllCandidates = false
    var usesTrickle = false
    var isLite = false

    /// How many candidates, and how many fingerprints, are kept.
    static let maximumCandidateCount = 128
    static let maximumFingerprintCount = 16

    /// Takes an attribute, if it is about the transport. The first of a kind counts.
    mutating func note(_ attribute: SessionDescription.Attribute) {
        switch attribute.name {
        case "ice-ufrag": usernameFragment = usernameFragment ?? attribute.value
        case "ice-pwd": password = password ?? attribute.value
        case "ice-lite": isLite = true
        case "ice-options":
            usesTrickle = usesTrickle || (attribute.value ?? "").split(separator: " ").contains("trickle")
        case "fingerprint":
            if fingerprints.count < Self.maximumFingerprintCount { fingerprints.append(attribute.value ?? "") }
        case "setup": setup = setup ?? (attribute.value ?? "")
        case "tls-id": associationID = associationID ?? attribute.value
        case "candidate":
            if candidates.count < Self.maximumCandidateCount {
                candidates.append(attribute.value ?? "")
            } else {
                excessCandidateCount += 1
            }
        case "end-of-candidates": hasAllCandidates = true
        default: break
        }
    }

    /// The attributes of a section, with those of the session for what it does not say.
    func completed(by session: TransportAttributes) -> TransportAttributes {
        var all = self
        // A fragment and a password belong together.
        if usernameFragment == nil, password == nil {
            all.usernameFragment = session.usernameFragment
            all.password = session.password
        }
        if fingerprints.isEmpty { all.fingerprints = session.fingerprints }
        all.setup = setup ?? session.setup
        all.associationID = associationID ?? session.associationID
        all.hasAllCandidates = hasAllCandidates || session.hasAllCandidates
        all.usesTrickle = usesTrickle || session.usesTrickle
        all.isLite = session.isLite
        return all
    }
}

/// The attributes of a whole session that its sections share.
struct SessionAttributes {
    var transport = TransportAttributes()
    var direction: MediaDirection?
    var allowsMixedExtensions = false
    var maximumBitrate: Int?
    /// The MIDs of each group that shares a transport (RFC 9143).
    var bundles: [[String]] = []

    init(_ session: SessionDescription) {
        direction = session.direction
        maximumBitrate = RemoteSection.bitrate(session.otherLines)
        for attribute in session.otherAttributes {
            switch attribute.name {
            case "extmap-allow-mixed": allowsMixedExtensions = true
            case "group":
                let words = (attribute.value ?? "").split(separator: " ")
                if words.first == "BUNDLE" { bundles.append(words.dropFirst().map(String.init)) }
            default: transport.note(attribute)
            }
        }
    }
}
