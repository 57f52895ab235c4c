package import RillCore

/// The intervals of one layer of a session.
typealias IntervalLog = Intervals<TimelineInterval>

/// The data of an interval, which can be merged: its figures by name.
package protocol MergeableInterval: Sendable {
    /// Creates an empty interval.
    init()
    /// The counters.
    static var counts: [String: WritableKeyPath<Self, Int32>] { get }
    /// The sums of bytes.
    static var bytes: [String: WritableKeyPath<Self, Int64>] { get }
    /// The distributions.
    static var spreads: [String: WritableKeyPath<Self, Spread>] { get }
}

extension MergeableInterval {
    /// Adds the data of another interval.
    mutating func merge(_ other: Self) {
        for path in Self.counts.values { self[keyPath: path] += other[keyPath: path] }
        for path in Self.bytes.values { self[keyPath: path] += other[keyPath: path] }
        for path in Self.spreads.values { self[keyPath: path].merge(other[keyPath: path]) }
    }
}

/// Intervals of equal length from time zero on, in fixed memory: when they are used up, pairs are merged.
///
/// They start so short that each frame has its own, 1/128 s, and their length stays a power of two of that: a second
/// is always a whole number of them, or they of it. A call of 16 s keeps the first length; a day reaches 64 s.
package struct Intervals<Interval: MergeableInterval>: Sendable {
    /// The length of each interval.
    package private(set) var length = Intervals.shortest
    /// The intervals up to the last one with an event.
    package private(set) var intervals: [Interval] = []

    /// More than the columns of a plot on a wide screen.
    static var capacity: Int { 2048 }
    static var shortest: MediaDuration { MediaDuration(nanoseconds: 1_000_000_000 / 128) }

    init() {
        intervals.reserveCapacity(Self.capacity)
    }

    /// Makes `body` change the interval at that time; times before zero count to the first.
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
