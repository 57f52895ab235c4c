import RillCore
import RillRTP

/// The capture times of what a viewer gets: one clock, which always rises, whichever layer or publisher the frames come
/// from.
///
/// Layers have clocks of their own. At a change the step is that of the publisher's wall clock, if both layers' are
/// known and agree with what arrives; otherwise that of the arrivals.
///
/// **Limits.** A viewer shows a frame by its capture time: a time that is ahead of the arrival delays what it shows,
/// and a time that lags behind looks like a network that delays it. Both stay for as long as the clock does. So the
/// clock follows a publisher's only within ``longestLead`` and ``longestLag`` of the arrivals. A step that leaves them,
/// or goes back, is a discontinuity of the publisher's clock: it counts as the time that passed between the arrivals. A
/// clock that is a bit too fast or too slow is so corrected now and then.
struct ViewerTimeline: Sendable {
    private var last: (time: MediaTime, capture: MediaTime, wallClock: NTPTimestamp?, arrival: MediaTime)?
    /// From the present layer's clock to this one.
    private var offset = MediaDuration.zero
    /// Whether the next frame begins at its arrival.
    private var isRestart = false

    /// Layers of one moment arrive at most so far apart.
    private static let plausibleSkew = MediaDuration.seconds(2)
    /// Frames that are sent as quickly as they can be decoded follow each other so closely.
    static let shortestStep = MediaDuration.milliseconds(2)
    /// As closely as that, if there are so many of them that their times would run away from their arrival: more than a
    /// tick of the RTP clock.
    static let leastStep = MediaDuration(nanoseconds: 25_000)
    /// By how much a time is ahead of its frame's arrival at most: two frames of 30 a second. Where the first frame was
    /// late, those behind it seem early.
    static let longestLead = MediaDuration.milliseconds(66)
    /// By how much a time is behind its frame's arrival at most. A network of the publisher that delays more is an
    /// outage.
    static let longestLag = MediaDuration.milliseconds(500)

    /// Another publisher takes over: its first frame begins at its arrival, and nothing remains of the former one's
    /// clock.
    mutating func restart() { isRestart = true }

    /// The time of a frame.
    ///
    /// - Parameters:
    ///   - published: the frame.
    ///   - isChange: whether the frame before was of another layer or publisher.
    mutating func time(of published: PublishedFrame, isChange: Bool) -> MediaTime {
        let (capture, arrival) = (published.frame.captureTime, published.arrival)
        guard let last, !isRestart else { return begin(with: published, at: arrival) }
        let arrived = arrival - last.arrival
        var time = capture + offset
        if isChange {
            time = last.time + step(from: last.wallClock, to: published.wallClock, arrived)
        } else if capture <= last.capture || !ViewerTimeline.isNear(time, arrival) {
            time = last.time + arrived
        }
        time = min(max(time, arrival - ViewerTimeline.longestLag), arrival + ViewerTimeline.longestLead)
        time = max(time, last.time + leastStep(at: arrival))
        offset = time - capture
        return note(published, at: time)
    }

    /// The time of a frame that was kept for those who join. All of them are sent at once, and what is seen must not
    /// lag: the newest one has its own time, and those before it follow each other closely.
    ///
    /// - Parameters:
    ///   - published: the frame.
    ///   - newest: the newest of the frames that were kept.
    ///   - age: by how many frames it is older than the newest.
    mutating func time(of published: PublishedFrame, behind newest: PublishedFrame, age: Int) -> MediaTime {
        var target = newest.arrival
        var spacing = ViewerTimeline.shortestStep
        if let last {
            if !isRestart { target = last.time + (newest.arrival - last.arrival) }
            target = min(
                max(target, newest.arrival - ViewerTimeline.longestLag), newest.arrival + ViewerTimeline.longestLead)
            spacing = leastStep(at: newest.arrival, count: age + 1)
            target = max(target, last.time + spacing * (age + 1))
        }
        let time = target - spacing * age
        isRestart = false
        offset = time - published.frame.captureTime
        // The next one of them is compared with what belongs to this time.
        last = (time, published.frame.captureTime, newest.wallClock, newest.arrival)
        return time
    }

    /// The step of a change of the layer.
    private func step(from: NTPTimestamp?, to: NTPTimestamp?, _ arrived: MediaDuration) -> MediaDuration {
        guard let from, let to else { return arrived }
        let claimed = MediaDuration(nanoseconds: to.nanoseconds(since: from))
        let skew = abs((claimed - arrived).nanoseconds)
        return skew < ViewerTimeline.plausibleSkew.nanoseconds ? claimed : arrived
    }

    /// The time to each of the next frames at least.
    private func leastStep(at arrival: MediaTime, count: Int = 1) -> MediaDuration {
        guard let last else { return ViewerTimeline.shortestStep }
        let isAhead = last.time + ViewerTimeline.shortestStep * count > arrival + ViewerTimeline.longestLead
        return isAhead ? ViewerTimeline.leastStep : ViewerTimeline.shortestStep
    }

    private static func isNear(_ time: MediaTime, _ arrival: MediaTime) -> Bool {
        time <= arrival + longestLead && time >= arrival - longestLag
    }

    private mutating func begin(with published: PublishedFrame, at arrival: MediaTime) -> MediaTime {
        isRestart = false
        let time = last.map { max(arrival, $0.time + leastStep(at: arrival)) } ?? arrival
        offset = time - published.frame.captureTime
        return note(published, at: time)
    }

    private mutating func note(_ published: PublishedFrame, at time: MediaTime) -> MediaTime {
        last = (time, published.frame.captureTime, published.wallClock, published.arrival)
        return time
    }
}
