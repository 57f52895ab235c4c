import RillCore
import RillRTP

/// Maps timestamps to the times at which their frames are to be released, so that they are shown in time.
///
/// A frame's transit is the time at which it became whole less its timestamp as a time. Frames are released at their
/// timestamp plus the transit that ``JitterEstimator`` aims at and a small margin; decoding and showing follow. The target
/// delay, by which ``PlayoutDelayBounds`` bound it, counts from the fastest way of the last minute to the moment of
/// showing, so the time that decoding takes (95 of 100 frames) is part of it.
///
/// It moves by at most 100 ms a second, so that motion does not seem to jump; and after a frame that came very late those
/// behind it do not catch up at once, but at that speed too, for more of its kind may come. The answer for a frame is fixed when it
/// becomes whole; until then it is provisional. As all of it follows the transits, it follows the skew of the two clocks.
///
/// In the first seconds the estimate knows little. There, a late frame makes the delay jump, and those that wait behind it wait
/// as much longer (``wait(behind:assembly:repairTime:at:)``).
struct PlayoutTiming: ~Copyable, Sendable {
    /// What the bounds are.
    let bounds: PlayoutDelayBounds
    /// Arrivals, and what they scatter by.
    private var jitter = JitterEstimator()
    private var floor = TransitFloor()
    private var clockSkew = ClockSkewEstimator()
    private var decodeTimes = RecentValues(span: .seconds(10))
    /// How long decoding takes, at the 95th percentile.
    private(set) var decodeTime = MediaDuration.zero
    /// The transit at which frames are released, in nanoseconds.
    private var offset: Int64?
    private var lastMove = MediaTime.zero
    /// When the first frame was released.
    private var firstRelease: MediaTime?
    /// What is left of a very late frame's transit.
    private var held: Int64?
    /// Transit of the first packet: a stand-in until a frame is whole.
    private var firstTransit: Int64?
    /// When the last released frame was ready, for those that follow cannot be decoded before.
    private var lastReady = MediaTime(nanoseconds: .min)
    /// A frame's packets have one timestamp: the last that was turned into a time.
    private var lastMedia: (timestamp: Int64, time: MediaTime) = (0, .zero)

    /// Beyond the estimate, for what scatters on this side: threads that wake late.
    static let margin = MediaDuration.milliseconds(2)
    /// What the delay moves by in a second.
    static let speed = MediaDuration.milliseconds(100)
    /// So long after the first frame the delay may jump: what the estimate looks back on is not full before.
    static let start = JitterEstimator.memory
    /// From here on a frame that is late is very late, and so much of its lateness is not kept.
    private static let veryLate = MediaDuration.milliseconds(150)
    private static let notHeld = MediaDuration.milliseconds(20)
    /// Between two frames it moves no more than in this time.
    private static let longestMove = MediaDuration.seconds(1)
    /// A decoder that takes longer has other troubles.
    private static let longestDecodeTime = MediaDuration.milliseconds(500)

    init(_ bounds: PlayoutDelayBounds) {
        self.bounds = bounds
    }

    // MARK: What came

    /// Notes a packet that came on the stream's own way.
    mutating func notePacket(timestamp: Int64, at now: MediaTime) {
        let transit = (now - time(of: timestamp)).nanoseconds
        if firstTransit == nil { firstTransit = transit }
        jitter.notePacket(timestamp: timestamp, transit: transit, at: now)
    }

    /// Whether a packet is of the frame that the last one was of, which came on the stream's own way.
    @inline(__always)
    mutating func continuesFrame(with timestamp: Int64) -> Bool { jitter.continuesFrame(with: timestamp) }

    /// Notes a packet that goes on, `transit` after its timestamp.
    @inline(__always)
    mutating func follow(_ transit: MediaDuration) { jitter.follow(transit.nanoseconds) }

    /// Notes a frame that became whole now, and gives the time at which it is to be released.
    ///
    /// - Parameters:
    ///   - byteCount: its size; `nil` where it was repaired, so that its transit says nothing of that.
    mutating func noteFrame(
        timestamp: Int64, byteCount: Int?, isKey: Bool, frameInterval: MediaDuration, at now: MediaTime
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
        lastMove = now
        let release = max(offset ?? transit, held ?? .min)
        return media + MediaDuration(nanoseconds: bounded(release, above: floor.smallest ?? transit))
    }

    /// Notes a frame that is released.
    ///
    /// - Parameters:
    ///   - assembly: when its last packet came.
    ///   - isRepaired: a packet of it was sent again, or made from FEC packets.
    ///   - repairTime: how long one repair takes, from the loss to the answer.
    mutating func noteRelease(
        timestamp: Int64, assembly: MediaTime, isRepaired: Bool, repairTime: MediaDuration, at now: MediaTime
    ) {
        firstRelease = firstRelease ?? now
        lastReady = max(lastReady, assembly)
        jitter.noteReady(
            transit: (lastReady - time(of: timestamp)).nanoseconds, isRepaired: isRepaired, repairTime: repairTime,
            at: now)
    }

    /// Has the frames behind one that was late wait as long as it, in the first seconds: the picture then stands still for a
    /// moment, where they would else be due at once, and all but the last of them not shown. A wait for more than one repair
    /// counts as one, as it does in the estimate.
    ///
    /// Ask before the frame's release is noted.
    ///
    /// - Parameters:
    ///   - timestamp: of the frame that is released.
    ///   - assembly: when its last packet came.
    ///   - repairTime: how long one repair takes, from the loss to the answer.
    /// - Returns: whether the delay has grown; frames that are whole are then to be released no sooner than
    ///   ``provisionalPlayout(timestamp:)`` says now.
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

    // MARK: What is told

    /// When a frame should be released if it became whole in time, as far as known now.
    mutating func provisionalPlayout(timestamp: Int64) -> MediaTime {
        let transit = offset ?? bounded(firstTransit ?? 0, above: firstTransit ?? 0)
        return PlayoutTiming.mediaTime(timestamp) + MediaDuration(nanoseconds: transit)
    }

    /// By when nearly every frame of that timestamp would have come, without repair.
    mutating func expectedArrival(timestamp: Int64) -> MediaTime {
        PlayoutTiming.mediaTime(timestamp)
            + MediaDuration(nanoseconds: jitter.arrivalQuantile ?? offset ?? firstTransit ?? 0)
    }

    /// By when a frame behind the newest one would have come that is no later than that: a queue that has grown is there
    /// for the next one too.
    ///
    /// - Parameter media: its timestamp as a time.
    mutating func expectedNextArrival(of media: MediaTime) -> MediaTime {
        let usual = jitter.arrivalQuantile ?? offset ?? firstTransit ?? 0
        return media + MediaDuration(nanoseconds: max(usual, jitter.newestTransit ?? 0))
    }

    /// The delay aimed at: from the fastest way of the last minute to the moment of showing.
    var targetDelay: MediaDuration {
        guard let offset, let smallest = floor.smallest else { return bounds.minimum }
        return MediaDuration(nanoseconds: max(0, offset - smallest)) + decodeTime
    }

    /// By how much the receiver's clock runs faster than the sender's, as a share: 0.0001 is 100 ppm.
    var skew: Double { clockSkew.skew }

    /// The timestamp as a time on the sender's media clock.
    static func mediaTime(_ timestamp: Int64) -> MediaTime {
        MediaTime(ticks: timestamp, rate: RTPTimestamp.videoClockRate)
    }

    /// Forgets the transits: the timestamps have jumped.
    mutating func restart() {
        jitter.restart()
        floor = TransitFloor()
        clockSkew.restart()
        offset = nil
        held = nil
        firstRelease = nil
        firstTransit = nil
        lastReady = MediaTime(nanoseconds: .min)
    }

    // MARK: Inside

    /// How far the playout may move since the last frame, in nanoseconds.
    private func longestStep(at now: MediaTime) -> Int64 {
        let time = max(.zero, min(now - lastMove, PlayoutTiming.longestMove))
        return time.nanoseconds / 1000 * PlayoutTiming.speed.nanoseconds / 1_000_000
    }

    /// Holds on to the transit of a frame that came very late of itself, and lets go of it slowly.
    private mutating func hold(_ transit: Int64, isUnrepaired: Bool, losing most: Int64) {
        if let held { self.held = held - most }
        guard isUnrepaired, let offset, transit - max(offset, held ?? .min) > PlayoutTiming.veryLate.nanoseconds else {
            return
        }
        held = transit - PlayoutTiming.notHeld.nanoseconds
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

    /// The transit, kept within the bounds, which count from the smallest one and include decoding.
    private func bounded(_ transit: Int64, above smallest: Int64) -> Int64 {
        let least = smallest + max(.zero, bounds.minimum - decodeTime).nanoseconds
        let most = smallest + max(.zero, bounds.maximum - decodeTime).nanoseconds
        return max(least, min(most, transit))
    }

    /// The timestamp as a time, as ``mediaTime(_:)`` gives it; mostly known already.
    @inline(__always)
    mutating func time(of timestamp: Int64) -> MediaTime {
        if timestamp != lastMedia.timestamp { lastMedia = (timestamp, PlayoutTiming.mediaTime(timestamp)) }
        return lastMedia.time
    }
}
