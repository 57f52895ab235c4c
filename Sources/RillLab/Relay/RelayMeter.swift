import Histogram
import RillCore
package import RillLink

/// What was done in both directions of a pair.
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

/// What was done in one direction of a pair, in fixed memory.
package struct RelayMeter: Sendable {
    /// What the link has done. What it counts as delivered has left, or was abandoned at the end.
    package private(set) var link: LinkStatistics
    /// Datagrams that are on their way, copies included.
    package private(set) var onTheWay = 0
    /// From the pair's address before anybody else spoke.
    package private(set) var withoutPeer = 0
    /// From one sender too many.
    package private(set) var fromTooManySenders = 0
    /// From somebody other than the pair's address, where nobody else should speak.
    package private(set) var fromStrangers = 0
    /// Datagrams that left, copies included, and their bytes.
    package private(set) var left = 0
    package private(set) var leftBytes = 0
    /// Left after one that came later.
    package private(set) var reordered = 0
    /// The system's buffer was full when they were to leave.
    package private(set) var bufferFull = 0
    /// The system refused them: too long for the path, no way there, no socket to be had.
    package private(set) var sendFailed = 0
    /// On their way when the relay was stopped.
    package internal(set) var abandoned = 0
    /// Delays as the link has them, of what left.
    package private(set) var scheduledDelay = RelayTimes()
    /// Delays as they were.
    package private(set) var actualDelay = RelayTimes()
    /// How late the relay's own timer was.
    package private(set) var lateness = RelayTimes()
    var intervals = Intervals<RelayInterval>()

    private var newestLeft = -1
    /// The link's counts are those of its end.
    private var isOver = false

    /// Why the system did not take a datagram.
    package enum Failure: String, Sendable {
        case bufferFull = "buffer-full"
        case sendFailed = "send-failed"
    }

    init(_ link: EmulatedLink) { self.link = link.statistics }

    /// What happened over time.
    package var timeline: RelayTimeline { RelayTimeline(length: intervals.length, intervals: intervals.intervals) }

    func isOvertaken(_ number: Int) -> Bool { number < newestLeft }

    mutating func takeLink(_ link: EmulatedLink) {
        guard !isOver else { return }
        self.link = link.statistics
        onTheWay = link.countOnTheWay
    }

    mutating func count(_ refusal: RelayRefusal) {
        switch refusal {
        case .noPeer: withoutPeer += 1
        case .tooManySenders: fromTooManySenders += 1
        case .stranger: fromStrangers += 1
        }
    }

    /// One that was counted as having left has not.
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

    /// What is polled from now on is abandoned.
    mutating func end(_ link: EmulatedLink) {
        takeLink(link)
        isOver = true
    }
}

/// How long something took, many times over: microseconds to three digits, up to 20 minutes.
package struct RelayTimes: Sendable {
    private var histogram = Histogram<UInt32>(
        highestTrackableValue: 1_200_000_000, numberOfSignificantValueDigits: .three)

    init() {}

    mutating func add(_ time: MediaDuration) {
        _ = histogram.record(UInt64(clamping: min(max(0, time.nanoseconds / 1000), 1_200_000_000)))
    }

    /// How many times.
    package var count: Int { Int(histogram.totalCount) }

    /// What so many percent of them did not exceed, in milliseconds; `nil` where there is none.
    package func percentile(_ percent: Double) -> Double? {
        count == 0 ? nil : Double(histogram.valueAtPercentile(percent)) / 1000
    }

    /// The longest, in milliseconds; `nil` where there is none.
    package var maximum: Double? { count == 0 ? nil : Double(histogram.maxRecorded) / 1000 }

    /// The times from the shortest to the longest, in seconds, and how often there were such.
    package var buckets: [(range: ClosedRange<Double>, count: Int)] {
        histogram.recordedValues().map { value in
            let low = Double(histogram.lowestEquivalentForValue(value.value))
            let high = Double(histogram.nextNonEquivalentForValue(value.value))
            return (low / 1e6...high / 1e6, Int(value.count))
        }
    }
}
