public import RillCore
package import RillReceive

/// Detects that a network does not carry a layer, and decides when to try it again.
///
/// It is asked twice a second, with the statistics of the received layer. A layer is bad if too many of its frames
/// failed over two seconds, if it shows nothing although key frames are requested, or if its delay is too long for a
/// conversation. Then a smaller layer is used for a time. The larger one is tried again when that time is over and the
/// smaller one performs well. If it soon fails again, the time is doubled.
public struct LayerFallback: Sendable {
    private let settings: Settings
    private var samples: [Sample] = []
    /// When the larger layer may be tried again; `nil` while it is in use.
    private var retryTime: MediaTime?
    private var hold: MediaDuration
    /// When the larger layer was last tried again.
    private var takenAt: MediaTime?

    /// When a smaller layer is used than the wanted one because the network does not carry that, and when the wanted
    /// layer is tried again.
    public struct Settings: Equatable, Sendable {
        /// The share of lost or late frames in the last two seconds, 0 to 1, above which a layer is given up.
        public var maximumMissingShare = 0.2
        /// Playout delay above which a layer is given up, relative to the shortest network delay of the last minute.
        public var maximumDelay = MediaDuration.seconds(1)
        /// The shortest time on the smaller layer. It doubles each time that the larger layer soon fails again.
        public var hold = MediaDuration.seconds(8)
        /// The upper bound of that time.
        public var maximumHold = MediaDuration.seconds(64)

        /// Creates settings with all the defaults.
        public init() {}
    }

    /// Why a layer was given up.
    public enum Reason: Hashable, Sendable {
        /// This share of its frames was lost or late, 0 to 1.
        case frames(share: Double)
        /// It showed nothing for this time, although key frames were requested.
        case standstill(MediaDuration)
        /// Its playout delay grew to this value.
        case delay(MediaDuration)
    }

    /// What to do.
    package enum Outcome: Equatable, Sendable {
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

    /// The interval of ``note(_:at:)``.
    package static let interval = MediaDuration.milliseconds(500)
    private static let window = 4
    private static let fewestFrames = 5
    private static let standstill = MediaDuration.seconds(1.5)

    package init(_ settings: Settings = Settings()) {
        self.settings = settings
        hold = settings.hold
    }

    /// Whether the smaller layer is in use.
    package var isFallenBack: Bool { retryTime != nil }

    /// Another layer is received from now on, for any reason: the samples of the previous one do not apply to it.
    package mutating func reset() { samples.removeAll(keepingCapacity: true) }

    /// The app made a new decision: the larger layer's failures are forgotten.
    package mutating func forgive() {
        (retryTime, takenAt, hold) = (nil, nil, settings.hold)
        reset()
    }

    /// Notes the statistics of the received layer, counted since it was added.
    package mutating func note(_ statistics: InboundStatistics, at now: MediaTime) -> Outcome {
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

    private mutating func judgeLarger(_ delay: MediaDuration, at now: MediaTime) -> Outcome {
        if let reason = fault(delay) {
            let wasTried = takenAt.map { now - $0 < settings.hold } ?? false
            hold = wasTried ? min(hold * 2, settings.maximumHold) : settings.hold
            retryTime = now + hold
            reset()
            return .fallBack(reason)
        }
        return .stay
    }

    private mutating func judgeSmaller(until time: MediaTime, at now: MediaTime) -> Outcome {
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

    /// The share of frames that failed or were not shown.
    private var share: Double {
        guard let first = samples.first, let last = samples.last else { return 0 }
        let failed = last.failed - first.failed
        let all = last.emitted - first.emitted + failed
        return all < LayerFallback.fewestFrames ? 0 : Double(failed) / Double(all)
    }
}

extension LayerFallback.Reason: CustomStringConvertible {
    /// A clause for a log: `42 % of its frames were lost or late`.
    public var description: String {
        switch self {
        case .frames(let share): "\(Int((share * 100).rounded())) % of its frames were lost or late"
        case .standstill(let time): "it has stood still for \(time)"
        case .delay(let delay): "it was \(delay) behind"
        }
    }
}
