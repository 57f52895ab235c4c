import RillRTP

/// A media section of a remote description, with the attributes that WebRTC adds.
struct RemoteSection {
    let index: Int
    let media: MediaDescription
    /// What it says about the transport. What it does not say, the session says.
    let transport: TransportAttributes
    let direction: MediaDirection
    private(set) var isBundleOnly = false
    private(set) var usesReducedSizeRTCP = false
    /// Whether both forms of header extensions may be mixed (RFC 8285 §6).
    private(set) var allowsMixedExtensions: Bool
    /// Whether the section itself says so.
    private(set) var mixesExtensions = false
    /// Who measures the round trip by extended reports: `all` or `sender` (rcvr-rtt, RFC 3611 §5.1); `nil` for nobody.
    private(set) var roundTripReports: String?
    private(set) var streams: [MediaStreamName] = []
    /// b=: in bits per second, without headers.
    let maximumBitrate: Int?

    init(_ media: MediaDescription, index: Int, of session: SessionAttributes) {
        self.index = index
        self.media = media
        direction = media.direction ?? session.direction ?? .sendAndReceive
        var own = TransportAttributes()
        allowsMixedExtensions = session.allowsMixedExtensions
        for attribute in media.otherAttributes {
            switch attribute.name {
            case "bundle-only": isBundleOnly = true
            case "rtcp-rsize": usesReducedSizeRTCP = true
            case "extmap-allow-mixed": (allowsMixedExtensions, mixesExtensions) = (true, true)
            case "rtcp-xr": roundTripReports = roundTripReports ?? RemoteSection.roundTripReports(attribute.value ?? "")
            case "msid" where streams.count < RemoteSection.maximumStreamNameCount:
                if let name = MediaStreamName(parsing: attribute.value ?? "") { streams.append(name) }
            default: own.note(attribute)
            }
        }
        if streams.isEmpty, let name = RemoteSection.streamName(of: media) { streams = [name] }
        transport = own.completed(by: session.transport)
        maximumBitrate = RemoteSection.bitrate(media.otherLines) ?? session.maximumBitrate
    }

    /// How many names a section may have; the rest is skipped.
    static let maximumStreamNameCount = 16

    /// Whether its writer rejects it, or took it out of use.
    var isRejected: Bool { media.port == 0 && !isBundleOnly }

    /// Whether it carries audio or video in a way that this module does: encrypted RTP, with DTLS (RFC 9429 §5.1.2).
    var isSecureRTP: Bool {
        let pieces = media.transport.split(separator: "/")
        return media.isRTP && (pieces.contains("SAVPF") || pieces.contains("SAVP"))
    }

    /// The mode of rcvr-rtt among the report blocks of a=rtcp-xr, which may be followed by a size: `rcvr-rtt=all:100`.
    private static func roundTripReports(_ value: String) -> String? {
        let formats = value.split(separator: " ").map { $0.prefix { $0 != ":" } }
        return ["all", "sender"].first { mode in formats.contains { $0 == "rcvr-rtt=\(mode)" } }
    }

    /// Older descriptions name the stream and track by source.
    private static func streamName(of media: MediaDescription) -> MediaStreamName? {
        media.sources.first { $0.attribute.name == "msid" }.flatMap {
            MediaStreamName(parsing: $0.attribute.value ?? "")
        }
    }

    /// The bitrate of b=TIAS, or of b=AS without the headers (RFC 9429 §5.9).
    static func bitrate(_ lines: [SessionDescription.Line]) -> Int? {
        var sessionSpecific: Int?
        for line in lines where line.type == "b" {
            let fields = line.value.split(separator: ":", omittingEmptySubsequences: false)
            // At most a petabit, so that arithmetic on it does not overflow.
            guard fields.count == 2, let value = Int(fields[1]), (0...1_000_000_000_000_000).contains(value) else {
                continue
            }
            if fields[0] == "TIAS" { return value }
            // 5 % for RTCP, and 50 packets a second with 40 bytes of headers.
            if fields[0] == "AS" { sessionSpecific = max(0, value * 950 - 50 * 40 * 8) }
        }
        return sessionSpecific
    }
}

extension MediaStreamName {
    /// `stream track`, or `stream`.
    init?(parsing text: String) {
        let words = text.split(separator: " ")
        guard (1...2).contains(words.count), words.allSatisfy({ $0.utf8.count <= 256 }) else { return nil }
        self.init(stream: String(words[0]), track: words.count == 2 ? String(words[1]) : nil)
    }

    /// Visible ASCII without the characters that RFC 4566 keeps out of tokens.
    static func isToken(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && !Array("\"(),/:;<=>?@[\\]".utf8).contains($0) }
    }

    var text: String { track.map { "\(stream) \($0)" } ?? stream }
}

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
