import RillCore
package import RillLink

/// The statistics of both directions of a pair.
package struct RelayMeters: Sendable {
    package var forward: RelayMeter
    package var back: RelayMeter

    init(_ forward: EmulatedLink, _ back: EmulatedLink) {
        self.forward = RelayMeter(forward)
        self.back = RelayMeter(back)
    }

    package subscript(direction: RelayDirection) -> RelayMeter {
        get { direction == .forward ? forward : back }
        _modify {
            // In place: a copy would copy its histograms with each datagram.
            if direction == .forward { yield &forward } else { yield &back }
        }
    }
}

/// The statistics of one direction of a pair, in fixed memory.
package struct RelayMeter: Sendable {
    /// The link's statistics. What it counts as delivered has departed, or was abandoned at the end.
    package private(set) var link: LinkStatistics
    /// The statistics of the link's bottleneck, of all pairs if they share it; `nil` if it has none.
    package private(set) var bottleneck: BottleneckStatistics?
    /// Datagrams in flight, including copies.
    package private(set) var onTheWay = 0
    /// Datagrams from the pair's target before any sender spoke.
    package private(set) var withoutPeer = 0
    /// Datagrams from a sender beyond the limit.
    package private(set) var fromTooManySenders = 0
    /// Datagrams from an address other than the pair's target, at a socket that only talks to that.
    package private(set) var fromUnknownSenders = 0
    /// Departed datagrams, including copies, and their bytes.
    package private(set) var left = 0
    package private(set) var leftBytes = 0
    /// Datagrams that departed after one that had arrived later.
    package private(set) var reordered = 0
    /// Datagrams not sent because the system's send buffer was full.
    package private(set) var bufferFull = 0
    /// Datagrams that the system refused: too long for the path, no route, no socket available.
    package private(set) var sendFailed = 0
    /// Datagrams in flight when the relay was stopped.
    package internal(set) var abandoned = 0
    /// The time in the bottleneck's queue before the own transmission, of what it took.
    package private(set) var queueWait = DurationHistogram(longest: RelayMeter.longest)
    /// Delays as the link scheduled them, for departed datagrams.
    package private(set) var scheduledDelay = DurationHistogram(longest: RelayMeter.longest)
    /// Actual delays.
    package private(set) var actualDelay = DurationHistogram(longest: RelayMeter.longest)
    /// How late the relay's own timer was.
    package private(set) var lateness = DurationHistogram(longest: RelayMeter.longest)
    /// The events over time.
    package private(set) var intervals = Intervals<RelayInterval>()

    private var newestLeft = -1
    /// The link's counters are final.
    private var isOver = false

    /// The longest time that is distinguished.
    private static let longest = MediaDuration.seconds(1200)

    /// Why the system did not take a datagram.
    package enum Failure: String, Sendable {
        case bufferFull = "buffer-full"
        case sendFailed = "send-failed"
    }

    init(_ link: EmulatedLink) {
        self.link = link.statistics
        bottleneck = link.bottleneck?.statistics
    }

    func isOvertaken(_ number: Int) -> Bool { number < newestLeft }

    mutating func takeLink(_ link: EmulatedLink) {
        guard !isOver else { return }
        self.link = link.statistics
        bottleneck = link.bottleneck?.statistics
        onTheWay = link.countInFlight
    }

    mutating func count(_ refusal: RelayRefusal) {
        switch refusal {
        case .noPeer: withoutPeer += 1
        case .tooManySenders: fromTooManySenders += 1
        case .unknownSender: fromUnknownSenders += 1
        }
    }

    /// Corrects the count of a datagram that was counted as departed but was not sent.
    mutating func count(_ failure: Failure, of departure: RelayDeparture) {
        switch failure {
        case .bufferFull: bufferFull += 1
        case .sendFailed: sendFailed += 1
        }
        left -= 1
        leftBytes -= departure.byteCount
        intervals.change(at: departure.departure) { interval in
            interval.left -= 1
            interval.leftBytes -= Int64(departure.byteCount)
        }
    }

    mutating func count(_ outcome: RillLink.SendOutcome, byteCount: Int, onTheWay: Int, at now: MediaTime) {
        intervals.change(at: now) { $0.count(outcome, byteCount: byteCount, onTheWay: onTheWay, at: now) }
    }

    mutating func countWait(_ wait: MediaDuration) { queueWait.add(wait) }

    mutating func count(_ departure: RelayDeparture) {
        left += 1
        leftBytes += departure.byteCount
        if departure.isReordered { reordered += 1 }
        if !departure.isCopy { newestLeft = max(newestLeft, departure.number) }
        let late = departure.departure - departure.scheduled
        let actual = departure.departure - departure.arrival
        scheduledDelay.add(departure.scheduled - departure.arrival)
        actualDelay.add(actual)
        lateness.add(late)
        // Copies have no delay of their own: it would be counted twice.
        if !departure.isCopy { intervals.change(at: departure.arrival) { $0.actualDelay.add(actual.milliseconds) } }
        intervals.change(at: departure.departure) { interval in
            interval.left += 1
            interval.leftBytes += Int64(departure.byteCount)
            interval.lateness.add(late.milliseconds)
        }
    }

    /// Ends counting: what is polled from now on is abandoned.
    mutating func end(_ link: EmulatedLink) {
        takeLink(link)
        isOver = true
    }
}

extension RelayMeter: Encodable {
    /// Encodes the figures of a report, by name; times are in milliseconds.
    package func encode(to encoder: any Encoder) throws {
        let figures: Figures = [
            "link": link, "bottleneck": bottleneck, "withoutPeer": withoutPeer,
            "fromTooManySenders": fromTooManySenders, "fromUnknownSenders": fromUnknownSenders, "left": left,
            "leftBytes": leftBytes, "reordered": reordered, "bufferFull": bufferFull, "sendFailed": sendFailed,
            "onTheWay": onTheWay, "queueWait": queueWait.percentiles, "scheduledDelay": scheduledDelay.percentiles,
            "actualDelay": actualDelay.percentiles, "lateness": lateness.percentiles,
        ]
        try figures.encode(to: encoder)
    }
}

/// The events of one direction of a pair in one interval.
package struct RelayInterval: MergeableInterval {
    /// Datagrams that arrived and were sent over the link, and their bytes.
    package var came: Int32 = 0
    package var cameBytes: Int64 = 0
    /// The ones among them that the link lost after its bottleneck.
    package var lost: Int32 = 0
    /// The ones among them that did not fit the bottleneck's queue, or the link.
    package var dropped: Int32 = 0
    /// Departed datagrams, including copies, and their bytes.
    package var left: Int32 = 0
    package var leftBytes: Int64 = 0
    /// Scheduled delays in milliseconds, of datagrams that arrived.
    package var scheduledDelay = Spread()
    /// Actual delays in milliseconds, of datagrams that arrived and have departed.
    package var actualDelay = Spread()
    /// How late the relay's own timer was, in milliseconds, for departed datagrams.
    package var lateness = Spread()
    /// Datagrams in flight, as each arrival found them.
    package var onTheWay = Spread()

    package init() {}

    mutating func count(_ outcome: RillLink.SendOutcome, byteCount: Int, onTheWay: Int, at now: MediaTime) {
        came += 1
        cameBytes += Int64(byteCount)
        self.onTheWay.add(Double(onTheWay))
        switch outcome {
        case .queued(let arrival, _, _): scheduledDelay.add((arrival - now).milliseconds)
        case .lost(.random), .lost(.burst), .lost(.blackout): lost += 1
        case .lost(.queueFull), .lost(.linkFull), .lost(.tooLarge): dropped += 1
        }
    }

    package static var counts: [String: WritableKeyPath<Self, Int32>] {
        ["came": \.came, "lost": \.lost, "dropped": \.dropped, "left": \.left]
    }

    package static var bytes: [String: WritableKeyPath<Self, Int64>] {
        ["cameBytes": \.cameBytes, "leftBytes": \.leftBytes]
    }

    package static var spreads: [String: WritableKeyPath<Self, Spread>] {
        [
            "scheduledDelay": \.scheduledDelay, "actualDelay": \.actualDelay, "lateness": \.lateness,
            "onTheWay": \.onTheWay,
        ]
    }
}
