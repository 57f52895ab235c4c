import RillCore
import RillRTP
import RillSecurity

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
