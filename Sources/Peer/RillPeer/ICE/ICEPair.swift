public import RillCore

/// A local and a remote candidate, and what is known of the path between them (RFC 8445 §6.1.2).
struct ICEPair {
    /// Never used again.
    let id: Int
    let path: ICEPath
    let generation: ICEGeneration
    var local: ICECandidate
    var remote: ICECandidate
    var priority: UInt64 = 0
    var state: ICEPairState
    var isNominated = false
    /// Whether a check of ours was answered from the path: only then data goes there, and is taken from there.
    var isValidated = false
    /// Whether a request with the right integrity came from the path. It may be a copy that somebody else sent.
    var isHeard = false
    /// Whether the controlling side nominated the pair, and our own check has not been answered since (RFC 8445
    /// §7.3.1.5).
    var isNominatedByPeer = false
    /// What may be sent before the path is validated.
    var budget = ICEPathBudget()
    /// The request that waits for a response.
    var check: ICECheck?
    /// When the last authenticated message arrived.
    var lastHeard: MediaTime
    var counts = ICEPairCounts()

    /// Checks of pairs with equal foundations are likely to have equal outcomes (RFC 8445 §6.1.2.6).
    func hasFoundation(of other: ICEPair) -> Bool {
        local.foundation == other.local.foundation && remote.foundation == other.remote.foundation
    }

    /// RFC 8445 §6.1.2.3.
    static func priority(_ local: ICECandidate, _ remote: ICECandidate, _ role: ICERole) -> UInt64 {
        let controlling = UInt64(role == .controlling ? local.priority : remote.priority)
        let controlled = UInt64(role == .controlling ? remote.priority : local.priority)
        return min(controlling, controlled) << 32 &+ 2 &* max(controlling, controlled)
            &+ (controlling > controlled ? 1 : 0)
    }
}

/// The state of a pair's check (RFC 8445 §6.1.2.6): that of W3C's `RTCStatsIceCandidatePairState`.
public enum ICEPairState: String, Hashable, Sendable {
    /// It waits until the check of a pair with the same foundation is done.
    case frozen
    /// It is checked as soon as it is its turn.
    case waiting
    /// A request waits for its response.
    case inProgress = "in-progress"
    /// A check succeeded.
    case succeeded
    /// The check failed.
    case failed
}

/// A request that waits for its response, and its retransmissions (RFC 8489 §6.2.1).
struct ICECheck {
    let id: STUNTransactionID
    /// The request before, which was given up for this one. A response to it counts too.
    let former: STUNTransactionID?
    let role: ICERole
    let isNomination: Bool
    private(set) var transmissionCount = 0
    private(set) var firstTime = MediaTime.zero
    private(set) var lastTime = MediaTime.zero
    /// When to retransmit, or to give up.
    private(set) var deadline = MediaTime.zero
    private let timeout: MediaDuration

    init(
        _ id: STUNTransactionID, instead former: STUNTransactionID?, role: ICERole, isNomination: Bool,
        timeout: MediaDuration
    ) {
        self.id = id
        self.former = former
        self.role = role
        self.isNomination = isNomination
        self.timeout = timeout
    }

    /// Notes a transmission, of which there are at most `limit`. With RFC 8445's 500 ms they are at 0, 0.5, 1.5, 3.5,
    /// 7.5, 15.5 and 31.5 s, and the check fails after 39.5 s.
    mutating func noteTransmission(limit: Int, at now: MediaTime) {
        if transmissionCount == 0 { firstTime = now }
        lastTime = now
        transmissionCount += 1
        // Rm of RFC 8489 §6.2.1.
        let factor = transmissionCount >= limit ? 16 : 1 << min(transmissionCount - 1, 16)
        deadline = now + timeout * factor
    }

    /// Retransmits at once: the other side was heard.
    mutating func hasten(at now: MediaTime) { deadline = min(deadline, now) }
}

/// The statistics of a pair of candidates, as `RTCIceCandidatePairStats` of W3C webrtc-stats has them.
public struct ICEPairStatistics: Equatable, Sendable {
    /// The socket and the remote address.
    public var path: ICEPath
    /// The local candidate.
    public var local: ICECandidate
    /// The remote candidate.
    public var remote: ICECandidate
    /// The priority of the pair.
    public var priority: UInt64
    /// The state of its check.
    public var state: ICEPairState
    /// Whether the controlling side nominated it.
    public var isNominated: Bool
    /// Whether data goes there.
    public var isSelected: Bool
    /// What was counted.
    public var counts: ICEPairCounts
}

/// What is counted for each pair. Messages of STUN are not among its packets and bytes.
public struct ICEPairCounts: Equatable, Sendable {
    /// Connectivity checks sent, without retransmissions.
    public var requestsSent = 0
    /// Retransmissions of connectivity checks.
    public var retransmissionsSent = 0
    /// Requests received with the right integrity, retransmissions included.
    public var requestsReceived = 0
    /// Responses sent, of either kind.
    public var responsesSent = 0
    /// Responses received with the right integrity, of either kind.
    public var responsesReceived = 0
    /// Consent checks sent (RFC 7675).
    public var consentRequestsSent = 0
    /// Datagrams sent that are not STUN, as reported by ``ICEAgent/noteSent(byteCount:on:at:)``.
    public var packetsSent = 0
    /// Their bytes.
    public var bytesSent = 0
    /// When the last one was sent.
    public var lastPacketSentTime: MediaTime?
    /// Datagrams received that are not STUN.
    public var packetsReceived = 0
    /// Their bytes.
    public var bytesReceived = 0
    /// When the last one was received.
    public var lastPacketReceivedTime: MediaTime?
    /// The latest round trip of a check or consent check that was not retransmitted.
    public var currentRoundTripTime: MediaDuration?
    /// The sum of all such round trips.
    public var totalRoundTripTime = MediaDuration.zero
    /// How many there were.
    public var roundTripTimeMeasurements = 0

    mutating func noteRoundTrip(_ duration: MediaDuration) {
        currentRoundTripTime = duration
        totalRoundTripTime += duration
        roundTripTimeMeasurements += 1
    }
}

/// Where datagrams come from and go to: a socket of this side, and an address of the other.
public struct ICEPath: Hashable, Sendable {
    /// The driver's number of the socket.
    public var socket: Int
    /// The address of the other side.
    public var remote: UDPAddress

    /// Creates a path.
    ///
    /// - Parameters:
    ///   - socket: the driver's number of the socket.
    ///   - remote: the address of the other side.
    public init(socket: Int = 0, _ remote: UDPAddress) {
        self.socket = socket
        self.remote = remote
    }
}

extension ICEPath {
    /// Hashes one word for IPv4, where the synthesized method hashes five: a port looks up a path for each datagram.
    public func hash(into hasher: inout Hasher) {
        guard case .v4(let address) = remote.ip else {
            hasher.combine(socket)
            return hasher.combine(remote)
        }
        hasher.combine(UInt64(truncatingIfNeeded: socket) << 48 | UInt64(address) << 16 | UInt64(remote.port))
    }
}

extension ICEPath: CustomStringConvertible {
    /// `socket 0 to 192.0.2.1:5004`.
    public var description: String { "socket \(socket) to \(remote)" }
}

/// What may still be sent to an address that has not answered: three times what came from it, as RFC 9000 §8 has it.
///
/// So a sender of forged addresses gains nothing by making us send for it.
struct ICEPathBudget {
    /// How many times as many bytes as were received may be sent.
    static let factor = 3
    /// What the text of a description and its request over HTTP have at least, besides candidates, in bytes.
    static let descriptionByteCount = 500

    /// In bytes.
    private(set) var rest = 0

    /// Bytes arrived.
    mutating func receive(_ byteCount: Int) {
        rest = min(rest &+ ICEPathBudget.factor &* byteCount, 1 << 30)
    }

    /// Takes the bytes of a datagram, if there are as many.
    mutating func spend(_ byteCount: Int) -> Bool {
        guard byteCount <= rest else { return false }
        rest -= byteCount
        return true
    }
}
