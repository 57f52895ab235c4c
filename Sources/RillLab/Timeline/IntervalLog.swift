import RillCore

/// The intervals of one layer of a session.
typealias IntervalLog = Intervals<TimelineInterval>

/// What is gathered in an interval, and can be added up.
protocol MergeableInterval: Sendable {
    /// Nothing happened.
    init()
    /// Adds what happened in another one.
    mutating func merge(_ other: Self)
}

extension TimelineInterval: MergeableInterval {}

/// Intervals of equal length from time zero on, in fixed memory: when they are used up, two become one.
///
/// They begin so short that each frame has its own, 1/128 s, and stay a power of two of that: a second is always a whole
/// number of them, or they of it. A call of 16 s keeps the first length, a day comes to 64 s.
struct Intervals<Interval: MergeableInterval>: Sendable {
    /// The length of each interval.
    private(set) var length = Intervals.shortest
    /// The intervals up to the last one in which anything happened.
    private(set) var intervals: [Interval] = []

    /// More than a wide screen has columns for a plot.
    static var capacity: Int { 2048 }
    static var shortest: MediaDuration { MediaDuration(nanoseconds: 1_000_000_000 / 128) }

    init() {
        intervals.reserveCapacity(Self.capacity)
    }

    /// Has `body` add to the interval of that time; what lies before zero counts to the first.
    mutating func change(at time: MediaTime, _ body: (inout Interval) -> Void) {
        while index(of: time) >= Self.capacity { halve() }
        let index = index(of: time)
        while intervals.count <= index { intervals.append(Interval()) }
        body(&intervals[index])
    }

    private func index(of time: MediaTime) -> Int {
        Int(max(time.nanoseconds, 0) / length.nanoseconds)
    }

    private mutating func halve() {
        length = length * 2
        for index in 0..<(intervals.count + 1) / 2 {
            var merged = intervals[2 * index]
            if 2 * index + 1 < intervals.count { merged.merge(intervals[2 * index + 1]) }
            intervals[index] = merged
        }
        intervals.removeLast(intervals.count / 2)
    }
}
