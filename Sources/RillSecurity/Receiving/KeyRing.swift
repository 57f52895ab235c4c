import RillRTP

/// The keys that packets may be protected with, newest first. A slot's number stays as long as its key.
struct KeyRing {
    /// As many as libsrtp itself would take.
    static let limit = 16

    private var contexts: [SRTPContext?] = Array(repeating: nil, count: limit)
    /// The slots in use, the newest key's first.
    private(set) var order: [Int] = []

    /// A key in its slot.
    struct Entry {
        let slot: Int
        let context: SRTPContext
    }

    /// Bytes of the identifier in each packet; 0 without.
    private(set) var identifierByteCount = 0
    /// The profile of all of them.
    private(set) var profile: SRTPProfile

    init(_ first: SRTPContext) {
        contexts[0] = first
        order = [0]
        identifierByteCount = first.key.identifier?.byteCount ?? 0
        profile = first.key.profile
    }

    /// The only key.
    var single: Entry? { order.first.flatMap(entry) }

    /// The key of that identifier.
    func find(_ value: UInt64) -> Entry? {
        for slot in order where contexts[slot]?.key.identifier?.value == value { return entry(slot) }
        return nil
    }

    private func entry(_ slot: Int) -> Entry? { contexts[slot].map { Entry(slot: slot, context: $0) } }

    /// - Throws: `indistinguishableKey`, `tooManyKeys`.
    func check(_ key: SRTPKey) throws(SecurityError) {
        for slot in order {
            guard let other = contexts[slot]?.key, key.isDistinguishable(from: other) else {
                throw .indistinguishableKey(key.identifier)
            }
        }
        if order.count == KeyRing.limit { throw .tooManyKeys(limit: KeyRing.limit) }
    }

    /// Adds a key that was checked.
    mutating func add(_ context: SRTPContext) {
        guard let slot = contexts.firstIndex(where: { $0 == nil }) else { preconditionFailure("no slot is free") }
        contexts[slot] = context
        order.insert(slot, at: 0)
    }

    /// Takes a key away, and gives the slot that is free then; `nil` if there is none of that identifier, or no other.
    mutating func remove(_ identifier: MasterKeyIdentifier) -> Int? {
        guard order.count > 1, let place = order.firstIndex(where: { contexts[$0]?.key.identifier == identifier })
        else {
            return nil
        }
        let slot = order.remove(at: place)
        contexts[slot] = nil
        return slot
    }
}
