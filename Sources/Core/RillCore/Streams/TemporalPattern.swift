/// How the frames of one stream are spread over temporal layers. Names are those of W3C WebRTC-SVC.
///
/// Positions count from a key frame, which restarts the pattern. Without the upper layers, every second or fourth
/// frame remains and decodes as before.
///
/// ```text
/// L1T1   0 0 0 0   each refers to the one before it
/// L1T2   0 1 0 1   each 0 refers to the 0 before it, and so does each 1
/// L1T3   0 2 1 2   the 0, the 1 and the first 2 refer to the 0 before them; the second 2 refers to the 1 and the 0
/// ```
public enum TemporalPattern: String, Hashable, Sendable, CaseIterable {
    /// One layer.
    case l1t1 = "L1T1"
    /// Two layers: 0 1.
    case l1t2 = "L1T2"
    /// Three layers: 0 2 1 2.
    case l1t3 = "L1T3"

    /// Returns the pattern with that many layers, or `nil` beyond three.
    public init?(layerCount: Int) {
        guard let pattern = TemporalPattern.allCases.first(where: { $0.layerCount == layerCount }) else { return nil }
        self = pattern
    }

    /// The number of layers, 1 to 3.
    public var layerCount: Int {
        switch self {
        case .l1t1: 1
        case .l1t2: 2
        case .l1t3: 3
        }
    }

    /// The number of frames after which the pattern repeats: 1, 2 or 4.
    public var period: Int { 1 << (layerCount - 1) }

    /// The position of one frame in the pattern.
    public struct Step: Equatable, Sendable {
        /// The temporal layer.
        public let temporalIndex: Int
        /// The distances back to the frames it refers to, in frames, nearest first.
        public let distances: [Int]
        /// Whether no later frame refers to it.
        public let isDiscardable: Bool
        /// Whether it is above layer 0 and refers only to layer 0.
        public let isLayerSync: Bool
    }

    /// Returns the step of the frame `position` frames after a key frame. The key frame itself is at 0 and refers to
    /// nothing, whatever its step holds.
    public func step(at position: Int) -> Step { steps[position % period] }

    /// The steps of one period.
    public var steps: [Step] { TemporalPattern.steps[layerCount - 1] }

    // Created once, so that a frame's step needs no allocation.
    private static let steps = [
        [Step(temporalIndex: 0, distances: [1], isDiscardable: false, isLayerSync: false)],
        [
            Step(temporalIndex: 0, distances: [2], isDiscardable: false, isLayerSync: false),
            Step(temporalIndex: 1, distances: [1], isDiscardable: true, isLayerSync: true),
        ],
        [
            Step(temporalIndex: 0, distances: [4], isDiscardable: false, isLayerSync: false),
            Step(temporalIndex: 2, distances: [1], isDiscardable: true, isLayerSync: true),
            Step(temporalIndex: 1, distances: [2], isDiscardable: false, isLayerSync: true),
            Step(temporalIndex: 2, distances: [1, 3], isDiscardable: true, isLayerSync: false),
        ],
    ]
}
