/// The endpoint's state of the host's sessions.
struct SessionTable {
    /// A session.
    struct Entry: Equatable {
        /// The purpose of the session.
        var action: StreamAction
        /// The number of ICE starts, restarts included. It is the entity tag.
        var generation = 1
        /// The other side's ice-ufrag; `nil` if its offer has none.
        var usernameFragment: String?
        /// Whether the host is restarting ICE for a request now.
        var isRestarting = false

        /// The entity tag without its quotes: it is as hard to guess as the identifier.
        func tag(of id: String) -> String { "\(id).\(generation)" }
    }

    private var entries: [String: Entry] = [:]
    /// At how many entries those that the host has ended by itself are looked for.
    private var sweepCount = Self.leastSweepCount
    private static let leastSweepCount = 64

    /// How many sessions there are, including those that the host has ended and that were not looked for yet.
    var count: Int { entries.count }
    /// The identifiers of all sessions.
    var ids: [String] { Array(entries.keys) }

    /// The session with that identifier.
    subscript(id: String) -> Entry? {
        get { entries[id] }
        set { entries[id] = newValue }
    }

    /// Adds a session.
    ///
    /// - Returns: sessions that may have ended meanwhile, to be removed if so. Mostly there are none: they are returned
    ///   each time the table has doubled, so that the work stays in proportion to the number of sessions.
    mutating func insert(_ entry: Entry, for id: String) -> [String] {
        entries[id] = entry
        guard entries.count >= sweepCount else { return [] }
        sweepCount = entries.count * 2
        return ids
    }

    /// Removes the sessions that were found to have ended.
    mutating func remove(_ ended: [String]) {
        for id in ended { entries[id] = nil }
        sweepCount = max(Self.leastSweepCount, entries.count * 2)
    }

    /// The result of a request for a restart.
    enum RestartClaim: Equatable {
        /// The host may be called. `endRestart` must follow.
        case claimed
        /// Another request restarts ICE, or has restarted it since.
        case conflict
        /// There is no such session any more.
        case unknown
    }

    /// Claims a session for one restart of ICE, before the host is called: of two concurrent requests, one gets it.
    ///
    /// - Parameters:
    ///   - id: the session.
    ///   - generation: the generation that the request was checked against.
    mutating func beginRestart(_ id: String, of generation: Int) -> RestartClaim {
        guard let entry = entries[id] else { return .unknown }
        guard !entry.isRestarting, entry.generation == generation else { return .conflict }
        entries[id]?.isRestarting = true
        return .claimed
    }

    /// Ends a restart.
    ///
    /// - Parameters:
    ///   - id: the session.
    ///   - usernameFragment: the other side's ice-ufrag from now on; `nil` if the host has refused, and nothing
    ///     changes.
    /// - Returns: the entity tag from now on, without quotes; `nil` if there is no such session any more.
    mutating func endRestart(_ id: String, usernameFragment: String?) -> String? {
        guard var entry = entries[id] else { return nil }
        entry.isRestarting = false
        if let usernameFragment {
            entry.generation += 1
            entry.usernameFragment = usernameFragment
        }
        entries[id] = entry
        return entry.tag(of: id)
    }
}
