/// How many sessions of a ``StreamForwarder`` clients may have.
///
/// Sessions that are not connected yet are *half-open*: an offer costs its sender nothing, and a place here. They have
/// limits of their own, and a full one refuses nobody: the oldest half-open session goes.
public struct ForwardQuotas: Equatable, Sendable {
    /// Of ``ForwardSettings/sessionLimit``, the places that viewers never get: at most a quarter of them. 100.
    public var publisherReserve = 100
    /// The most half-open sessions. 200.
    public var halfOpenLimit = 200
    /// The most half-open sessions of a bearer. 50.
    public var halfOpenPerBearer = 50
    /// The most half-open sessions of an address. 50.
    public var halfOpenPerAddress = 50
    /// The most sessions of a bearer. 300.
    public var sessionsPerBearer = 300
    /// The most sessions of an address. 300.
    public var sessionsPerAddress = 300
    /// The most streams that a bearer publishes. 50.
    public var streamsPerBearer = 50
    /// The most streams that an address publishes. 50.
    public var streamsPerAddress = 50
    /// The most viewers of a stream. 800.
    public var viewersPerStream = 800
    /// The most publishers that a stream has at a time: one is forwarded, the others wait for their first key frame. 4.
    public var publishersPerStream = 4

    /// Quotas with the defaults.
    public init() {}
}

/// A quota that a client has used up.
public enum ForwardQuota: String, Hashable, Sendable, CaseIterable {
    /// ``ForwardQuotas/sessionsPerBearer``.
    case bearerSessions = "sessions of the token"
    /// ``ForwardQuotas/sessionsPerAddress``.
    case addressSessions = "sessions of the address"
    /// ``ForwardQuotas/streamsPerBearer``.
    case bearerStreams = "streams of the token"
    /// ``ForwardQuotas/streamsPerAddress``.
    case addressStreams = "streams of the address"
    /// ``ForwardQuotas/viewersPerStream``.
    case streamViewers = "viewers of the stream"
}

/// What became of requests for sessions.
public struct AdmissionCounts: Equatable, Sendable {
    /// Sessions that were made.
    public var admitted = 0
    /// Half-open sessions that ended to make room.
    public var evicted = 0
    /// Refused because of ``ForwardError/tooManySessions(limit:)``.
    public var refusedSessions = 0
    /// Refused because of ``ForwardError/tooManyStreams(limit:)``.
    public var refusedStreams = 0
    /// Refused because of ``ForwardError/quotaReached(_:limit:)``, by quota.
    public var refusedQuotas: [ForwardQuota: Int] = [:]
    /// Refused because of ``ForwardError/publishedByOther``.
    public var refusedPublishers = 0

    /// Nothing yet.
    public init() {}

    mutating func add(_ error: ForwardError) {
        switch error {
        case .tooManySessions: refusedSessions += 1
        case .tooManyStreams: refusedStreams += 1
        case .quotaReached(let quota, _): refusedQuotas[quota, default: 0] += 1
        case .publishedByOther: refusedPublishers += 1
        case .unknownStream, .unknownSession, .unknownLayer, .noFreeSlot, .refused, .nothingUsable, .closed: break
        }
    }
}
