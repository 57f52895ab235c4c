public import RillCore

/// The limits of one address at a server. Of IPv6, a network of 64 bits counts as one address.
public struct AddressLimits: Equatable, Sendable {
    /// The most connections at a time. 64.
    public var connections = 64
    /// How many requests a second it may send in the long run. 200.
    public var requestsPerSecond = 200
    /// How many requests it may send at once after a rest. 400.
    public var requestBurst = 400

    /// The defaults.
    public init() {}
}

/// Counts the connections and requests of addresses, and enforces their limits.
///
/// It has no clock. At most ``maximumAddressCount`` addresses are stored. Idle ones are evicted first, then those
/// without a connection whose last request is the oldest.
public struct AddressLimiter: Sendable {
    /// The most addresses that are remembered.
    public static let maximumAddressCount = 10_000

    /// The result of a request.
    public enum RequestResult: Equatable, Sendable {
        /// It may be answered.
        case allowed
        /// It is one too many; the next one is allowed after this time.
        case refused(after: MediaDuration)
    }

    /// The limits.
    public let limits: AddressLimits
    /// How many connections were refused.
    public private(set) var refusedConnectionCount = 0
    /// How many requests were refused.
    public private(set) var refusedRequestCount = 0
    /// How many addresses were forgotten before they had rested.
    public private(set) var evictedAddressCount = 0
    private var entries: [IPAddress: Entry] = [:]

    private struct Entry {
        var connections = 0
        /// Requests that are left of the burst at `time`.
        var credit: Double
        var time: MediaTime
    }

    /// Creates a limiter without addresses.
    public init(_ limits: AddressLimits = AddressLimits()) { self.limits = limits }

    /// How many addresses are remembered.
    public var addressCount: Int { entries.count }

    /// Registers a connection.
    ///
    /// - Returns: whether it is allowed. If so, report its end by ``disconnect(_:)``.
    public mutating func connect(_ address: IPAddress, at now: MediaTime) -> Bool {
        let limit = limits.connections
        let isAllowed = change(address, at: now) { entry in
            guard entry.connections < limit else { return false }
            entry.connections += 1
            return true
        }
        if !isAllowed { refusedConnectionCount += 1 }
        return isAllowed
    }

    /// A connection that was allowed has ended.
    public mutating func disconnect(_ address: IPAddress) {
        let address = address.network
        guard let count = entries[address]?.connections, count > 0 else { return }
        entries[address]?.connections = count - 1
    }

    /// A request arrives.
    public mutating func request(_ address: IPAddress, at now: MediaTime) -> RequestResult {
        let rate = Double(limits.requestsPerSecond)
        var missing = 0.0
        let isAllowed = change(address, at: now) { entry in
            missing = 1 - entry.credit
            guard missing <= 0 else { return false }
            entry.credit -= 1
            return true
        }
        guard !isAllowed else { return .allowed }
        refusedRequestCount += 1
        return .refused(after: .seconds(missing / max(rate, 1)))
    }

    private mutating func change(
        _ address: IPAddress, at now: MediaTime, _ body: (inout Entry) -> Bool
    ) -> Bool {
        let address = address.network
        var entry = entries[address] ?? Entry(credit: Double(limits.requestBurst), time: now)
        entry.credit = credit(of: entry, at: now)
        entry.time = max(now, entry.time)
        let result = body(&entry)
        if entries[address] == nil, entries.count >= Self.maximumAddressCount { forget(at: now) }
        entries[address] = entry
        return result
    }

    private func credit(of entry: Entry, at now: MediaTime) -> Double {
        let grown = max((now - entry.time).seconds, 0) * Double(limits.requestsPerSecond)
        return min(entry.credit + grown, Double(limits.requestBurst))
    }

    /// Forgets the addresses that have rested; if there are none, a tenth of all, so that this work is rare.
    private mutating func forget(at now: MediaTime) {
        let burst = Double(limits.requestBurst)
        entries = entries.filter { $0.value.connections > 0 || credit(of: $0.value, at: now) < burst }
        guard entries.count >= Self.maximumAddressCount else { return }
        let idle = entries.filter { $0.value.connections == 0 }.sorted { $0.value.time < $1.value.time }
        for (address, _) in idle.prefix(Self.maximumAddressCount / 10) { entries[address] = nil }
        evictedAddressCount += min(idle.count, Self.maximumAddressCount / 10)
    }
}
