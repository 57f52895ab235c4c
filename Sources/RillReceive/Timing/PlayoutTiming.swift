import RillCore
import RillRTP

/// Maps timestamps to the times at which their frames are to be played out.
///
/// A frame's transit is the time at which it became whole less its timestamp as a time. The smallest transit so far is
/// the network at its best; that and a fixed delay on top is when a frame is played out. The answer for a frame is fixed
/// when it becomes whole; until then it is provisional and moves with the smallest transit.
struct PlayoutTiming: Sendable {
    /// What is added to the smallest transit.
    let delay: MediaDuration

    private var smallestTransit: MediaDuration?
    /// Transit of the first packet: a stand-in until a frame is whole.
    private var firstTransit: MediaDuration?

    init(delay: MediaDuration) {
        self.delay = delay
    }

    /// Notes a packet; only the first one matters.
    mutating func notePacket(timestamp: Int64, at now: MediaTime) {
        if firstTransit == nil { firstTransit = now - mediaTime(timestamp) }
    }

    /// Notes a frame that became whole now, and gives its playout time.
    mutating func noteFrame(timestamp: Int64, at now: MediaTime) -> MediaTime {
        let media = mediaTime(timestamp)
        let transit = min(smallestTransit ?? now - media, now - media)
        smallestTransit = transit
        return media + transit + delay
    }

    /// When a frame that is not whole should be played out, as far as known now.
    func provisionalPlayout(timestamp: Int64) -> MediaTime {
        mediaTime(timestamp) + (smallestTransit ?? firstTransit ?? .zero) + delay
    }

    /// The timestamp as a time on the sender's media clock.
    func mediaTime(_ timestamp: Int64) -> MediaTime {
        MediaTime(ticks: timestamp, rate: RTPTimestamp.videoClockRate)
    }

    /// Forgets the transits: the timestamps have jumped.
    mutating func restart() {
        smallestTransit = nil
        firstTransit = nil
    }
}
