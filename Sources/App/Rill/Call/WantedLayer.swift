public import RillCore
import RillSession

extension CallParticipant {
    /// What is wanted from a participant: one layer, the layer that fits a display size, or nothing.
    ///
    /// ```swift
    /// try call.want(.low, of: bob)
    /// try call.want(.automatic(shownAt: Resolution(width: 320, height: 180)), of: bob)
    /// ```
    public enum WantedLayer: Hashable, Sendable {
        /// The layer of that name.
        case layer(StreamLayer.RID)
        /// The smallest layer that fills this size, in pixels, without being enlarged more than 1.5 times. `nil`, or
        /// a size without pixels, means that the participant is not visible: then the smallest layer, and after 5 s
        /// none.
        case automatic(shownAt: Resolution?)
        /// No layer.
        case none

        /// The high layer.
        public static let high = WantedLayer.layer(.high)
        /// The low layer.
        public static let low = WantedLayer.layer(.low)
    }
}

extension CallParticipant {
    /// Why a participant fell back to a smaller layer.
    public enum FallbackReason: Hashable, Sendable {
        /// This share of the layer's frames was lost or late, 0 to 1.
        case frames(share: Double)
        /// The layer showed nothing for this time, although key frames were requested.
        case standstill(MediaDuration)
        /// The layer's playout delay grew to this value.
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
    /// When a participant falls back to a smaller layer than the wanted one because the network does not carry that,
    /// and when the wanted layer is tried again.
    public struct Fallback: Equatable, Sendable {
        /// The share of lost or late frames in the last two seconds, 0 to 1, above which a layer is given up.
        public var maximumMissingShare = 0.2
        /// The playout delay above which a layer is given up.
        public var maximumDelay = MediaDuration.seconds(1)
        /// The shortest time on the smaller layer. It doubles each time that the larger layer soon fails again.
        public var hold = MediaDuration.seconds(8)
        /// The upper bound of that time.
        public var maximumHold = MediaDuration.seconds(64)

        /// Creates settings with the defaults.
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
