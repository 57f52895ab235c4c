import RillCore
import RillRTP

/// The capture times of what a viewer gets: one clock, which always rises, whichever layer or publisher the frames come from.
///
/// Layers have clocks of their own. At a change the step is that of the publisher's wall clock, if both layers' are known
/// and agree with what arrives; otherwise that of the arrivals.
struct ViewerTimeline: Sendable {
    private var last: (time: MediaTime, wallClock: NTPTimestamp?, arrival: MediaTime)?
    /// From the present layer's clock to this one.
    private var offset = MediaDuration.zero

    /// Layers of one moment arrive at most so far apart.
    private static let plausibleSkew = MediaDuration.seconds(2)
    /// Frames that are sent as quickly as they can be decoded follow each other so closely.
    static let shortestStep = MediaDuration.milliseconds(2)

    /// The time of a frame.
    ///
    /// - Parameters:
    ///   - published: the frame.
    ///   - isChange: whether the frame before was of another layer or publisher.
    mutating func time(of published: PublishedFrame, isChange: Bool) -> MediaTime {
        let capture = published.frame.captureTime
        guard let last else {
            offset = published.arrival - capture
            return note(published, at: published.arrival)
        }
        var time = capture + offset
        let arrived = published.arrival - last.arrival
        if isChange {
            var step = arrived
            if let from = last.wallClock, let to = published.wallClock {
                let told = MediaDuration(nanoseconds: to.nanoseconds(since: from))
                if abs((told - arrived).nanoseconds) < ViewerTimeline.plausibleSkew.nanoseconds { step = told }
            }
            time = last.time + step
        } else if abs((time - last.time - arrived).nanoseconds) > 30 * ViewerTimeline.plausibleSkew.nanoseconds {
            // The publisher's clock has jumped.
            time = last.time + arrived
        }
        time = max(time, last.time + ViewerTimeline.shortestStep)
        if isChange { offset = time - capture }
        return note(published, at: time)
    }

    /// The time of a frame that was kept for those who join. All of them are sent at once, and what is seen must not lag: the
    /// newest one has its own time, and those before it follow each other closely.
    ///
    /// - Parameters:
    ///   - published: the frame.
    ///   - newest: the newest of the frames that were kept.
    ///   - age: by how many frames it is older than the newest.
    mutating func time(of published: PublishedFrame, behind newest: PublishedFrame, age: Int) -> MediaTime {
        var target = newest.arrival
        if let last {
            let step = newest.arrival - last.arrival
            target = last.time + max(step, ViewerTimeline.shortestStep * (age + 1))
        }
        let time = target - ViewerTimeline.shortestStep * age
        offset = time - published.frame.captureTime
        // The next one of them is compared with what belongs to this time.
        last = (time, newest.wallClock, newest.arrival)
        return time
    }

    private mutating func note(_ published: PublishedFrame, at time: MediaTime) -> MediaTime {
        last = (time, published.wallClock, published.arrival)
        return time
    }
}
