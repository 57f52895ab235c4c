import RillCore
import RillRTP
import RillSecurity
import RillSession

/// The statistics of a connection, with the types and names of W3C webrtc-stats: what `getStats()` returns in a
/// browser.
///
/// Times of day are milliseconds since 1970, durations seconds. `Encodable`: each entry becomes an object with `type`,
/// `id` and `timestamp`, and the whole an object of them by their identities.
public struct PeerStatistics: Equatable, Sendable {
    /// `transport`.
    public var transport: Transport
    /// `candidate-pair`: all pairs that were checked.
    public var candidatePairs: [CandidatePair] = []
    /// `local-candidate`.
    public var localCandidates: [Candidate] = []
    /// `remote-candidate`.
    public var remoteCandidates: [Candidate] = []
    /// `certificate`: ours, and the peer's once it has shown it.
    public var certificates: [Certificate] = []
    /// `codec`: one for each format of each section.
    public var codecs: [Codec] = []
    /// `inbound-rtp`.
    public var inbound: [InboundRTP] = []
    /// `outbound-rtp`.
    public var outbound: [OutboundRTP] = []
    /// `remote-inbound-rtp`: what the peer reports of our streams.
    public var remoteInbound: [RemoteInboundRTP] = []
    /// `remote-outbound-rtp`: what the peer reports of its streams.
    public var remoteOutbound: [RemoteOutboundRTP] = []
}

extension PeerStatistics {
    /// - Parameters:
    ///   - link: ICE, DTLS, and what was negotiated.
    ///   - transport: the datagrams, without those of STUN.
    ///   - session: the streams; `nil` before there are any.
    ///   - now: the current time.
    init(_ link: PeerLink, _ transport: PeerTransportCounts, _ session: SessionStatistics?, at now: MediaTime) {
        let time = link.settings.wallClockAtZero.advanced(byNanoseconds: now.nanoseconds)
        let stamp = Double(time.nanoseconds(since: .unixEpoch)) / 1e6
        let sections = link.sections
        self.transport = Transport(link, transport, stamp)
        let pairs = link.agent.statistics
        candidatePairs = pairs.map { CandidatePair($0, stamp) }
        if let index = candidatePairs.firstIndex(where: { $0.nominated && $0.isSelected }) {
            candidatePairs[index].availableOutgoingBitrate = session?.congestion.map {
                Double($0.availableOutgoingBitrate)
            }
        }
        localCandidates = link.agent.localCandidates.map { Candidate($0, isLocal: true, stamp) }
        remoteCandidates = link.agent.remoteCandidates.map { Candidate($0, isLocal: false, stamp) }
        let fingerprints = [("local", link.certificate.fingerprint), ("remote", link.dtls?.remoteFingerprint)]
        certificates = fingerprints.compactMap { name, fingerprint in
            fingerprint.map { Certificate(name, $0, stamp) }
        }
        codecs = sections.flatMap { section in section.formats.map { Codec($0, section, stamp) } }
        guard let session else { return }
        let sent = sections.flatMap { section in section.sending.map { (section, $0) } }
        for stream in session.sending {
            guard let (section, description) = sent.first(where: { $0.1.isStream(stream.ssrc, stream.rid) }) else {
                continue
            }
            outbound.append(OutboundRTP(stream, section, description, stamp))
            if let report = RemoteInboundRTP(stream, section, stamp) { remoteInbound.append(report) }
        }
        let received = sections.flatMap { section in section.receiving.map { (section, $0) } }
        for stream in session.receiving {
            guard let (section, description) = received.first(where: { $0.1.isStream(stream.ssrc, stream.rid) }) else {
                continue
            }
            inbound.append(InboundRTP(stream, section, description, stamp))
            remoteOutbound.append(RemoteOutboundRTP(stream, section, stamp))
        }
    }

}

extension StreamDescription {
    /// Whether a stream of the session is this one: by its RID, or else by its SSRC, if that was announced.
    fileprivate func isStream(_ ssrc: SSRC, _ rid: String?) -> Bool {
        if rid != nil || self.rid != nil { return rid == self.rid }
        return self.ssrc == nil || self.ssrc == ssrc
    }
}

extension PeerStatistics: Encodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Writes an object of all entries by their identities.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(transport, forKey: Key(stringValue: transport.id))
        func write(_ entries: [some PeerStatisticsEntry]) throws {
            for entry in entries { try container.encode(entry, forKey: Key(stringValue: entry.id)) }
        }
        try write(candidatePairs)
        try write(localCandidates)
        try write(remoteCandidates)
        try write(certificates)
        try write(codecs)
        try write(inbound)
        try write(outbound)
        try write(remoteInbound)
        try write(remoteOutbound)
    }
}

/// An entry of ``PeerStatistics``.
public protocol PeerStatisticsEntry: Encodable, Sendable {
    /// The type, as W3C names it.
    var type: String { get }
    /// The identity, by which other entries refer to this one.
    var id: String { get }
    /// When it was taken: milliseconds since 1970.
    var timestamp: Double { get }
}

extension PeerStatistics {
    /// `RTCTransportStats`.
    public struct Transport: PeerStatisticsEntry, Equatable {
        /// The type, as W3C names it.
        public private(set) var type = "transport"
        /// The identity.
        public private(set) var id = "T"
        /// When it was taken: milliseconds since 1970.
        public var timestamp: Double
        /// Datagrams sent, without those of STUN.
        public var packetsSent: Int
        /// Datagrams received, without those of STUN.
        public var packetsReceived: Int
        /// Bytes of the datagrams sent.
        public var bytesSent: Int
        /// Bytes of the datagrams received.
        public var bytesReceived: Int
        /// Our role in ICE.
        public var iceRole: String
        /// Our username fragment.
        public var iceLocalUsernameFragment: String
        /// The state of ICE.
        public var iceState: String
        /// The state of DTLS.
        public var dtlsState: String
        /// Our role in DTLS; `unknown` before it is negotiated.
        public var dtlsRole: String
        /// The pair of candidates that is used.
        public var selectedCandidatePairId: String?
        /// Our certificate.
        public var localCertificateId: String
        /// The peer's certificate.
        public var remoteCertificateId: String?
        /// The version of DTLS as in its records: `FEFD` is 1.2.
        public var tlsVersion: String?
        /// The cipher of DTLS.
        public var dtlsCipher: String?
        /// The profile of SRTP.
        public var srtpCipher: String?
        /// How often data began to go to another pair.
        public var selectedCandidatePairChanges: Int
        /// Copies of checks, dropped addresses, and what made room in ICE. Rill's own.
        public var ice: ICEAgentCounts

        init(_ link: PeerLink, _ counts: PeerTransportCounts, _ timestamp: Double) {
            self.timestamp = timestamp
            (packetsSent, packetsReceived) = (counts.packetsSent, counts.packetsReceived)
            (bytesSent, bytesReceived) = (counts.bytesSent, counts.bytesReceived)
            iceRole = link.agent.role == .controlling ? "controlling" : "controlled"
            iceLocalUsernameFragment = link.agent.credentials.usernameFragment
            iceState = link.agent.state.rawValue
            dtlsState = (link.dtls?.state ?? .new).rawValue
            dtlsRole = link.dtls.map { $0.role == .client ? "client" : "server" } ?? "unknown"
            selectedCandidatePairId = link.agent.selectedPath.map { "P\($0)" }
            localCertificateId = "CFlocal"
            remoteCertificateId = link.dtls?.remoteFingerprint.map { _ in "CFremote" }
            dtlsCipher = link.dtls?.cipherName
            tlsVersion = dtlsCipher.map { _ in "FEFD" }
            srtpCipher = link.keys?.profile.registeredName
            selectedCandidatePairChanges = link.pathChangeCount + (selectedCandidatePairId == nil ? 0 : 1)
            ice = link.agent.counts
        }
    }

    /// `RTCIceCandidatePairStats`.
    public struct CandidatePair: PeerStatisticsEntry, Equatable {
        /// The type, as W3C names it.
        public private(set) var type = "candidate-pair"
        /// The identity.
        public var id: String
        /// When it was taken: milliseconds since 1970.
        public var timestamp: Double
        /// The transport of the pair.
        public private(set) var transportId = "T"
        /// The local candidate.
        public var localCandidateId: String
        /// The remote candidate.
        public var remoteCandidateId: String
        /// The state of its check: `succeeded`.
        public var state: String
        /// Whether the controlling side nominated it.
        public var nominated: Bool
        /// Datagrams sent, without those of STUN.
        public var packetsSent: Int
        /// Datagrams received, without those of STUN.
        public var packetsReceived: Int
        /// Bytes of the datagrams sent.
        public var bytesSent: Int
        /// Bytes of the datagrams received.
        public var bytesReceived: Int
        /// The sum of all round trips of checks, in seconds.
        public var totalRoundTripTime: Double
        /// The latest round trip, in seconds.
        public var currentRoundTripTime: Double?
        /// What congestion control takes the path to carry, in bits per second; only of the selected pair.
        public var availableOutgoingBitrate: Double?
        /// Checks received, with retransmissions.
        public var requestsReceived: Int
        /// Checks sent, without retransmissions.
        public var requestsSent: Int
        /// Answers received.
        public var responsesReceived: Int
        /// Answers sent.
        public var responsesSent: Int
        /// Checks of consent sent (RFC 7675).
        public var consentRequestsSent: Int
        /// Whether data goes there. Rill's own.
        public var isSelected: Bool

        init(_ pair: ICEPairStatistics, _ timestamp: Double) {
            (id, self.timestamp) = ("P\(pair.path)", timestamp)
            localCandidateId = "L\(pair.local.address)"
            remoteCandidateId = "R\(pair.remote.address)"
            state = "\(pair.state)"
            (nominated, isSelected) = (pair.isNominated, pair.isSelected)
            let counts = pair.counts
            (packetsSent, packetsReceived) = (counts.packetsSent, counts.packetsReceived)
            (bytesSent, bytesReceived) = (counts.bytesSent, counts.bytesReceived)
            totalRoundTripTime = counts.totalRoundTripTime.seconds
            currentRoundTripTime = counts.currentRoundTripTime?.seconds
            (requestsSent, requestsReceived) = (counts.requestsSent, counts.requestsReceived)
            (responsesSent, responsesReceived) = (counts.responsesSent, counts.responsesReceived)
            consentRequestsSent = counts.consentRequestsSent
        }
    }

    /// `RTCIceCandidateStats`.
    public struct Candidate: PeerStatisticsEntry, Equatable {
        /// The type, as W3C names it.
        public var type: String
        /// The identity.
        public var id: String
        /// When it was taken: milliseconds since 1970.
        public var timestamp: Double
        /// The transport of the candidate.
        public private(set) var transportId = "T"
        /// The IP address.
        public var address: String
        /// The port.
        public var port: Int
        /// Always `udp`.
        public private(set) var `protocol` = "udp"
        /// `host`, `srflx`, `prflx` or `relay`.
        public var candidateType: String
        /// The priority (RFC 8445 §5.1.2).
        public var priority: Int
        /// The foundation.
        public var foundation: String

        init(_ candidate: ICECandidate, isLocal: Bool, _ timestamp: Double) {
            type = isLocal ? "local-candidate" : "remote-candidate"
            (id, self.timestamp) = ("\(isLocal ? "L" : "R")\(candidate.address)", timestamp)
            (address, port) = ("\(candidate.address.ip)", Int(candidate.address.port))
            (candidateType, priority) = (candidate.kind.rawValue, Int(candidate.priority))
            foundation = candidate.foundation
        }
    }

    /// `RTCCertificateStats`.
    public struct Certificate: PeerStatisticsEntry, Equatable {
        /// The type, as W3C names it.
        public private(set) var type = "certificate"
        /// The identity.
        public var id: String
        /// When it was taken: milliseconds since 1970.
        public var timestamp: Double
        /// The fingerprint: pairs of hexadecimal digits with colons between them.
        public var fingerprint: String
        /// The hash function of the fingerprint.
        public var fingerprintAlgorithm: String

        init(_ side: String, _ fingerprint: DTLSFingerprint, _ timestamp: Double) {
            (id, self.timestamp) = ("CF\(side)", timestamp)
            fingerprintAlgorithm = fingerprint.algorithm.rawValue
            self.fingerprint = String(fingerprint.description.drop { $0 != " " }.dropFirst())
        }
    }
}

extension SRTPProfile {
    /// The name in IANA's registry of DTLS-SRTP protection profiles.
    fileprivate var registeredName: String {
        switch self {
        case .aeadAES128GCM: "SRTP_AEAD_AES_128_GCM"
        case .aeadAES256GCM: "SRTP_AEAD_AES_256_GCM"
        case .aesCM128Tag80: "SRTP_AES128_CM_HMAC_SHA1_80"
        case .aesCM128Tag32: "SRTP_AES128_CM_HMAC_SHA1_32"
        }
    }
}
