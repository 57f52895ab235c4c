import RillCore
import RillRTP

/// The capture times of the sound that a listener gets: one clock, which always rises, whichever publisher it comes
/// from.
///
/// Times advance by exactly what the publisher's timestamps do, so that no listener stretches or cuts sound for it. At
/// another publisher, and where the clock jumps by more than ``longestJump`` against the arrivals, they go on from the
/// arrival.
struct SoundTimeline: Sendable {
    /// Where the present run of timestamps began, and how far it has come.
    private var origin: (time: MediaTime, ticks: Int64)?
    private var newest: (timestamp: RTPTimestamp, ticks: Int64)?
    private var last: MediaTime?

    /// Opus counts 48,000 times a second, whatever it encodes (RFC 7587 §4.1).
    static let rate = ClockRate.opus
    /// Times further from their arrival than this belong to a clock that has jumped, or to a network that held sound
    /// back for longer than anybody waits for it.
    static let longestJump = MediaDuration.seconds(2)
    /// From the last payload of one run to the first of the next at least: the shortest payload of Opus.
    static let shortestStep = MediaDuration(nanoseconds: 2_500_000)

    /// What comes next is of another publisher.
    mutating func restart() { (origin, newest) = (nil, nil) }

    /// The time of a payload.
    ///
    /// - Parameters:
    ///   - timestamp: the publisher's.
    ///   - arrival: when it arrived.
    mutating func time(of timestamp: RTPTimestamp, arrival: MediaTime) -> MediaTime {
        if let origin, let newest {
            let step = Int32(bitPattern: timestamp.rawValue &- newest.timestamp.rawValue)
            let ticks = newest.ticks + Int64(step)
            let time = origin.time + SoundTimeline.rate.duration(of: ticks - origin.ticks)
            if time <= arrival + SoundTimeline.longestJump, time >= arrival - SoundTimeline.longestJump {
                // A payload that comes late has its own, earlier time.
                if step > 0 { self.newest = (timestamp, ticks) }
                last = max(time, last ?? time)
                return time
            }
        }
        let time = max(arrival, last.map { $0 + SoundTimeline.shortestStep } ?? arrival)
        (origin, newest, last) = ((time, 0), (timestamp, 0), time)
        return time
    }
}
