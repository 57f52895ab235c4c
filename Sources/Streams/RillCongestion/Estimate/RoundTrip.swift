/// The round-trip time (RTT) from a packet's departure to its feedback, without queueing delay.
///
/// Each feedback gives one sample: that of its newest packet. The result is the maximum of the last sixteen samples,
/// as feedback itself may be delayed.
struct RoundTrip: Sendable {
    private var shortest = Double.infinity
    /// The samples, by feedback count modulo their number; 0 before the first.
    private var recent = InlineArray<16, Double>(repeating: 0)
    private var feedbackCount = 0
    /// The RTT in seconds; 200 ms before the first sample.
    private(set) var seconds = 0.2

    @inline(__always)
    mutating func add(_ seconds: Double) { shortest = min(shortest, seconds) }

    /// Completes a sample, after the packets of a feedback.
    mutating func update() {
        guard shortest.isFinite else { return }
        let newest = min(max(shortest, 0), 3)
        let place = feedbackCount % recent.count
        let forgotten = recent[place]
        recent[place] = newest
        feedbackCount += 1
        shortest = .infinity
        if forgotten < seconds, feedbackCount > 1 {
            seconds = max(seconds, newest)
            return
        }
        seconds = 0
        for index in recent.indices { seconds = max(seconds, recent[index]) }
    }
}
