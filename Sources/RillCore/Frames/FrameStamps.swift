/// When a frame passed each stage on its way from the camera to the screen.
///
/// The stages stand in the order of the way, so the differences from one stamp to the next add up to the frame's
/// glass-to-glass latency. A stage that a frame has not reached has no stamp.
public struct FrameStamps: Sendable, Equatable {
    /// The points on the way at which a frame is stamped.
    public enum Stage: Int, CaseIterable, Sendable {
        /// The picture was taken (the camera's own stamp, or the clip's).
        case captured
        /// Oriented and made beautiful; about to be split into layers.
        case preprocessed
        /// Brought to its layer's size; the encoder begins with it.
        case scaled
        /// The encoder has given its bytes.
        case encoded
        /// Its last packet was handed to the network.
        case sent
        /// Its first packet arrived.
        case arrived
        /// Its last missing packet arrived.
        case assembled
        /// The jitter buffer let it go to the decoder.
        case released
        /// The decoder has given its picture.
        case decoded
        /// The picture was handed to the sink.
        case shown
    }

    private static let unset = Int64.min
    private var nanoseconds = InlineArray<10, Int64>(repeating: FrameStamps.unset)

    /// No stamp at all.
    public init() {}

    /// The stamp of `stage`; `nil` while the frame has not passed it.
    public subscript(stage: Stage) -> MediaTime? {
        get {
            let value = nanoseconds[stage.rawValue]
            return value == FrameStamps.unset ? nil : MediaTime(nanoseconds: value)
        }
        set { nanoseconds[stage.rawValue] = newValue?.nanoseconds ?? FrameStamps.unset }
    }

    /// These stamps, completed by those of `other` where this has none: the sender's joined with the receiver's.
    public func merging(_ other: FrameStamps) -> FrameStamps {
        var merged = self
        for index in nanoseconds.indices where nanoseconds[index] == FrameStamps.unset {
            merged.nanoseconds[index] = other.nanoseconds[index]
        }
        return merged
    }

    /// Whether both have the same stamp, or none, at every stage.
    public static func == (a: FrameStamps, b: FrameStamps) -> Bool {
        for index in a.nanoseconds.indices where a.nanoseconds[index] != b.nanoseconds[index] { return false }
        return true
    }
}
