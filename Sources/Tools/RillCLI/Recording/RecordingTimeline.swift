import RillCore

/// The times of a recording: those of the stream, as long as they agree with when its frames arrived.
///
/// ```swift
/// var timeline = RecordingTimeline()
/// let time = timeline.add(frame.captureTime, arrivedAt: now)
/// if let notice = timeline.takeNotice() { print(notice) }
/// ```
///
/// Timestamps of RTP are the sender's word. A sender that restarts or loops a clip, or one that means harm, makes them
/// jump by up to hours, or stand still. A recording that fills gaps would fill the disk, and one that goes back is
/// refused by players. So a step of the timestamps counts if it is forward, at most ``tolerance`` longer than the time
/// since the last frame, and at most ``longestDelay`` shorter. Any other is a jump: the recording goes on by the time
/// that really passed. In all, it is at most ``tolerance`` and a hundredth longer than the time since its first frame;
/// only steps that are too short to fill anything go beyond, as of a sender that is faster than real time.
///
/// A pure value: time is an argument.
struct RecordingTimeline: Sendable {
    /// The number of frames whose timestamp had jumped.
    private(set) var jumps = 0
    private var first = MediaTime.zero
    private var last: Frame?
    private var isReported = false
    private var newJump: MediaDuration?

    private struct Frame {
        /// Its timestamp.
        var time: MediaTime
        var arrival: MediaTime
        /// Its time in the recording, since the first frame.
        var place: MediaDuration
    }

    /// How much further than real time the timestamps may go: the playout delay shrinks when a network recovers.
    static let tolerance = MediaDuration.seconds(1)
    /// How much later than the frame before one may arrive: the longest adaptive playout delay.
    static let longestDelay = MediaDuration.seconds(10)
    /// A step that is filled by no picture, at 25 frames per second and more.
    static let shortStep = MediaDuration.milliseconds(40)
    /// No clock is faster than by this part.
    private static let fastestClock: Int64 = 100
    /// Two frames are this far apart at least, which WebM can store. FFmpeg's muxers make timestamps that would go back
    /// stand still instead: one tick a frame.
    private static let shortestStep = MediaDuration.milliseconds(1)

    /// Returns the time of the next frame in the recording, counted from the first frame.
    ///
    /// - Parameters:
    ///   - time: its timestamp.
    ///   - now: when it arrived; not before the last one.
    mutating func add(_ time: MediaTime, arrivedAt now: MediaTime) -> MediaDuration {
        guard let last else {
            first = now
            self.last = Frame(time: time, arrival: now, place: .zero)
            return .zero
        }
        let (step, passed) = (time - last.time, now - last.arrival)
        var place: MediaDuration
        if step >= Self.shortestStep, step <= passed + Self.tolerance, passed <= step + Self.longestDelay {
            place = last.place + step
        } else {
            jumps += 1
            if !isReported, newJump == nil { newJump = step - passed }
            place = last.place + max(passed, Self.shortestStep)
        }
        let elapsed = now - first
        let latest = elapsed + Self.tolerance + MediaDuration(nanoseconds: elapsed.nanoseconds / Self.fastestClock)
        place = min(place, max(latest, last.place + min(Self.shortStep, place - last.place)))
        self.last = Frame(time: time, arrival: now, place: place)
        return place
    }

    /// Returns a line about the first jump, once.
    mutating func takeNotice() -> String? {
        guard let jump = newJump.take() else { return nil }
        isReported = true
        let length = MediaDuration(nanoseconds: abs(jump.nanoseconds))
        return "the sender's timestamps are suddenly \(length) \(jump < .zero ? "behind" : "ahead"):"
            + " the recording goes on in real time"
    }

    /// A line about all jumps, if there was more than the one that was reported.
    var summary: String? { jumps > 1 ? "the sender's timestamps jumped \(jumps) times" : nil }
}
