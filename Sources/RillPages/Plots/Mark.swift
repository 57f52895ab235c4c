/// A series of data in a plot.
public struct Mark: Sendable {
    /// The name in the legend.
    public var name: String
    /// The color.
    public var ink: Ink
    /// Whether it is dashed: for targets, or the second of two series.
    public var isDashed = false
    var form: Form

    enum Form: Sendable {
        /// A line from point to point. A value that is not finite is a gap.
        case line([Point])
        /// A step line: each value holds until the next point. The last point ends it.
        case step([Point])
        case scatter([Point])
        /// An area from a low to a high edge.
        case band([Range])
        /// A constant from end to end.
        case level(Double)
    }

    /// A data point.
    public struct Point: Sendable, Equatable {
        /// The horizontal value.
        public var x: Double
        /// The vertical value.
        public var y: Double

        /// Creates a point.
        public init(_ x: Double, _ y: Double) {
            self.x = x
            self.y = y
        }
    }

    /// The smallest and the largest value at a position.
    public struct Range: Sendable, Equatable {
        /// The horizontal value.
        public var x: Double
        /// The smallest value.
        public var low: Double
        /// The largest value.
        public var high: Double

        /// Creates a range.
        public init(_ x: Double, _ low: Double, _ high: Double) {
            self.x = x
            self.low = low
            self.high = high
        }
    }

    /// Creates a line through points with ascending positions. It is interrupted where a value is not finite.
    public static func line(_ name: String, _ ink: Ink, _ points: [Point], isDashed: Bool = false) -> Mark {
        Mark(name: name, ink: ink, isDashed: isDashed, form: .line(points))
    }

    /// Creates a step line through points with ascending positions: each value holds until the next point.
    public static func step(_ name: String, _ ink: Ink, _ points: [Point], isDashed: Bool = false) -> Mark {
        Mark(name: name, ink: ink, isDashed: isDashed, form: .step(points))
    }

    /// Creates separate points, in any order.
    public static func scatter(_ name: String, _ ink: Ink, _ points: [Point]) -> Mark {
        Mark(name: name, ink: ink, form: .scatter(points))
    }

    /// Creates an area between two edges, at ascending positions. It is interrupted where an edge is not finite.
    public static func band(_ name: String, _ ink: Ink, _ ranges: [Range]) -> Mark {
        Mark(name: name, ink: ink, form: .band(ranges))
    }

    /// Creates a constant line from end to end.
    public static func level(_ name: String, _ ink: Ink, _ value: Double) -> Mark {
        Mark(name: name, ink: ink, isDashed: true, form: .level(value))
    }

    private init(name: String, ink: Ink, isDashed: Bool = false, form: Form) {
        self.name = name
        self.ink = ink
        self.isDashed = isDashed
        self.form = form
    }
}
