public import RillCore
import RillSession

extension CallParticipant {
    /// What is wanted of what a participant sends: a layer, whichever fits the place where it is shown, or nothing.
    ///
    ///     call.want(.low, of: bob)
    ///     call.want(.automatic(shownAt: Resolution(width: 320, height: 180)), of: bob)
    public enum WantedLayer: Hashable, Sendable {
        /// The layer of that name.
        case layer(StreamLayer.RID)
        /// The smallest layer that need not be magnified by more than a half to fill that size, in pixels. `nil`, or a size without
        /// pixels, where nothing of it is seen: then the smallest layer, and after 5 s none.
        case automatic(shownAt: Resolution?)
        /// Nothing comes.
        case none

        /// The high layer.
        public static let high = WantedLayer.layer(.high)
        /// The low layer.
        public static let low = WantedLayer.layer(.low)
    }
}

extension CallParticipant {
    /// Why a layer of theirs was given up for a smaller one.
    public enum FallbackReason: Hashable, Sendable {
        /// So large a share of its frames was lost or too late, 0 to 1.
        case frames(share: Double)
        /// It has shown nothing for so long, though key frames were asked for.
        case standstill(MediaDuration)
        /// Its playout delay has grown to that.
        case delay(MediaDuration)

        init(_ reason: LayerFallback.Reason) {
            switch reason {
            case .frames(let share): self = .frames(share: share)
            case .standstill(let time): self = .standstill(time)
            case .delay(let delay): self = .delay(delay)
            }
        }
    }
}

extension CallParticipant.FallbackReason: CustomStringConvertible {
    /// A clause for a log: `42 % of its frames were lost or late`.
    public var description: String {
        switch self {
        case .frames(let share): "\(Int((share * 100).rounded())) % of its frames were lost or late"
        case .standstill(let time): "it has stood still for \(time)"
        case .delay(let delay): "it was \(delay) behind"
        }
    }
}

extension VideoCallSettings {
    /// When a participant's smaller layer is shown in place of the one that is wanted, because the network does not carry that, and when
    /// that is tried again.
    public struct Fallback: Equatable, Sendable {
        /// The share of frames of the last two seconds that were lost or too late, 0 to 1, above which a layer is given up.
        public var maximumMissingShare = 0.2
        /// The playout delay above which it is given up.
        public var maximumDelay = MediaDuration.seconds(1)
        /// How long the smaller layer is kept at least. Twice as long each time that the larger one soon turns out bad again.
        public var hold = MediaDuration.seconds(8)
        /// And at the most.
        public var maximumHold = MediaDuration.seconds(64)

        /// The defaults.
        public init() {}
    }
}

extension LayerFallback.Settings {
    init(_ settings: VideoCallSettings.Fallback) {
        self.init()
        (maximumMissingShare, maximumDelay) = (settings.maximumMissingShare, settings.maximumDelay)
        (hold, maximumHold) = (settings.hold, settings.maximumHold)
    }
}
