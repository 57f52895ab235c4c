import Rill

/// One piece of work that is measured: set up once, then done as often as is asked for, and nothing else.
///
///     Workload(.image, "mirror", of: .clipFrame, count: 20) { material in
///         let (picture, pool) = (try material.frame(0), try material.pool())
///         return { count in try repeating(count) { picture.mirrored(into: pool)?.y[0, 0] } }
///     }
///
/// An entry like this in its suite's list is all that it takes: the command line, the thresholds, the table of throughput and
/// the suites of `swift package benchmark` find it there.
public struct Workload: Sendable {
    /// Does the work so many times more, and gives a number that hangs on all that was done.
    public typealias Work = (_ count: Int) throws -> Int

    /// What is counted.
    public enum Unit: String, Sendable {
        /// Pictures of the clip's size.
        case clipFrame
        /// Pictures of the low layer's size.
        case lowFrame
        /// RTP packets.
        case packet
        /// Compounds of RTCP.
        case compound

        /// The pixels of one; 0 for what has none.
        public func pixelCount(in material: Material) -> Int {
            switch self {
            case .clipFrame: material.resolution.pixelCount
            case .lowFrame: LayerSettings.low.resolution.pixelCount
            case .packet, .compound: 0
            }
        }
    }

    /// Where it belongs.
    public let suite: Suite
    /// What it is called within its suite.
    public let name: String
    /// What it counts.
    public let unit: Unit
    /// How many are enough for a count of instructions: what is done once in a long while is in it, or cancels.
    public let count: Int
    /// The whole name of the workload that does the least that anybody needs for this: the other side of a ratio.
    public let floor: String?
    /// Makes all that the work needs, which is not measured.
    public let setUp: @Sendable (Material) throws -> Work

    init(
        _ suite: Suite, _ name: String, of unit: Unit, count: Int, floor: String? = nil,
        setUp: @escaping @Sendable (Material) throws -> Work
    ) {
        self.suite = suite
        self.name = name
        self.unit = unit
        self.count = count
        self.floor = floor
        self.setUp = setUp
    }

    /// Its name among all workloads: `image/mirror`.
    public var wholeName: String { "\(suite.rawValue)/\(name)" }

    /// All there are, suite by suite.
    public static let all = Suite.allCases.flatMap(\.workloads)
}

/// A piece of work had no result where it must have one: a measurement of failures would be none.
struct NoResult: Error, CustomStringConvertible {
    var description: String { "a workload had no result: its pool is dry, or its input is not what it should be" }
}

/// Does `body` so many times and sums up what it gives; `nil` is a failure.
@inline(__always)
func repeating<Sample: BinaryInteger>(_ count: Int, _ body: () throws -> Sample?) throws -> Int {
    var sum = 0
    for _ in 0..<count {
        guard let sample = try body() else { throw NoResult() }
        sum &+= Int(truncatingIfNeeded: sample)
    }
    return sum
}
