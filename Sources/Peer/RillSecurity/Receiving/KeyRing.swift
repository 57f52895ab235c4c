import RillRTP

/// The keys with which packets may be protected, newest first. A key keeps its slot.
struct KeyRing {
    /// The maximum number of keys, the same as in libsrtp.
    static let limit = 16

    private var contexts: [SRTPContext?] = Array(repeating: nil, count: limit)
    /// The slots in use, newest key first.
    private(set) var order: [Int] = []

    /// A key and its slot.
    struct Entry {
        let slot: Int
        let context: SRTPContext
    }

    /// The size of the identifier in each packet in bytes; 0 without identifiers.
    private(set) var identifierByteCount = 0
    /// The profile of all keys.
    private(set) var profile: SRTPProfile

    init(_ first: SRTPContext) {
        contexts[0] = first
        order = [0]
        identifierByteCount = first.key.identifier?.byteCount ?? 0
        profile = first.key.profile
    }

    /// The only key.
    var single: Entry? { order.first.flatMap(entry) }

    /// The key in a slot, if there is one.
    subscript(slot: Int) -> SRTPContext? { contexts[slot] }

    /// Returns the key with that identifier.
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

    /// Adds a key that `check` has accepted.
    mutating func add(_ context: SRTPContext) {
        guard let slot = contexts.firstIndex(where: { $0 == nil }) else { preconditionFailure("no slot is free") }
        contexts[slot] = context
        order.insert(slot, at: 0)
    }

    /// Removes a key and returns the freed slot; `nil` if no key has that identifier, or if it is the only key.
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
