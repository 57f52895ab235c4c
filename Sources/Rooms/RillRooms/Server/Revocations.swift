public import RillCore

/// Whose tokens count no more: the latest identities, as many as there may be.
struct Revocations {
    /// When each was revoked last, in milliseconds since 1970.
    private var times: [String: Int] = [:]
    private static let limit = 10_000

    var count: Int { times.count }

    /// Revokes what an identity was given before a time. Of too many the oldest is forgotten.
    mutating func add(_ identity: String, at time: Int) {
        times[identity] = time
        if times.count > Self.limit, let oldest = times.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
            times[oldest.key] = nil
        }
    }

    /// Whether what an identity was given at a time, in milliseconds since 1970, is revoked; `nil` for an unknown time.
    func cover(_ identity: String?, givenAt time: Int?) -> Bool {
        guard let identity, let revoked = times[identity] else { return false }
        return time.map { $0 <= revoked } ?? true
    }
}

extension Rooms {
    /// Revokes all tokens that an identity was given so far: its sessions end, in all rooms, and come back with a newer
    /// token alone. A token that does not say when it was issued is no newer one.
    ///
    /// - Parameters:
    ///   - identity: whose.
    ///   - now: the current time.
    /// - Returns: how many sessions ended.
    @discardableResult
    public func revoke(_ identity: String, at now: MediaTime) -> Int {
        table.start(at: now)
        revocations.add(identity, at: table.wallTime(at: now))
        var count = 0
        for name in names {
            guard let room = table[name] else { continue }
            for channel in negotiations.channels(of: identity, into: room) {
                end(channel, .expired)
                count += 1
            }
            guard let member = room.member(of: .identity(identity)) else { continue }
            room.end(member, .expired, .expired, at: now)
            count += 1
        }
        return count
    }
}
