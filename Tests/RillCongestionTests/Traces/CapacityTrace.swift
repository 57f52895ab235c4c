import RillCore
import RillLink

/// The capacity of a wireless link over time: a rate for each slot of 5 ms, zero while the link serves another
/// station or none.
struct CapacityTrace: Sendable {
    static let slot = MediaDuration.milliseconds(5)
    /// The window of the mean capacity at a time.
    static let window = MediaDuration.milliseconds(200)

    /// Bits per second by slot.
    let rates: [Int]
    /// The bits that the link carries until a slot begins.
    private let sums: [Double]

    /// A trace. Rates below 1 kbit/s count as zero.
    init(rates: [Double]) {
        self.rates = rates.map { $0 < 1000 ? 0 : Int($0) }
        sums = self.rates.reduce(into: [0.0]) { $0.append($0[$0.count - 1] + Double($1) * Self.slot.seconds) }
    }

    var duration: MediaDuration { Self.slot * rates.count }
    /// The mean rate in bits per second.
    var mean: Double { sums[rates.count] / duration.seconds }

    /// The trace as a schedule for a link. After its end the link has its mean rate.
    func schedule() throws -> RateSchedule {
        var steps: [RateSchedule.Step] = []
        for (index, rate) in (rates + [max(1000, Int(mean))]).enumerated()
        where steps.last?.rate.bitsPerSecond != rate {
            steps.append(RateSchedule.Step(Bitrate(bitsPerSecond: rate), from: .zero + Self.slot * index))
        }
        return try RateSchedule(steps[0].rate, then: Array(steps.dropFirst()))
    }

    /// The capacity at a time, in bits per second: the mean of the 200 ms before it.
    func capacity(at time: MediaTime) -> Double {
        let start = max(.zero, time - Self.window)
        guard time > start else { return Double(rates[0]) }
        return (bits(until: time) - bits(until: start)) / (time - start).seconds
    }

    /// The first time from `time` on at which the link carries anything.
    func service(from time: MediaTime) -> MediaTime {
        let first = slot(of: time)
        guard first < rates.count, rates[first] == 0 else { return time }
        let next = rates[first...].firstIndex { $0 > 0 } ?? rates.count
        return .zero + Self.slot * next
    }

    /// The bits that a sender could send between two times, if it never sends more than `maximum` bits per second.
    func usableBits(from start: MediaTime, to end: MediaTime, maximum: Double) -> Double {
        (slot(of: start)..<slot(of: end)).reduce(0) { sum, slot in
            sum + min(capacity(at: .zero + Self.slot * (slot + 1)), maximum) * Self.slot.seconds
        }
    }

    private func slot(of time: MediaTime) -> Int { Int((time - .zero) / Self.slot) }

    /// The bits that the link carries until a time.
    func bits(until time: MediaTime) -> Double {
        let index = min(slot(of: time), rates.count)
        guard index < rates.count else { return sums[rates.count] }
        return sums[index] + Double(rates[index]) * (time - .zero - Self.slot * index).seconds
    }
}
