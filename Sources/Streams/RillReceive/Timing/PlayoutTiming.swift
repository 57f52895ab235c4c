import RillCore
import RillRTP

/// Maps timestamps to the release times of their frames, so that they are shown on time.
///
/// A frame's transit is the time at which it became complete minus its timestamp as a time. Frames are released at
/// their timestamp plus the transit that ``JitterEstimator`` aims at, plus a small margin; decoding and showing
/// follow. The target delay, which ``PlayoutDelayBounds`` limit, counts from the shortest transit of the last minute
/// to the time of showing, so it includes the decode time (95th percentile).
///
/// It moves by at most 100 ms per second, so that motion does not seem to jump. After a very late frame the following
/// ones catch up at that speed too, because more such frames may follow. A frame's release time is fixed when it
/// becomes complete; until then it is provisional. As all of it follows the transits, it follows the skew of the two
/// clocks.
///
/// A sender that leaves frames out while the network stalls sends the next one with a later timestamp. The delay then
/// shrinks by that gap, as far as the frame is there: the picture would otherwise stop once more, for as long.
///
/// In the first seconds the estimate knows little. Then a late frame makes the delay jump, and the frames that wait
/// after it wait that much longer (``wait(behind:assembly:repairTime:at:)``).
struct PlayoutTiming: ~Copyable, Sendable {
    /// The bounds of the delay.
    let bounds: PlayoutDelayBounds
    /// The rate of the timestamps.
    private let clockRate: ClockRate
    /// Arrivals, and their jitter.
    private var jitter = JitterEstimator()
    private var floor = TransitFloor()
    private var clockSkew = ClockSkewEstimator()
    private var decodeTimes = RecentValues(span: .seconds(10))
    /// The decode time at the 95th percentile.
    private(set) var decodeTime = MediaDuration.zero
    /// The transit at which frames are released, in nanoseconds.
    private var offset: Int64?
    private var lastMove = MediaTime.zero
    /// When the first frame was released.
    private var firstRelease: MediaTime?
    /// What remains of a very late frame's transit.
    private var held: Int64?
    /// The newest frame's timestamp as a time, and its release.
    private var newest: (media: MediaTime, release: MediaTime)?
    /// Transit of the first packet: used until a frame is complete.
    private var firstTransit: Int64?
    /// When the last released frame was complete: later frames cannot be decoded earlier.
    private var lastReady = MediaTime(nanoseconds: .min)
    /// The last timestamp converted to a time: a frame's packets have one timestamp.
    private var lastMedia: (timestamp: Int64, time: MediaTime) = (0, .zero)

    /// The margin beyond the estimate for jitter on this side: threads that wake late.
    static let margin = MediaDuration.milliseconds(2)
    /// The movement of the delay per second.
    static let speed = MediaDuration.milliseconds(100)
    /// The time after the first frame in which the delay may jump: the estimate's window is not full before.
    static let start = JitterEstimator.memory
    /// From this lateness on a frame counts as very late; this much of its lateness is not kept.
    private static let veryLate = MediaDuration.milliseconds(150)
    private static let notHeld = MediaDuration.milliseconds(20)
    /// Where the sender left out frames, the next one is released this long after the one before at most, or a frame
    /// interval. At 30 frames per second a gap of 183 ms is a freeze.
    private static let longestGap = (least: MediaDuration.milliseconds(100), most: MediaDuration.milliseconds(250))
    /// The longest time between two frames that counts for the movement.
    private static let longestMove = MediaDuration.seconds(1)
    /// A decoder that takes longer has other problems.
    private static let longestDecodeTime = MediaDuration.milliseconds(500)

    init(_ bounds: PlayoutDelayBounds, _ clockRate: ClockRate = .video) {
        self.bounds = bounds
        self.clockRate = clockRate
    }

    // MARK: Measurements

    /// Notes a packet that arrived directly.
    ///
    /// - Parameters:
    ///   - timestamp: its extended timestamp.
    ///   - media: that as a time.
    ///   - now: the current time.
    mutating func notePacket(timestamp: Int64, _ media: MediaTime, at now: MediaTime) {
        lastMedia = (timestamp, media)
        let transit = (now - media).nanoseconds
        if firstTransit == nil { firstTransit = transit }
        jitter.notePacket(timestamp: timestamp, transit: transit, at: now)
    }

    /// Whether a packet belongs to the frame of the last packet that arrived directly.
    @inline(__always)
    mutating func continues(with timestamp: Int64) -> Bool { jitter.continues(with: timestamp) }

    /// Notes a packet of that frame, `transit` after its timestamp.
    @inline(__always)
    mutating func follow(_ transit: MediaDuration) { jitter.follow(transit.nanoseconds) }

    /// Notes a frame that became complete now, and returns its release time.
    ///
    /// - Parameters:
    ///   - timestamp: its extended timestamp.
    ///   - byteCount: its size; `nil` if it was repaired, because its transit then does not depend on its size.
    ///   - isKey: whether it is a key frame.
    ///   - step: the time since the timestamp of the frame that it directly follows; `nil` if that is unknown.
    ///   - frameInterval: the stream's frame interval.
    ///   - now: the current time.
    /// - Returns: its release time.
    @inline(__always)
    mutating func noteFrame(
        timestamp: Int64, byteCount: Int?, isKey: Bool, step: MediaDuration?, frameInterval: MediaDuration,
        at now: MediaTime
    ) -> MediaTime {
        let media = time(of: timestamp)
        let transit = (now - media).nanoseconds
        floor.add(transit, at: now, skew: clockSkew.skew)
        clockSkew.add(transit, at: now)
        jitter.noteSkew(clockSkew.skew, at: now)
        if let byteCount { jitter.noteSize(byteCount, isKey: isKey, transit: transit, at: now) }
        let most = longestStep(at: now)
        move(to: jitter.target(frameInterval: frameInterval, at: now), transit, by: most)
        hold(transit, isUnrepaired: byteCount != nil, losing: most)
        catchUp(to: media, transit, step: step, frameInterval: frameInterval)
        lastMove = now
        let transitAtRelease = bounded(max(offset ?? transit, held ?? .min), above: floor.smallest ?? transit)
        let release = media + MediaDuration(nanoseconds: transitAtRelease)
        if media > newest?.media ?? MediaTime(nanoseconds: .min) { newest = (media, max(release, now)) }
        return release
    }

    /// Notes a frame that is released.
    ///
    /// - Parameters:
    ///   - timestamp: its extended timestamp.
    ///   - assembly: when its last packet arrived.
    ///   - isRepaired: whether a packet of it was retransmitted or recovered by FEC.
    ///   - repairTime: the duration of one repair, from the loss to the answer.
    ///   - now: the current time.
    mutating func noteRelease(
        timestamp: Int64, assembly: MediaTime, isRepaired: Bool, repairTime: MediaDuration, at now: MediaTime
    ) {
        firstRelease = firstRelease ?? now
        lastReady = max(lastReady, assembly)
        jitter.noteReady(
            transit: (lastReady - time(of: timestamp)).nanoseconds, isRepaired: isRepaired, repairTime: repairTime,
            at: now)
    }

    /// Makes the frames after a late one wait as long as it did, in the first seconds. The picture then freezes for a
    /// moment; otherwise they would be due at once, and all but the last would not be shown. A wait for several
    /// repairs counts as one, as in the estimate.
    ///
    /// Call it before the frame's release is noted.
    ///
    /// - Parameters:
    ///   - timestamp: the released frame's extended timestamp.
    ///   - assembly: when its last packet arrived.
    ///   - repairTime: the duration of one repair, from the loss to the answer.
    ///   - now: the current time.
    /// - Returns: whether the delay has grown; complete frames must then be released no earlier than
    ///   ``provisionalPlayout(timestamp:)`` now returns.
    mutating func wait(
        behind timestamp: Int64, assembly: MediaTime, repairTime: MediaDuration, at now: MediaTime
    ) -> Bool {
        guard now - (firstRelease ?? now) < PlayoutTiming.start, let offset, let smallest = floor.smallest else {
            return false
        }
        let transit = (max(lastReady, assembly) - time(of: timestamp)).nanoseconds
        let once = min(transit, (jitter.arrivalQuantile ?? smallest) + repairTime.nanoseconds)
        let moved = bounded(once + PlayoutTiming.margin.nanoseconds, above: smallest)
        guard moved > offset else { return false }
        self.offset = moved
        return true
    }

    /// Notes how long a frame took from its release to its picture.
    mutating func noteDecodeTime(_ duration: MediaDuration, at now: MediaTime) {
        let duration = max(.zero, min(duration, PlayoutTiming.longestDecodeTime))
        decodeTimes.add(duration.nanoseconds, at: now)
        let rank = decodeTimes.count - 1 - decodeTimes.count / 20
        decodeTime = MediaDuration(nanoseconds: decodeTimes.value(rank: rank))
    }

    // MARK: Results

    /// Returns when to release a frame that becomes complete in time, as far as known now.
    mutating func provisionalPlayout(timestamp: Int64) -> MediaTime {
        let transit = offset ?? bounded(firstTransit ?? 0, above: firstTransit ?? 0)
        return clockRate.time(of: timestamp) + MediaDuration(nanoseconds: transit)
    }

    /// Returns by when nearly every frame of that timestamp would have arrived, without repair.
    mutating func expectedArrival(timestamp: Int64) -> MediaTime {
        clockRate.time(of: timestamp)
            + MediaDuration(nanoseconds: jitter.arrivalQuantile ?? offset ?? firstTransit ?? 0)
    }

    /// Returns by when the frame after the newest one would have arrived if it is no later than that: a queue that
    /// has grown also holds up the next frame.
    ///
    /// - Parameter media: its timestamp as a time.
    mutating func expectedNextArrival(of media: MediaTime) -> MediaTime {
        let usual = jitter.arrivalQuantile ?? offset ?? firstTransit ?? 0
        return media + MediaDuration(nanoseconds: max(usual, jitter.newestTransit ?? 0))
    }

    /// The target delay: from the shortest transit of the last minute to the time of showing.
    var targetDelay: MediaDuration {
        guard let offset, let smallest = floor.smallest else { return bounds.minimum }
        return MediaDuration(nanoseconds: max(0, offset - smallest)) + decodeTime
    }

    /// By how much the receiver's clock runs faster than the sender's, as a fraction: 0.0001 is 100 ppm.
    var skew: Double { clockSkew.skew }

    /// Forgets the transits: the timestamps have jumped.
    mutating func restart() {
        jitter.restart()
        floor = TransitFloor()
        clockSkew.restart()
        offset = nil
        held = nil
        newest = nil
        firstRelease = nil
        firstTransit = nil
        lastReady = MediaTime(nanoseconds: .min)
    }

    // MARK: Implementation

    /// How far the playout may move since the last frame, in nanoseconds.
    private func longestStep(at now: MediaTime) -> Int64 {
        let time = max(.zero, min(now - lastMove, PlayoutTiming.longestMove))
        return time.nanoseconds / 1000 * PlayoutTiming.speed.nanoseconds / 1_000_000
    }

    /// Keeps the transit of a frame that was very late without repair, and lets it decay slowly.
    private mutating func hold(_ transit: Int64, isUnrepaired: Bool, losing most: Int64) {
        if let held { self.held = held - most }
        guard isUnrepaired, let offset, transit - max(offset, held ?? .min) > PlayoutTiming.veryLate.nanoseconds else {
            return
        }
        held = transit - PlayoutTiming.notHeld.nanoseconds
    }

    /// Shortens the delay where frames were left out: it would stop the picture again.
    private mutating func catchUp(
        to media: MediaTime, _ transit: Int64, step: MediaDuration?, frameInterval: MediaDuration
    ) {
        guard let newest, media > newest.media else { return }
        let (least, most) = PlayoutTiming.longestGap
        let latest = (newest.release + max(least, min(frameInterval, most)) - media).nanoseconds
        if let held { self.held = min(held, latest) }
        // In a slow stream such a step is usual.
        guard let offset, let smallest = floor.smallest, let step, step > least, step > frameInterval * 3 / 2 else {
            return
        }
        self.offset = bounded(
            min(offset, max(latest, transit + PlayoutTiming.margin.nanoseconds)), above: smallest)
    }

    private mutating func move(to target: Int64?, _ transit: Int64, by most: Int64) {
        let margin = PlayoutTiming.margin.nanoseconds
        guard let offset, let smallest = floor.smallest else {
            self.offset = bounded(transit + margin, above: transit)
            return
        }
        var moved = offset
        if let target {
            moved = offset + max(-most, min(most, target + margin - offset))
        }
        self.offset = bounded(moved, above: smallest)
    }

    /// Limits the transit to the bounds, which count from the smallest one and include decoding.
    private func bounded(_ transit: Int64, above smallest: Int64) -> Int64 {
        let least = smallest + max(.zero, bounds.minimum - decodeTime).nanoseconds
        let most = smallest + max(.zero, bounds.maximum - decodeTime).nanoseconds
        return max(least, min(most, transit))
    }

    /// The timestamp as a time on the sender's media clock; mostly cached.
    @inline(__always)
    mutating func time(of timestamp: Int64) -> MediaTime {
        if timestamp != lastMedia.timestamp { lastMedia = (timestamp, clockRate.time(of: timestamp)) }
        return lastMedia.time
    }
}

/// The time from one frame of the stream to the next, according to their timestamps.
struct FrameInterval: Sendable {
    /// The last step; zero while unknown.
    private(set) var last = MediaDuration.zero
    /// Whether the previous step was the same, within a tenth.
    private(set) var isRegular = false

    /// A longer step of timestamps is a pause, not a frame rate.
    static let maximum = MediaDuration.seconds(10)
    /// A shorter step is none either: such frames follow each other at once, as a forwarder repeats them for a viewer
    /// who joins.
    static let minimum = MediaDuration.milliseconds(2)

    /// Notes the step of timestamps from one frame to the directly following one.
    mutating func note(_ step: MediaDuration) {
        guard step > .zero, step <= FrameInterval.maximum else { return }
        isRegular = step >= FrameInterval.minimum && abs((step - last).nanoseconds) <= last.nanoseconds / 10
        last = step
    }
}

/// Detects that the decoder cannot keep up, and ensures that something is shown all the same.
///
/// Of several frames that are due at once only the last is shown, which catches up after the network held them back.
/// A machine that is too slow for its streams never reaches that last one, because the next is due before. Without
/// this type, its picture would freeze forever.
struct DecoderLag {
    /// When the last frame could have been released, had other frames taken no time to decode.
    private var lastReady: MediaTime?
    /// When a shown frame was last released.
    private var lastShown: MediaTime?

    /// The longest that a frame waits for a decoder that keeps up: threads that wake late are not a lag.
    static let standstillTimeout = MediaDuration.milliseconds(100)
    /// The time without a shown frame after which one is shown that should only be decoded.
    static let standstill = MediaDuration.milliseconds(500)

    /// Notes that a frame is released, and returns whether to show it.
    ///
    /// - Parameters:
    ///   - isOvertaken: whether its successor is already due.
    ///   - ready: when it was complete and due.
    ///   - now: the current time.
    /// - Returns: whether to show it.
    mutating func release(isOvertaken: Bool, ready: MediaTime, at now: MediaTime) -> Bool {
        // A frame that was complete while the network held back the previous one did not wait for the decoder until
        // that arrived.
        let ready = max(ready, lastReady ?? ready)
        lastReady = ready
        let standsStill = lastShown.map { now - $0 > DecoderLag.standstill } ?? true
        let isShown = !isOvertaken || now - ready > DecoderLag.standstillTimeout && standsStill
        if isShown { lastShown = now }
        return isShown
    }
}
