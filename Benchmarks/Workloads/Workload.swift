import Rill

/// A piece of work to measure: it is set up once, then repeated as often as requested.
///
///     Workload(.image, "mirror", of: .clipFrame, count: 20) { material in
///         let (picture, pool) = (try material.frame(0), try material.pool())
///         return { count in try repeating(count) { picture.mirrored(into: pool)?.y[0, 0] } }
///     }
///
/// An entry like this in its suite's list is enough: the command line, the thresholds and the table of throughput find
/// it there.
public struct Workload: Sendable {
    /// Repeats the work a number of times, and returns a number that depends on all of it.
    public typealias Work = (_ count: Int) throws -> Int

    /// The unit of work.
    public enum Unit: String, Sendable {
        /// Pictures of the clip's size.
        case clipFrame
        /// Pictures of the low layer's size.
        case lowFrame
        /// RTP packets.
        case packet
        /// RTCP compound packets.
        case compound
        /// Encoded frames of 6 kB.
        case encodedFrame

        /// The pixels per unit, or 0.
        public func pixelCount(in material: Material) -> Int {
            switch self {
            case .clipFrame: material.resolution.pixelCount
            case .lowFrame: LayerSettings.low.resolution.pixelCount
            case .packet, .compound, .encodedFrame: 0
            }
        }
    }

    /// Its suite.
    public let suite: Suite
    /// Its name within the suite.
    public let name: String
    /// Its unit.
    public let unit: Unit
    /// The number of units for counting instructions, large enough to include rare work, or for it to cancel.
    public let count: Int
    /// The full name of the floor, the workload with the minimum for the same work, to which a ratio is taken.
    public let floor: String?
    /// A pattern of the functions that are counted alone, with all that they call; `nil` for the whole program.
    public let counted: String?
    /// Sets up the work; this is not measured.
    public let setUp: @Sendable (Material) throws -> Work

    init(
        _ suite: Suite, _ name: String, of unit: Unit, count: Int, floor: String? = nil,
        counting counted: String? = nil, setUp: @escaping @Sendable (Material) throws -> Work
    ) {
        self.suite = suite
        self.name = name
        self.unit = unit
        self.count = count
        self.floor = floor
        self.counted = counted
        self.setUp = setUp
    }

    /// Its name among all workloads: `image/mirror`.
    public var wholeName: String { "\(suite.rawValue)/\(name)" }

    /// All workloads, by suite.
    public static let all = Suite.allCases.flatMap(\.workloads)
}

/// A workload returned no result: measuring failures would be meaningless.
struct NoResult: Error, CustomStringConvertible {
    var description: String { "a workload had no result: its pool is exhausted, or its input is wrong" }
}

/// Repeats `body` and sums up its results; `nil` is a failure.
@inline(__always)
func repeating<Sample: BinaryInteger>(_ count: Int, _ body: () throws -> Sample?) throws -> Int {
    var sum = 0
    for _ in 0..<count {
        guard let sample = try body() else { throw NoResult() }
        sum &+= Int(truncatingIfNeeded: sample)
    }
    return sum
}
