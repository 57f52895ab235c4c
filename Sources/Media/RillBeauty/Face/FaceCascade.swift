/// A binary classifier for faces in a small window: a cascade of boosted trees over Haar features.
///
/// ```swift
/// let cascade = try FaceCascade(openCVFile: FaceCascade.installedFile)
/// ```
///
/// (The reader of files is in RillFaces.) Each stage adds up the leaves of its trees and rejects the window if the
/// sum is below its threshold. Nearly all windows fail in the first stages, so most cost a few features.
///
/// A value of some tens of kilobytes that any number of filters share. Source: Viola and Jones, Rapid Object
/// Detection using a Boosted Cascade of Simple Features, 2001. Upright features only.
public struct FaceCascade: Equatable, Sendable {
    /// A rectangle of a feature, in pixels of the window, and how much its samples count.
    public struct Rectangle: Equatable, Sendable {
        /// The left column and the top row.
        public var x, y: Int
        /// The size.
        public var width, height: Int
        /// The weight of the sum of its samples.
        public var weight: Int

        /// Creates a rectangle.
        public init(x: Int, y: Int, width: Int, height: Int, weight: Int) {
            (self.x, self.y, self.width, self.height, self.weight) = (x, y, width, height, weight)
        }
    }

    /// Compares a feature with a threshold, relative to the contrast of the window.
    public struct Node: Equatable, Sendable {
        /// Where to go from a node.
        public enum Branch: Equatable, Sendable {
            /// To a later node of the tree.
            case node(Int)
            /// To a value, which ends the tree.
            case leaf(Float)
        }

        /// The index of the feature.
        public var feature: Int
        /// The threshold.
        public var threshold: Float
        /// The branch of values below the threshold, and of the others.
        public var below, above: Branch

        /// Creates a node.
        public init(feature: Int, threshold: Float, below: Branch, above: Branch) {
            (self.feature, self.threshold, self.below, self.above) = (feature, threshold, below, above)
        }
    }

    /// A stage: trees, each a list of nodes that starts with its root, and the least sum of their leaves.
    public struct Stage: Equatable, Sendable {
        /// The trees.
        public var trees: [[Node]]
        /// The sum below which a window is no face.
        public var threshold: Float

        /// Creates a stage.
        public init(trees: [[Node]], threshold: Float) { (self.trees, self.threshold) = (trees, threshold) }
    }

    /// The width and height of the window.
    public let side: Int
    /// The features: two or three rectangles each.
    public let features: [[Rectangle]]
    /// The stages, in their order.
    public let stages: [Stage]

    /// The largest window: sums of its samples' squares fit 32 bits.
    static let greatestSide = 64

    /// Creates a cascade.
    ///
    /// - Throws: ``BeautyError/invalidCascade(_:)`` if a rectangle is outside of the window, a feature has none or more
    ///   than three, a node refers to none or back, or nothing is there.
    public init(side: Int, features: [[Rectangle]], stages: [Stage]) throws(BeautyError) {
        (self.side, self.features, self.stages) = (side, features, stages)
        func check(_ isTrue: Bool, _ reason: @autoclosure () -> String) throws(BeautyError) {
            guard isTrue else { throw .invalidCascade(reason()) }
        }
        try check((4...Self.greatestSide).contains(side), "a window of \(side)x\(side)")
        try check(!stages.isEmpty && stages.allSatisfy { !$0.trees.isEmpty }, "a stage without trees")
        for (index, feature) in features.enumerated() {
            try check((1...3).contains(feature.count), "feature \(index) has \(feature.count) rectangles")
            for part in feature {
                let isInside =
                    (0..<side).contains(part.x) && (0..<side).contains(part.y)
                    && (1...side - part.x).contains(part.width)
                    && (1...side - part.y).contains(part.height) && abs(part.weight) <= 16
                try check(isInside, "feature \(index) has \(part) in a window of \(side)x\(side)")
            }
        }
        for tree in stages.lazy.flatMap(\.trees) {
            try check(!tree.isEmpty, "a tree without nodes")
            for (index, node) in tree.enumerated() {
                try check(features.indices.contains(node.feature), "no feature \(node.feature)")
                for case .node(let next) in [node.below, node.above] {
                    try check(next > index && next < tree.count, "node \(index) of \(tree.count) leads to node \(next)")
                }
            }
        }
    }
}

extension FaceCascade {
    /// A checksum of all numbers, the same on every machine. It distinguishes cascades that find different faces.
    ///
    /// FNV-1a, 64 bits, over 32-bit words. Computed by each call, in some 100 thousand instructions.
    public var checksum: UInt64 {
        var sum = Checksum()
        sum.add(side)
        for feature in features {
            sum.add(feature.count)
            for part in feature { [part.x, part.y, part.width, part.height, part.weight].forEach { sum.add($0) } }
        }
        for stage in stages {
            sum.add(stage.threshold)
            for tree in stage.trees {
                sum.add(tree.count)
                for node in tree {
                    sum.add(node.feature)
                    sum.add(node.threshold)
                    sum.add(node.below)
                    sum.add(node.above)
                }
            }
        }
        return sum.value
    }

    private struct Checksum {
        private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

        private mutating func add(word: UInt32) { value = (value ^ UInt64(word)) &* 0x0000_0100_0000_01B3 }

        mutating func add(_ number: Int) { add(word: UInt32(truncatingIfNeeded: number)) }
        mutating func add(_ number: Float) { add(word: number.bitPattern) }

        mutating func add(_ branch: Node.Branch) {
            switch branch {
            case .node(let index): add(index)
            case .leaf(let value): add(value)
            }
        }
    }
}
