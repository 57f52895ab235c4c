/// The times at which a frame passed each stage from the camera to the screen.
///
/// The stages are in pipeline order, so the differences between successive timestamps add up to the frame's
/// glass-to-glass latency. A stage that a frame has not reached has no timestamp.
public struct FrameTimestamps: Sendable, Equatable {
    /// The stages that record a timestamp.
    public enum Stage: Int, CaseIterable, Sendable {
        /// The picture was captured (the timestamp of the camera or the clip).
        case captured
        /// The picture was rotated and filtered; next it is split into layers.
        case preprocessed
        /// The picture was scaled to its layer's size; next it is encoded.
        case scaled
        /// The encoder returned its bytes.
        case encoded
        /// Its last packet was passed to the network.
        case sent
        /// Its first packet arrived.
        case arrived
        /// Its last missing packet arrived.
        case assembled
        /// The jitter buffer released it to the decoder.
        case released
        /// The decoder returned its picture.
        case decoded
        /// The picture was passed to the sink.
        case shown
    }

    private static let unset = Int64.min
    private var nanoseconds = InlineArray<10, Int64>(repeating: FrameTimestamps.unset)

    /// Creates a value without timestamps.
    public init() {}

    /// The timestamp of `stage`; `nil` if the frame has not passed it.
    public subscript(stage: Stage) -> MediaTime? {
        get {
            let value = nanoseconds[stage.rawValue]
            return value == FrameTimestamps.unset ? nil : MediaTime(nanoseconds: value)
        }
        set { nanoseconds[stage.rawValue] = newValue?.nanoseconds ?? FrameTimestamps.unset }
    }

    /// Returns these timestamps, with gaps filled from `other`. It joins the sender's and the receiver's timestamps.
    public func merging(_ other: FrameTimestamps) -> FrameTimestamps {
        var merged = self
        for index in nanoseconds.indices where nanoseconds[index] == FrameTimestamps.unset {
            merged.nanoseconds[index] = other.nanoseconds[index]
        }
        return merged
    }

    /// Whether both have the same timestamp, or none, at every stage.
    public static func == (a: FrameTimestamps, b: FrameTimestamps) -> Bool {
        for index in a.nanoseconds.indices where a.nanoseconds[index] != b.nanoseconds[index] { return false }
        return true
    }
}
