import Histogram
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
    package private(set) var queueWait = RelayTimes()
    /// Delays as the link scheduled them, for departed datagrams.
    package private(set) var scheduledDelay = RelayTimes()
    /// Actual delays.
    package private(set) var actualDelay = RelayTimes()
    /// How late the relay's own timer was.
    package private(set) var lateness = RelayTimes()
    var intervals = Intervals<RelayInterval>()

    private var newestLeft = -1
    /// The link's counters are final.
    private var isOver = false

    /// Why the system did not take a datagram.
    package enum Failure: String, Sendable {
        case bufferFull = "buffer-full"
        case sendFailed = "send-failed"
    }

    init(_ link: EmulatedLink) {
        self.link = link.statistics
        bottleneck = link.bottleneck?.statistics
    }

    /// The events over time.
    package var timeline: RelayTimeline { RelayTimeline(length: intervals.length, intervals: intervals.intervals) }

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
        let (scheduled, late) = (
            departure.scheduled - departure.arrival, departure.departure - departure.scheduled
        )
        let actual = departure.departure - departure.arrival
        scheduledDelay.add(scheduled)
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

/// A distribution of durations: microseconds to three digits, up to 20 minutes.
package struct RelayTimes: Sendable {
    private var histogram = Histogram<UInt32>(
        highestTrackableValue: 1_200_000_000, numberOfSignificantValueDigits: .three)

    init() {}

    mutating func add(_ time: MediaDuration) {
        _ = histogram.record(UInt64(clamping: min(max(0, time.nanoseconds / 1000), 1_200_000_000)))
    }

    /// The number of durations.
    package var count: Int { Int(histogram.totalCount) }

    /// The percentile, in milliseconds; `nil` if there is no duration.
    package func percentile(_ percent: Double) -> Double? {
        count == 0 ? nil : Double(histogram.valueAtPercentile(percent)) / 1000
    }

    /// The longest, in milliseconds; `nil` if there is none.
    package var maximum: Double? { count == 0 ? nil : Double(histogram.maxRecorded) / 1000 }

    /// The durations in ascending order, in seconds, with their counts.
    package var buckets: [(range: ClosedRange<Double>, count: Int)] {
        histogram.recordedValues().map { value in
            let low = Double(histogram.lowestEquivalentForValue(value.value))
            let high = Double(histogram.nextNonEquivalentForValue(value.value))
            return (low / 1e6...high / 1e6, Int(value.count))
        }
    }
}
