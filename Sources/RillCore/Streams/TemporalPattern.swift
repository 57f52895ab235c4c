/// How the frames of one stream are spread over temporal layers, under the names of W3C WebRTC-SVC.
///
/// Frames are counted from a key frame on, which begins the pattern anew. Without its upper layers the stream has every
/// second or fourth frame and decodes as before.
///
///     L1T1   0 0 0 0   each refers to the one before it
///     L1T2   0 1 0 1   each 0 to the 0 before it, and each 1 too
///     L1T3   0 2 1 2   the 0 to the 0 before it, the 1 and the first 2 too; the second 2 to the 1 and the 0
public enum TemporalPattern: String, Hashable, Sendable, CaseIterable {
    /// One layer.
    case l1t1 = "L1T1"
    /// Two layers: 0 1.
    case l1t2 = "L1T2"
    /// Three layers: 0 2 1 2.
    case l1t3 = "L1T3"

    /// The pattern of that many layers; `nil` beyond three.
    public init?(layerCount: Int) {
        guard let pattern = TemporalPattern.allCases.first(where: { $0.layerCount == layerCount }) else { return nil }
        self = pattern
    }

    /// Layers, 1 to 3.
    public var layerCount: Int {
        switch self {
        case .l1t1: 1
        case .l1t2: 2
        case .l1t3: 3
        }
    }

    /// Frames until the pattern starts over: 1, 2 or 4.
    public var period: Int { 1 << (layerCount - 1) }

    /// One frame's place in the pattern.
    public struct Step: Equatable, Sendable {
        /// The temporal layer.
        public let temporalIndex: Int
        /// How many frames before it those lie that it refers to; the first is the nearest.
        public let distances: [Int]
        /// No later frame refers to it.
        public let isDiscardable: Bool
        /// It lies above layer 0 and refers to layer 0 alone.
        public let isLayerSync: Bool
    }

    /// The place of a frame that is the `position`th, 1 or more, behind a key frame; the key frame itself stands at 0 and
    /// refers to nothing, whatever the step says.
    public func step(at position: Int) -> Step { steps[position % period] }

    /// The steps of one period.
    public var steps: [Step] {
        switch self {
        case .l1t1: TemporalPattern.steps1
        case .l1t2: TemporalPattern.steps2
        case .l1t3: TemporalPattern.steps3
        }
    }

    // Made once: a frame's step costs no allocation.
    private static let steps1 = [Step(temporalIndex: 0, distances: [1], isDiscardable: false, isLayerSync: false)]
    private static let steps2 = [
        Step(temporalIndex: 0, distances: [2], isDiscardable: false, isLayerSync: false),
        Step(temporalIndex: 1, distances: [1], isDiscardable: true, isLayerSync: true),
    ]
    private static let steps3 = [
        Step(temporalIndex: 0, distances: [4], isDiscardable: false, isLayerSync: false),
        Step(temporalIndex: 2, distances: [1], isDiscardable: true, isLayerSync: true),
        Step(temporalIndex: 1, distances: [2], isDiscardable: false, isLayerSync: true),
        Step(temporalIndex: 2, distances: [1, 3], isDiscardable: true, isLayerSync: false),
    ]
}
