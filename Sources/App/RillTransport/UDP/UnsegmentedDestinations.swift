import RillCore

/// The destinations for which the system does not split messages (UDP_SEGMENT), each for a minute.
///
/// A path with a small MTU, or a network card that computes no checksums, refuses messages that others take. After the
/// minute it is tried again: the path may be another one.
///
/// It has a limit; beyond that, the destination whose minute ends first is tried again at once. Time is an argument, in
/// nanoseconds.
struct UnsegmentedDestinations {
    /// How long a destination is not tried again.
    static let retryTime: Int64 = 60_000_000_000
    /// The most destinations.
    static let limit = 256

    /// When each may be tried again. `nil` is the address that the socket is connected to.
    private var retryTimes: [UDPAddress?: Int64] = [:]

    /// No destinations.
    init() {}

    var count: Int { retryTimes.count }

    /// Whether a message to a destination may be split.
    mutating func allows(_ destination: UDPAddress?, at now: Int64) -> Bool {
        guard let time = retryTimes[destination] else { return true }
        guard time <= now else { return false }
        retryTimes[destination] = nil
        return true
    }

    /// Adds a destination that has refused a message.
    mutating func add(_ destination: UDPAddress?, at now: Int64) {
        if retryTimes.count >= UnsegmentedDestinations.limit, retryTimes[destination] == nil,
            let first = retryTimes.min(by: { $0.value < $1.value })
        {
            retryTimes[first.key] = nil
        }
        retryTimes[destination] = now + UnsegmentedDestinations.retryTime
    }
}
