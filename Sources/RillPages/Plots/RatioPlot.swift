internal import Glibc

/// A comparison of costs with a reference that counts as 1: a bar for each from 1 to its ratio, with a whisker over
/// the middle of its values. More is to the right, less to the left, and twice as much is as far from 1 as half as
/// much.
///
/// ```swift
/// RatioPlot("CPU seconds", reference: "Rill", [
///     .init("one thread", [.init("FFmpeg", .green, ratio: 1.07, 1.04...1.09, note: "1.07×, Rill is ahead")])
/// ]).html
/// ```
public struct RatioPlot: Sendable, Decodable {
    /// The title.
    public var title: String
    /// The description; shown below the plot.
    public var caption: String
    /// The name of the reference.
    public var reference: String
    /// The bars, in groups, from top to bottom.
    public var groups: [Group]

    /// A group of bars.
    public struct Group: Sendable, Decodable {
        /// The title of the group.
        public var title: String
        /// The bars, from top to bottom.
        public var rows: [Row]
        /// Ratios that count as equal to 1; shaded.
        public var level: ClosedRange<Double>

        /// Creates a group.
        public init(_ title: String, _ rows: [Row], level: ClosedRange<Double> = 1...1) {
            self.title = title
            self.rows = rows
            self.level = level
        }
    }

    /// One bar.
    public struct Row: Sendable, Decodable {
        /// The name of the bar.
        public var name: String
        /// The color.
        public var ink: Ink
        /// The ratio; positive.
        public var ratio: Double
        /// The range of the whisker.
        public var range: ClosedRange<Double>
        /// The text after the name.
        public var note: String

        /// Creates a bar. Ratios that are not positive trap.
        public init(_ name: String, _ ink: Ink, ratio: Double, _ range: ClosedRange<Double>, note: String) {
            precondition(range.lowerBound > 0 && ratio > 0 && range.upperBound.isFinite && ratio.isFinite, "\(range)")
            self.name = name
            self.ink = ink
            self.ratio = ratio
            self.range = range
            self.note = note
        }
    }

    /// Creates a plot. Empty groups are left out.
    public init(_ title: String, caption: String = "", reference: String, _ groups: [Group]) {
        self.title = title
        self.caption = caption
        self.reference = reference
        self.groups = groups.filter { !$0.rows.isEmpty }
    }

    private static let titleHeight = 26.0
    private static let rowHeight = 30.0
    /// Within a row: text above, the bar below.
    private static let barTop = 16.0
    private static let barHeight = 10.0
    private static let footHeight = 36.0

    /// The plot as HTML.
    public var html: HTML {
        let scale = RatioScale(
            holding: groups.flatMap { $0.rows.flatMap { [$0.ratio, $0.range.lowerBound, $0.range.upperBound] } })
        var (shades, bars, labels): ([HTML], [HTML], [HTML]) = ([], [], [])
        var top = 0.0
        for group in groups {
            labels.append(
                .element(
                    "text", ["class": "heading group", "x": "4", "y": Decimal.place(top + 18)], HTML(text: group.title))
            )
            top += RatioPlot.titleHeight
            shades += shade(group, scale, top: top)
            for row in group.rows {
                bars += drawn(row, scale, top: top)
                labels.append(label(of: row, top: top))
                top += RatioPlot.rowHeight
            }
        }
        let height = Int(top)
        func box(_ marks: [HTML]) -> HTML {
            .element(
                "svg",
                [
                    "width": "100%", "height": "\(height)", "viewBox": "0 0 1000 \(height)",
                    "preserveAspectRatio": "none",
                ],
                marks)
        }
        let words = groups.flatMap { group in group.rows.map { "\(group.title): \($0.name) \($0.note)" } }
        return .element(
            "figure", ["class": "plot"], .element("figcaption", [:], .element("b", [:], HTML(text: title))),
            .element(
                "div", ["class": "drawing ratios"],
                .element(
                    "svg",
                    [
                        "class": "outer", "role": "img", "aria-label": words.joined(separator: "; "), "width": "100%",
                        "height": "\(height + Int(RatioPlot.footHeight))",
                    ], [box(shades)] + axis(scale, height) + [box(bars)] + labels)),
            caption.isEmpty ? .empty : .paragraph(caption, isNote: true))
    }

    private func shade(_ group: Group, _ scale: RatioScale, top: Double) -> [HTML] {
        let (low, high) = (max(scale.place(group.level.lowerBound), 0), min(scale.place(group.level.upperBound), 1))
        guard low < high else { return [] }
        let bottom = Decimal.place(top + Double(group.rows.count) * RatioPlot.rowHeight)
        let (left, right) = (Decimal.place(low * 1000), Decimal.place(high * 1000))
        return [
            .element(
                "path", ["class": "level-band", "d": "M\(left) \(Decimal.place(top))H\(right)V\(bottom)H\(left)Z"])
        ]
    }

    private func label(of row: Row, top: Double) -> HTML {
        .element(
            "text", ["class": "strip label", "x": "4", "y": Decimal.place(top + 12)],
            .element("tspan", ["class": "name"], HTML(text: row.name)), HTML(text: "  \(row.note)"))
    }

    private func drawn(_ row: Row, _ scale: RatioScale, top: Double) -> [HTML] {
        let (start, end) = (scale.place(1), scale.place(row.ratio))
        let (left, right) = (min(start, end), max(start, end))
        let (upper, lower) = (top + RatioPlot.barTop, top + RatioPlot.barTop + RatioPlot.barHeight)
        let middle = Decimal.place((upper + lower) / 2)
        func across(_ share: Double) -> String { Decimal.place(share * 1000) }
        // A bar of zero length is still visible.
        let bar = "M\(across(left)) \(Decimal.place(upper))H\(across(max(right, left + 0.002)))V\(Decimal.place(lower))"
        var marks = [
            HTML.element("path", ["class": "bar \(row.ink.name)", "d": bar + "H\(across(left))Z"])
        ]
        if row.range.lowerBound < row.range.upperBound {
            let (low, high) = (across(scale.place(row.range.lowerBound)), across(scale.place(row.range.upperBound)))
            let ends = [low, high].map { "M\($0) \(Decimal.place(upper + 1))V\(Decimal.place(lower - 1))" }.joined()
            marks.append(.element("path", ["class": "whisker", "d": "M\(low) \(middle)H\(high)" + ends]))
        }
        return marks
    }

    private func axis(_ scale: RatioScale, _ height: Int) -> [HTML] {
        scale.ticks.map { ratio in
            let place = Decimal.text(scale.place(ratio) * 100, decimals: 3) + "%"
            let isReference = ratio == 1
            let text = isReference ? "\(reference) = 1" : RatioScale.text(ratio)
            return HTML.element(
                "g", [:],
                .element(
                    "line",
                    ["class": isReference ? "one" : "grid", "x1": place, "x2": place, "y1": "0", "y2": "\(height)"]),
                .element(
                    "text",
                    [
                        "class": isReference ? "heading" : "", "x": place, "y": "\(height + 16)",
                        "text-anchor": scale.place(ratio) > 0.97
                            ? "end" : scale.place(ratio) < 0.03 ? "start" : "middle",
                    ], HTML(text: text)))
        } + [
            .element(
                "text", ["x": "0", "y": "\(height + 32)"], HTML(text: "← takes less than \(reference)")),
            .element(
                "text", ["x": "100%", "y": "\(height + 32)", "text-anchor": "end"],
                HTML(text: "takes more than \(reference) →")),
        ]
    }
}

/// A logarithmic scale of ratios that always contains 1.
struct RatioScale: Equatable {
    private let low: Double
    private let high: Double

    /// Creates a scale that contains all these ratios, with some room on both sides.
    init(holding ratios: [Double]) {
        let logs = ratios.filter { $0 > 0 && $0.isFinite }.map { log($0) }
        let (least, most) = (min(logs.min() ?? 0, 0), max(logs.max() ?? 0, 0))
        // Small differences should look small.
        let room = max(0.1 * (most - least), 0.02)
        let missing = max(0, 0.2 - (most - least + 2 * room)) / 2
        low = least - room - missing
        high = most + room + missing
    }

    /// Returns the position: 0 is the left end, 1 the right one.
    func place(_ ratio: Double) -> Double { (log(ratio) - low) / (high - low) }

    /// Round ratios including 1, with enough distance to be readable.
    var ticks: [Double] {
        let steps: [[Double]] = [
            [0.8, 0.85, 0.9, 0.95, 1, 1.05, 1.1, 1.15, 1.2, 1.25],
            [0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6],
            [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4],
            [0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32],
        ]
        let inside = steps.map { step in step.filter { place($0) > 0.001 && place($0) < 0.999 } }
        let spans: [ClosedRange<Double>] = [0.83...1.21, 0.62...1.6, 0.25...4]
        let index = spans.firstIndex { low >= log($0.lowerBound) && high <= log($0.upperBound) } ?? 3
        guard index == 3 else { return inside[index] }
        return inside[3].count <= 8
            ? inside[3] + [] : inside[3].filter { log($0) / log(4) == (log($0) / log(4)).rounded() }
    }

    /// Formats a ratio: `0.5×`, `1.05×`.
    static func text(_ ratio: Double) -> String {
        let decimals =
            [0, 1, 2, 3].first { (ratio * pow(10, Double($0))).rounded() == ratio * pow(10, Double($0)) } ?? 2
        return Decimal.text(ratio, decimals: decimals) + "×"
    }
}
