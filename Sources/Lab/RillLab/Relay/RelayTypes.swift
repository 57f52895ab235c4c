package import RillCore
package import RillLink

/// A socket of a relay.
package enum RelaySocket: Hashable, Sendable {
    /// The socket that the senders of a pair send to.
    case listening(pair: Int)
    /// A pair's socket towards its target, if the listening one cannot reach it.
    case outward(pair: Int)
    /// With NAT: a pair's socket towards its target for one sender; numbers are not reused.
    case sender(pair: Int, number: Int)

    /// The pair that it belongs to.
    package var pair: Int {
        switch self {
        case .listening(let pair), .outward(let pair), .sender(let pair, _): pair
        }
    }
}

/// What a relay did with an arriving datagram.
package enum RelayReceipt: Sendable {
    /// It was sent over a link; the entry has the link's outcome.
    case sent(RelayEntry)
    /// It was refused.
    case refused(RelayRefusal)
}

/// A datagram that was sent over a link.
package struct RelayEntry: Sendable {
    package let pair: Int
    package let direction: RelayDirection
    /// Its number on the link, counted from zero.
    package let number: Int
    package let byteCount: Int
    /// When it arrived, on the schedule's clock.
    package let arrival: MediaTime
    /// The link's outcome.
    package let outcome: RillLink.SendOutcome
    /// The time in the bottleneck's queue before its own transmission; `nil` if it was dropped there, or there is none.
    package var wait: MediaDuration?
}

/// Why an arriving datagram is not sent over a link.
package enum RelayRefusal: String, Hashable, Sendable {
    /// It is from the pair's target, and no sender has spoken yet.
    case noPeer = "no-peer"
    /// With NAT: it is from a new sender, and the limit of the pair is reached.
    case tooManySenders = "too-many-senders"
    /// It arrived from another address at a socket that only talks to the pair's target.
    case unknownSender = "unknown-sender"
}

/// What a relay's owner does next.
package enum RelayAction: Sendable {
    /// Send the bytes that were polled.
    case send(RelayDeparture)
    /// Close a sender's socket, because it was idle. The number is not reused.
    case close(RelaySocket)
}

/// A datagram that departs from a relay.
@dynamicMemberLookup
package struct RelayDeparture: Sendable {
    package let pair: Int
    package let direction: RelayDirection
    package let byteCount: Int
    /// What the link delivered, with times on the schedule's clock.
    let delivery: Delivery
    let route: RelayRoute
    /// When it was polled, on the same clock.
    package let departure: MediaTime
    /// A second copy follows it.
    package let isDuplicated: Bool
    /// One that arrived after it has departed before it.
    package let isReordered: Bool

    /// Its number on the link, counted from zero.
    package var number: Int { delivery.sequence }
    /// When it arrived, on the schedule's clock.
    package var arrival: MediaTime { delivery.sendTime }
    /// When the link schedules its arrival at the other end, on the same clock.
    package var scheduled: MediaTime { delivery.arrival }

    package subscript<Value>(dynamicMember member: KeyPath<Delivery, Value>) -> Value { delivery[keyPath: member] }
    package subscript<Value>(dynamicMember member: KeyPath<RelayRoute, Value>) -> Value { route[keyPath: member] }
}

/// How a datagram departs.
package struct RelayRoute: Sendable {
    /// The socket to send it from.
    package var socket: RelaySocket
    package var destination: UDPAddress
    /// The time in the bottleneck's queue before its own transmission; `nil` without a bottleneck.
    package var wait: MediaDuration?
}

/// A few statistics of a running relay, over all pairs, for frequent reading. A full report contains the histograms,
/// and the next datagram would wait while they are copied.
package struct RelayProgress: Sendable {
    package struct Direction: Sendable {
        /// Datagrams that were sent over the links, and their bytes.
        package var came = 0
        package var cameBytes = 0
        /// The ones among them that the links dropped.
        package var lost = 0
    }

    /// The time since the schedule started.
    package var duration = MediaDuration.zero
    package var forward = Direction()
    package var back = Direction()
    package var onTheWay = 0
    /// The 99th percentile of the timer's lateness, in the worse direction; milliseconds.
    package var lateness: Double?

    /// Creates zero counters.
    package init() {}
}

extension RelayProgress.Direction {
    mutating func add(_ statistics: LinkStatistics) {
        came += statistics.sent
        cameBytes += statistics.sentBytes
        lost += statistics.lost + statistics.droppedByQueue + statistics.refused
    }
}
