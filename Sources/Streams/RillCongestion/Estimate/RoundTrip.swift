/// The round-trip time (RTT) from a packet's departure to its feedback, without queueing delay.
///
/// Each feedback gives one sample: that of its newest packet. The result is the maximum of the last sixteen samples,
/// as feedback itself may be delayed.
///
/// A sample of a stalled path is a wait, and not an RTT: it counts only if some seconds of them are as long.
struct RoundTrip: Sendable {
    private var shortest = Double.infinity
    /// The samples, by feedback count modulo their number; 0 before the first.
    private var recent = InlineArray<16, Double>(repeating: 0)
    private var feedbackCount = 0
    /// The samples in a row that were too long, and the shortest of them.
    private var stalls = (count: 0, shortest: Double.infinity)
    /// The shortest of the last samples, in seconds.
    private var lowest = 0.0
    /// A sample this much above the shortest one is that of a stall, in seconds.
    private static let stall = 0.3
    /// After this many in a row the path is longer.
    private static let mostStalls = 64
    /// The RTT in seconds; 200 ms before the first sample.
    private(set) var seconds = 0.2

    @inline(__always)
    mutating func add(_ seconds: Double) { shortest = min(shortest, seconds) }

    /// Completes a sample, after the packets of a feedback.
    mutating func update() {
        guard shortest.isFinite else { return }
        guard let newest = accepted(min(max(shortest, 0), 3)) else {
            shortest = .infinity
            return
        }
        let place = feedbackCount % recent.count
        let forgotten = recent[place]
        recent[place] = newest
        feedbackCount += 1
        shortest = .infinity
        if forgotten < seconds, forgotten > lowest, feedbackCount > 1 {
            (seconds, lowest) = (max(seconds, newest), min(lowest, newest))
            return
        }
        (seconds, lowest) = (0, .infinity)
        for index in 0..<min(feedbackCount, recent.count) {
            (seconds, lowest) = (max(seconds, recent[index]), min(lowest, recent[index]))
        }
    }

    /// The sample, unless it is that of a stall.
    private mutating func accepted(_ sample: Double) -> Double? {
        guard feedbackCount > 0, sample > lowest + RoundTrip.stall else {
            stalls = (0, .infinity)
            return sample
        }
        stalls = (stalls.count + 1, min(stalls.shortest, sample))
        guard stalls.count >= RoundTrip.mostStalls else { return nil }
        defer { stalls = (0, .infinity) }
        return stalls.shortest
    }
}
