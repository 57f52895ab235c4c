/// Histograms of durations, one below the other over a common logarithmic axis. Each is scaled to its own tallest
/// bar, and no bar is too low to be visible: the few long durations matter.
///
/// ```swift
/// HistogramPlot("Latency", [
///     .init("captured → sent", [.init("idle", .blue, buckets, mark: 0.012, note: "median 8 ms, 99 % 12 ms")])
/// ]).html
/// ```
public struct HistogramPlot: Sendable, Decodable {
    /// The title.
    public var title: String
    /// The description; shown below the plot.
    public var caption: String
    /// The rows, from top to bottom.
    public var rows: [Row]
    /// The minimum range of the axis in seconds, to make several plots comparable.
    public var span: ClosedRange<Double>?

    /// One duration, under one or several conditions.
    public struct Row: Sendable, Decodable {
        /// The name of the duration.
        public var name: String
        /// The histograms, drawn over each other.
        public var series: [Series]
        /// The target that it should not exceed, in seconds, if there is one.
        public var limit: Double?

        /// Creates a row.
        public init(_ name: String, _ series: [Series], limit: Double? = nil) {
            self.name = name
            self.series = series
            self.limit = limit
        }
    }

    /// A histogram.
    public struct Series: Sendable, Decodable {
        /// The condition.
        public var name: String
        /// The color.
        public var ink: Ink
        /// The buckets from the shortest to the longest. Empty ones may be omitted.
        public var buckets: [Bucket]
        /// A duration to mark by a line, in seconds.
        public var mark: Double?
        /// The text after the name.
        public var note: String

        /// Creates a histogram.
        public init(_ name: String, _ ink: Ink, _ buckets: [Bucket], mark: Double? = nil, note: String) {
            self.name = name
            self.ink = ink
            self.buckets = buckets
            self.mark = mark
            self.note = note
        }
    }

    /// The number of durations within a range, in seconds.
    public struct Bucket: Sendable, Equatable, Decodable {
        /// The range in seconds.
        public var range: ClosedRange<Double>
        /// The number of durations.
        public var count: Int

        /// Creates a bucket.
        public init(_ range: ClosedRange<Double>, count: Int) {
            self.range = range
            self.count = count
        }
    }

    /// Creates a plot. Rows without any histogram are left out.
    public init(_ title: String, caption: String = "", _ rows: [Row], span: ClosedRange<Double>? = nil) {
        self.title = title
        self.caption = caption
        self.span = span
        self.rows = rows.filter { row in row.series.contains { !$0.buckets.isEmpty } }
    }

    static let rowHeight = 64.0
    private static let axisHeight = 20
    /// The minimum height of a bar that is not empty.
    static let leastHeight = 2.5

    /// The plot as HTML.
    public var html: HTML {
        let scale = LogScale(
            holding: rows.flatMap { row in
                row.series.flatMap { series in
                    series.buckets.flatMap { [$0.range.lowerBound, $0.range.upperBound] }
                } + [row.limit].compactMap(\.self)
            } + (span.map { [$0.lowerBound, $0.upperBound] } ?? []))
        let pieces = rows.map { html(of: $0, scale) } + [axis(scale)]
        return .element(
            "figure", ["class": "plot"], .element("figcaption", [:], .element("b", [:], HTML(text: title))),
            .element("div", ["class": "histograms"], pieces),
            caption.isEmpty ? .empty : .paragraph(caption, isNote: true))
    }

    private func html(of row: Row, _ scale: LogScale) -> HTML {
        let notes = row.series.map { series in
            HTML.element(
                "div", ["class": "series \(series.ink.name)"], .element("b", [:], HTML(text: series.name)),
                HTML(text: " \(series.note)"))
        }
        let height = Int(HistogramPlot.rowHeight)
        let grid = scale.ticks.map { tick in line("grid\(tick.isFine ? " fine" : "")", at: tick.seconds, scale) }
        let tallest = row.series.flatMap(\.buckets).map(\.count).max() ?? 1
        let box = HTML.element(
            "svg",
            [
                "width": "100%", "height": "\(height)", "viewBox": "0 0 1000 \(height)", "preserveAspectRatio": "none",
            ],
            row.series.flatMap { bars($0, scale, tallest: tallest) })
        let marks = row.series.compactMap { series in series.mark.map { line("mark \(series.ink.name)", at: $0, scale) }
        }
        let frame = HTML.element(
            "line", ["class": "axis", "x1": "0", "x2": "100%", "y1": "\(height)", "y2": "\(height)"])
        let words = "\(row.name): " + row.series.map { "\($0.name) \($0.note)" }.joined(separator: "; ")
        return .element(
            "div", ["class": "histogram"],
            .element(
                "div", ["class": "words"], [.element("div", ["class": "name"], HTML(text: row.name))] + notes),
            .element(
                "svg",
                ["class": "outer", "role": "img", "aria-label": words, "width": "100%", "height": "\(height)"],
                grid + [box] + marks + [frame] + limit(row, scale)))
    }

    /// Returns one outline for each run of buckets without a gap, from the baseline up and back down to it.
    private func bars(_ series: Series, _ scale: LogScale, tallest: Int) -> [HTML] {
        var path = ""
        var end: Double?
        let ground = Decimal.place(HistogramPlot.rowHeight)
        for bucket in series.buckets where bucket.count > 0 {
            let left = Decimal.place(scale.place(bucket.range.lowerBound) * 1000)
            let share = Double(bucket.count) / Double(max(tallest, 1))
            let height = max(share * (HistogramPlot.rowHeight - 4), HistogramPlot.leastHeight)
            if end != bucket.range.lowerBound { path += (end == nil ? "" : "V\(ground)Z") + "M\(left) \(ground)" }
            path += "V\(Decimal.place(HistogramPlot.rowHeight - height))"
            path += "H\(Decimal.place(scale.place(bucket.range.upperBound) * 1000))"
            end = bucket.range.upperBound
        }
        guard end != nil else { return [] }
        path += "V\(ground)Z"
        return [
            .element("path", ["class": "band \(series.ink.name)", "d": path]),
            .element("path", ["class": "line \(series.ink.name)", "d": path]),
        ]
    }

    private func line(_ classes: String, at seconds: Double, _ scale: LogScale) -> HTML {
        let place = Decimal.text(scale.place(seconds) * 100, decimals: 3) + "%"
        return .element(
            "line",
            ["class": classes, "x1": place, "x2": place, "y1": "0", "y2": "\(Int(HistogramPlot.rowHeight))"])
    }

    private func limit(_ row: Row, _ scale: LogScale) -> [HTML] {
        guard let limit = row.limit else { return [] }
        let share = scale.place(limit)
        let isLeft = share > 0.75
        return [
            line("limit", at: limit, scale),
            .element(
                "text",
                [
                    "class": "limit-label", "x": Decimal.text(share * 100, decimals: 3) + "%",
                    "dx": isLeft ? "-5" : "5", "y": "12", "text-anchor": isLeft ? "end" : "start",
                ], HTML(text: "at most \(LogScale.text(limit))")),
        ]
    }

    private func axis(_ scale: LogScale) -> HTML {
        // The labels at the ends are inside the axis, and displace labels close to them.
        let shares = scale.ticks.map { scale.place($0.seconds) }
        let ends = [shares.first { $0 < 0.02 }, shares.last { $0 > 0.98 }].compactMap(\.self)
        let labels = zip(scale.ticks, shares).compactMap { tick, share -> HTML? in
            guard ends.contains(share) || ends.allSatisfy({ ($0 - share).magnitude > 0.11 }) else { return nil }
            return HTML.element(
                "g", tick.isFine ? ["class": "fine"] : [:],
                .element(
                    "text",
                    [
                        "x": Decimal.text(share * 100, decimals: 3) + "%", "y": "14",
                        "text-anchor": share < 0.02 ? "start" : share > 0.98 ? "end" : "middle",
                    ], HTML(text: LogScale.text(tick.seconds))))
        }
        return .element(
            "div", ["class": "histogram", "aria-hidden": "true"], .element("div", ["class": "words"]),
            .element(
                "svg", ["class": "outer", "width": "100%", "height": "\(HistogramPlot.axisHeight)"], labels))
    }
}
