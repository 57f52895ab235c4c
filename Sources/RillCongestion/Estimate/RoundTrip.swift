/// The time from a packet's departure to the feedback that reports it, without what waits in the queue.
///
/// Each feedback gives one: that of its newest packet. The longest of the last sixteen is taken, as feedback may wait on its way, too.
struct RoundTrip: Sendable {
    private var shortest = Double.infinity
    /// By feedback modulo their count; 0 where there was none.
    private var recent = InlineArray<16, Double>(repeating: 0)
    private var feedbackCount = 0
    /// The round trip in seconds.
    private(set) var seconds = 0.2

    @inline(__always)
    mutating func add(_ seconds: Double) { shortest = min(shortest, seconds) }

    /// After the packets of a feedback.
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
