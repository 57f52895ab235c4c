/// Whom a session counts for.
struct SessionHolder: Equatable {
    /// The identity, or the token of one without; `nil` if it does not count.
    var token: String?
    /// Where its channel came from; `nil` if that does not count.
    var address: String?

    init(_ identity: String?, token: String?, _ address: String?) {
        (self.token, self.address) = (identity.map { "identity \($0)" } ?? token, address)
    }
}

/// The sessions of each token and of each address, in all rooms of a server.
final class SessionCounts {
    private let tokenLimit: Int
    private let addressLimit: Int
    private var tokens: [String: Int] = [:]
    private var addresses: [String: Int] = [:]

    init(_ settings: RoomSettings) {
        (tokenLimit, addressLimit) = (settings.sessionsPerToken, settings.sessionsPerAddress)
    }

    /// The entries of its tables.
    var entryCount: Int { tokens.count + addresses.count }

    /// Checks whether there is a place for somebody.
    ///
    /// - Parameter former: the member that goes for it.
    /// - Throws: `tooManySessions`.
    func check(_ holder: SessionHolder, replacing former: Member?) throws(RoomError) {
        let other = former?.holder
        try check(holder.token, of: tokens, tokenLimit, isFree: other?.token == holder.token)
        try check(holder.address, of: addresses, addressLimit, isFree: other?.address == holder.address)
    }

    private func check(
        _ key: String?, of counts: [String: Int], _ limit: Int, isFree: Bool
    ) throws(RoomError) {
        guard let key, let count = counts[key], !isFree, count >= limit else { return }
        throw .tooManySessions(limit: limit)
    }

    func add(_ member: Member) {
        if let token = member.holder.token { tokens[token, default: 0] += 1 }
        if let address = member.holder.address { addresses[address, default: 0] += 1 }
    }

    func remove(_ member: Member) {
        Self.remove(member.holder.token, from: &tokens)
        Self.remove(member.holder.address, from: &addresses)
    }

    /// A member comes back from an address, which may be another one. It is in, so no limit keeps it out.
    func move(_ member: Member, to address: String?) {
        guard member.holder.address != address else { return }
        remove(member)
        member.holder.address = address
        add(member)
    }

    private static func remove(_ key: String?, from counts: inout [String: Int]) {
        guard let key, let count = counts[key] else { return }
        counts[key] = count > 1 ? count - 1 : nil
    }
}
