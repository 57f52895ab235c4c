import RillCore
import RillPeer

/// The sessions of a forwarder with their clients: decides who gets another one, and which half-open sessions go for
/// it.
///
/// Ask with ``plan(for:streamCount:)``, end what it evicts, then ``insert(_:_:)``. It has one entry for each session; a
/// plan looks at each of them a few times.
struct SessionLedger {
    /// A session, or a request for one.
    struct Entry {
        var client: ForwardClient
        var stream: String
        var isPublisher: Bool
        /// Whether it has not been connected yet.
        var isHalfOpen = true
    }

    private let quotas: ForwardQuotas
    private let sessionLimit: Int
    private let streamLimit: Int
    private var entries: [ICEPeerID: Entry] = [:]

    init(_ settings: ForwardSettings) {
        (quotas, sessionLimit, streamLimit) = (settings.quotas, settings.sessionLimit, settings.streamLimit)
    }

    /// How many sessions there are.
    var count: Int { entries.count }
    /// How many sessions are half-open.
    var halfOpenCount: Int { entries.values.count { $0.isHalfOpen } }

    subscript(id: ICEPeerID) -> Entry? { entries[id] }

    mutating func insert(_ entry: Entry, _ id: ICEPeerID) { entries[id] = entry }
    mutating func remove(_ id: ICEPeerID) { entries[id] = nil }
    /// The session is connected.
    mutating func open(_ id: ICEPeerID) { entries[id]?.isHalfOpen = false }

    /// Decides whether there is room for another session.
    ///
    /// - Parameters:
    ///   - request: the session that is asked for.
    ///   - streamCount: how many streams there are, if it needs another one; otherwise `nil`.
    /// - Returns: the half-open sessions that must end for it.
    /// - Throws: `tooManySessions`, `tooManyStreams`, `quotaReached`.
    func plan(for request: Entry, streamCount: Int?) throws(ForwardError) -> [ICEPeerID] {
        var plan = Plan(entries: entries)
        if let bearer = request.client.bearer {
            let isOwn = { (entry: Entry) in entry.client.bearer == bearer }
            try plan.makeRoom(for: request, isOwn, .bearerSessions, quotas.sessionsPerBearer)
            try plan.makeRoom(forStreamOf: request, isOwn, .bearerStreams, quotas.streamsPerBearer)
            plan.makeRoomForHalfOpen(isOwn, quotas.halfOpenPerBearer)
        }
        if let address = request.client.address {
            let isOwn = { (entry: Entry) in entry.client.address == address }
            try plan.makeRoom(for: request, isOwn, .addressSessions, quotas.sessionsPerAddress)
            try plan.makeRoom(forStreamOf: request, isOwn, .addressStreams, quotas.streamsPerAddress)
            plan.makeRoomForHalfOpen(isOwn, quotas.halfOpenPerAddress)
        }
        if let streamCount, streamCount >= streamLimit, !plan.evictStream() {
            throw .tooManyStreams(limit: streamLimit)
        }
        if !request.isPublisher {
            try plan.makeRoom(
                for: request, { !$0.isPublisher && $0.stream == request.stream }, .streamViewers,
                quotas.viewersPerStream)
            // The last places are for publishers.
            let limit = sessionLimit - min(max(quotas.publisherReserve, 0), sessionLimit / 4)
            guard plan.makeRoom({ !$0.isPublisher }, limit) else { throw .tooManySessions(limit: limit) }
        }
        guard plan.makeRoom({ _ in true }, sessionLimit) else { throw .tooManySessions(limit: sessionLimit) }
        plan.makeRoomForHalfOpen({ _ in true }, quotas.halfOpenLimit)
        return plan.evicted
    }
}

/// The entries that are left while room is made.
private struct Plan {
    typealias Entry = SessionLedger.Entry

    var entries: [ICEPeerID: Entry]
    private(set) var evicted: [ICEPeerID] = []

    init(entries: [ICEPeerID: Entry]) { self.entries = entries }

    /// Makes room for one more of some sessions, if half-open ones of them suffice for that.
    mutating func makeRoom(_ isCounted: (Entry) -> Bool, _ limit: Int) -> Bool {
        while entries.values.count(where: isCounted) >= max(limit, 1) {
            guard evictOne(isCounted) else { return false }
        }
        return limit > 0
    }

    mutating func makeRoom(
        for request: Entry, _ isCounted: (Entry) -> Bool, _ quota: ForwardQuota, _ limit: Int
    ) throws(ForwardError) {
        guard makeRoom(isCounted, limit) else { throw .quotaReached(quota, limit: limit) }
    }

    /// Makes room for another stream of some sessions.
    mutating func makeRoom(
        forStreamOf request: Entry, _ isCounted: (Entry) -> Bool, _ quota: ForwardQuota, _ limit: Int
    ) throws(ForwardError) {
        guard request.isPublisher else { return }
        while true {
            let own = entries.values.filter { $0.isPublisher && $0.stream != request.stream && isCounted($0) }
            guard Set(own.map(\.stream)).count >= limit else { return }
            guard evictOne({ $0.isPublisher && $0.stream != request.stream && isCounted($0) }) else {
                throw .quotaReached(quota, limit: limit)
            }
        }
    }

    mutating func makeRoomForHalfOpen(_ isCounted: (Entry) -> Bool, _ limit: Int) {
        while entries.values.count(where: { $0.isHalfOpen && isCounted($0) }) >= max(limit, 1) {
            guard evictOne(isCounted) else { return }
        }
    }

    /// Evicts all sessions of a stream that has only half-open ones.
    mutating func evictStream() -> Bool {
        let open = Set(entries.values.lazy.filter { !$0.isHalfOpen }.map(\.stream))
        guard let id = next({ $0.isPublisher && !open.contains($0.stream) }), let name = entries[id]?.stream else {
            return false
        }
        for (id, entry) in entries where entry.stream == name { evict(id) }
        return true
    }

    /// Evicts one of some sessions; `false` if none of them is half-open.
    private mutating func evictOne(_ isCounted: (Entry) -> Bool) -> Bool {
        guard let id = next(isCounted) else { return false }
        evict(id)
        return true
    }

    private mutating func evict(_ id: ICEPeerID) {
        entries[id] = nil
        evicted.append(id)
    }

    /// The half-open session that goes next: the oldest one of the address, then of the bearer, that has the most of
    /// them. So a crowd of one client's pushes out its own, not those of clients that have one.
    private func next(_ isCounted: (Entry) -> Bool) -> ICEPeerID? {
        var byAddress: [IPAddress?: Int] = [:]
        var byBearer: [String?: Int] = [:]
        for entry in entries.values where entry.isHalfOpen {
            byAddress[entry.client.address, default: 0] += 1
            byBearer[entry.client.bearer, default: 0] += 1
        }
        return entries.filter { $0.value.isHalfOpen && isCounted($0.value) }
            .max { left, right in
                let crowds = [left, right].map { (_, entry) in
                    (byAddress[entry.client.address] ?? 0, byBearer[entry.client.bearer] ?? 0)
                }
                return crowds[0] == crowds[1]
                    ? left.key.rawValue > right.key.rawValue : crowds[0] < crowds[1]
            }?.key
    }
}
