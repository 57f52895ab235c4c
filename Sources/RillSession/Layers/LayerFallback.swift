package import RillCore
package import RillReceive

/// Notices that a network does not carry a layer, and says when to try it again.
///
/// It is told twice a second what has become of the layer that comes (``note(_:at:)``). A layer is bad when too many of its frames came
/// to nothing over two seconds, or when it stands still though key frames are asked for, or when its delay has grown beyond what a
/// conversation bears. Then a smaller one is to be taken, for a time. The larger one is tried again when that time is over and the
/// smaller one comes well; should it turn out bad soon, the time is doubled.
package struct LayerFallback: Sendable {
    private let settings: Settings
    private var samples: [Sample] = []
    /// When the larger layer may be tried again; `nil` while it is taken.
    private var retryTime: MediaTime?
    private var hold: MediaDuration
    /// When it was taken last.
    private var takenAt: MediaTime?

    /// When to fall back, and when to return.
    package struct Settings: Equatable, Sendable {
        /// The share of frames of the last two seconds that were not shown as they should, 0 to 1.
        package var maximumMissingShare = 0.2
        /// The delay from the fastest way of the last minute to the moment of showing.
        package var maximumDelay = MediaDuration.seconds(1)
        /// How long the smaller layer is kept for the first time.
        package var hold = MediaDuration.seconds(8)
        /// And at the most.
        package var maximumHold = MediaDuration.seconds(64)

        package init() {}
    }

    /// Why a layer is bad.
    package enum Reason: Equatable, Sendable {
        /// So large a share of its frames was lost or late.
        case frames(share: Double)
        /// It has shown nothing for so long.
        case standstill(MediaDuration)
        /// Its pictures are shown so long after they could be.
        case delay(MediaDuration)
    }

    /// What is to be done.
    package enum Verdict: Equatable, Sendable {
        case stay
        case fallBack(Reason)
        case goBack
    }

    private struct Sample {
        var time: MediaTime
        var emitted: Int
        var failed: Int
        var keyFrameRequests: Int
    }

    /// How often it is to be told.
    package static let interval = MediaDuration.milliseconds(500)
    private static let window = 4
    private static let fewestFrames = 5
    private static let standstill = MediaDuration.seconds(1.5)

    package init(_ settings: Settings = Settings()) {
        self.settings = settings
        hold = settings.hold
    }

    /// Whether the smaller layer is taken.
    package var isFallenBack: Bool { retryTime != nil }

    /// Another layer comes from now on, by whatever decision: what was seen of the one before says nothing of it.
    package mutating func reset() { samples.removeAll(keepingCapacity: true) }

    /// The app has decided anew: nothing is held against the larger layer.
    package mutating func forgive() {
        (retryTime, takenAt, hold) = (nil, nil, settings.hold)
        reset()
    }

    /// Takes note of what has become of the layer that comes, since it was added.
    package mutating func note(_ statistics: InboundStatistics, at now: MediaTime) -> Verdict {
        let drops = statistics.drops
        samples.append(
            Sample(
                time: now, emitted: statistics.jitterBufferEmittedCount,
                failed: drops.incomplete + drops.undecodable + statistics.framesDecodedOnly,
                keyFrameRequests: statistics.pliCount))
        if samples.count > LayerFallback.window + 1 { samples.removeFirst() }
        if let retryTime { return judgeSmaller(until: retryTime, at: now) }
        return judgeLarger(statistics.targetDelay, at: now)
    }

    private mutating func judgeLarger(_ delay: MediaDuration, at now: MediaTime) -> Verdict {
        if let reason = fault(delay) {
            let wasTried = takenAt.map { now - $0 < settings.hold } ?? false
            hold = wasTried ? min(hold * 2, settings.maximumHold) : settings.hold
            retryTime = now + hold
            reset()
            return .fallBack(reason)
        }
        return .stay
    }

    private mutating func judgeSmaller(until time: MediaTime, at now: MediaTime) -> Verdict {
        guard now >= time, samples.count > LayerFallback.window, share <= settings.maximumMissingShare / 4 else {
            return .stay
        }
        (retryTime, takenAt) = (nil, now)
        reset()
        return .goBack
    }

    private func fault(_ delay: MediaDuration) -> Reason? {
        guard let first = samples.first, let last = samples.last, samples.count > 1 else { return nil }
        if delay > settings.maximumDelay { return .delay(delay) }
        if last.emitted == first.emitted {
            let time = last.time - first.time
            guard time >= LayerFallback.standstill, last.keyFrameRequests > first.keyFrameRequests else { return nil }
            return .standstill(time)
        }
        guard samples.count > LayerFallback.window else { return nil }
        return share > settings.maximumMissingShare ? .frames(share: share) : nil
    }

    /// The share of frames that came to nothing, or were not shown.
    private var share: Double {
        guard let first = samples.first, let last = samples.last else { return 0 }
        let failed = last.failed - first.failed
        let all = last.emitted - first.emitted + failed
        return all < LayerFallback.fewestFrames ? 0 : Double(failed) / Double(all)
    }
}
