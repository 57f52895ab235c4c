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

extension VideoCallSettings {
    /// When a participant's smaller layer is shown in place of the one that is wanted, because the network does not carry that, and when
    /// that is tried again.
    public struct Fallback: Equatable, Sendable {
        /// The share of frames of the last two seconds that were lost or too late, 0 to 1, above which a layer is given up.
        public var badShare = 0.2
        /// The playout delay above which it is given up.
        public var badDelay = MediaDuration.seconds(1)
        /// How long the smaller layer is kept at least. Twice as long each time that the larger one soon turns out bad again.
        public var hold = MediaDuration.seconds(8)
        /// And at the most.
        public var longestHold = MediaDuration.seconds(64)

        /// The defaults.
        public init() {}
    }
}

extension LayerFallback.Settings {
    init(_ settings: VideoCallSettings.Fallback) {
        self.init()
        (badShare, badDelay) = (settings.badShare, settings.badDelay)
        (hold, longestHold) = (settings.hold, settings.longestHold)
    }
}
