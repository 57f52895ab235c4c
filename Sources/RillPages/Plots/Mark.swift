/// One thing drawn in a plot.
public struct Mark: Sendable {
    /// What it is called in the legend.
    public var name: String
    /// Its colour.
    public var ink: Ink
    /// Drawn with gaps: what was aimed at, or the second of two.
    public var isDashed = false
    var form: Form

    enum Form: Sendable {
        /// From point to point; a value that is no number is a gap.
        case line([Point])
        /// Each value holds until the next point; the last point ends it.
        case step([Point])
        case scatter([Point])
        /// From a low to a high edge.
        case band([Range])
        /// One value from end to end.
        case level(Double)
    }

    /// A value at a place.
    public struct Point: Sendable, Equatable {
        /// Along the plot.
        public var x: Double
        /// Up the plot.
        public var y: Double

        /// A point.
        public init(_ x: Double, _ y: Double) {
            self.x = x
            self.y = y
        }
    }

    /// The least and the greatest value at a place.
    public struct Range: Sendable, Equatable {
        /// Along the plot.
        public var x: Double
        /// The least.
        public var low: Double
        /// The greatest.
        public var high: Double

        /// A range.
        public init(_ x: Double, _ low: Double, _ high: Double) {
            self.x = x
            self.low = low
            self.high = high
        }
    }

    /// A line through points, whose places rise; where a value is not finite the line is broken.
    public static func line(_ name: String, _ ink: Ink, _ points: [Point], isDashed: Bool = false) -> Mark {
        Mark(name: name, ink: ink, isDashed: isDashed, form: .line(points))
    }

    /// A line of steps: each value holds until the next point, whose places rise.
    public static func step(_ name: String, _ ink: Ink, _ points: [Point], isDashed: Bool = false) -> Mark {
        Mark(name: name, ink: ink, isDashed: isDashed, form: .step(points))
    }

    /// Points of their own, in any order.
    public static func scatter(_ name: String, _ ink: Ink, _ points: [Point]) -> Mark {
        Mark(name: name, ink: ink, form: .scatter(points))
    }

    /// What lies between two edges, at places that rise; where one is not finite the band is broken.
    public static func band(_ name: String, _ ink: Ink, _ ranges: [Range]) -> Mark {
        Mark(name: name, ink: ink, form: .band(ranges))
    }

    /// One value from end to end.
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
