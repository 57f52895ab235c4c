public import RillCore
public import RillSession

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
    public typealias FallbackReason = LayerFallback.Reason
}

extension VideoCallSettings {
    /// When a participant falls back to a smaller layer, and when the wanted one is tried again.
    public typealias Fallback = LayerFallback.Settings
}
