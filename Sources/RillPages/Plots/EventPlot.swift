/// A timeline of events: a strip for each kind, over a common axis.
///
/// Events that are too close to distinguish are combined into bars, whose height is their number.
public struct EventPlot: Sendable {
    /// The title.
    public var title: String
    /// What a good plot looks like; shown below it.
    public var caption: String
    /// The horizontal axis.
    public var x: Axis
    /// The kinds of events, from top to bottom.
    public var rows: [Row]

    /// One kind of event.
    public struct Row: Sendable {
        /// The name.
        public var name: String
        /// The color.
        public var ink: Ink
        /// Single events: position and count.
        public var events: [Event] = []
        /// Ranges, each with the text of its tooltip.
        public var stretches: [(range: ClosedRange<Double>, hint: String)] = []
        /// The total number, if it is not the sum of the events.
        public var total: Int

        /// Creates a row of single events.
        public init(_ name: String, _ ink: Ink, events: [Event]) {
            self.name = name
            self.ink = ink
            self.events = events
            self.total = events.reduce(0) { $0 + $1.count }
        }

        /// Creates a row of ranges.
        ///
        /// - Parameters:
        ///   - name: the name of the row.
        ///   - ink: its color.
        ///   - stretches: the ranges to draw, each with the text of its tooltip.
        ///   - total: the total number, drawn or not; by default the number of ranges.
        public init(
            _ name: String, _ ink: Ink, stretches: [(range: ClosedRange<Double>, hint: String)], total: Int? = nil
        ) {
            self.name = name
            self.ink = ink
            self.stretches = stretches
            self.total = total ?? stretches.count
        }
    }

    /// Events at one position.
    public struct Event: Sendable, Equatable {
        /// The position.
        public var x: Double
        /// The number of events; at least 1.
        public var count: Int

        /// Creates an event.
        public init(_ x: Double, count: Int = 1) {
            self.x = x
            self.count = count
        }
    }

    /// Creates a plot of events.
    public init(_ title: String, caption: String = "", x: Axis, _ rows: [Row]) {
        self.title = title
        self.caption = caption
        self.x = x
        self.rows = rows
    }

    /// The height of a strip: a line of text, with the marks below it.
    private static let rowHeight = 32
    private static let markTop = 15.0
    private static let markBottom = 29.0
    /// The number of bars that combine a row of too many events.
    private static let barCount = 200
    /// The maximum number of positions at which single events can be distinguished.
    private static let mostMarks = 150

    /// The plot as HTML.
    public var html: HTML {
        let drawing = Drawing(x: x, height: rows.count * Self.rowHeight)
        var data: [HTML] = []
        var labels: [HTML] = []
        for (index, row) in rows.enumerated() {
            let top = Double(index * Self.rowHeight)
            let (marks, note) = draw(row, drawing, top: top)
            data += marks
            labels.append(
                .element(
                    "text", ["class": "strip", "x": "4", "y": "\(index * Self.rowHeight + 12)"],
                    .element("tspan", ["class": "\(row.ink.name) name"], HTML(text: row.name)),
                    HTML(text: " \(row.total)\(note)")))
        }
        let heading = HTML.element("figcaption", [:], .element("b", [:], HTML(text: title)))
        let label = "\(title): " + rows.map { "\($0.name) \($0.total)" }.joined(separator: ", ")
        return .element(
            "figure", ["class": "plot"], heading,
            drawing.html(label: label, drawing.content(behind: data, axes: drawing.horizontalAxis(), before: labels)),
            caption.isEmpty ? .empty : .paragraph(caption, isNote: true))
    }

    /// Returns a row's marks, and a note for its label.
    private func draw(_ row: Row, _ drawing: Drawing, top: Double) -> (marks: [HTML], note: String) {
        let inside = row.events.filter { x.range.contains($0.x) }
        let outside = row.events.reduce(0) { $0 + $1.count } - inside.reduce(0) { $0 + $1.count }
        let note = outside > 0 ? ", \(outside) of them later" : ""
        var marks = row.stretches.map { stretch in
            let path = drawing.box(stretch.range, top: top + Self.markTop, bottom: top + Self.markBottom)
            return HTML.element(
                "path", ["class": "bar \(row.ink.name)", "d": path], .element("title", [:], HTML(text: stretch.hint)))
        }
        guard inside.count > Self.mostMarks else {
            for event in inside {
                let place = drawing.across(event.x)
                let times = event.count > 1 ? ", \(event.count) times" : ""
                marks.append(
                    .element(
                        "path",
                        [
                            "class": "tick \(row.ink.name)",
                            "d":
                                "M\(place) \(Decimal.place(top + Self.markTop))V\(Decimal.place(top + Self.markBottom))",
                        ],
                        .element("title", [:], HTML(text: "\(row.name), \(x.text(event.x, decimals: 2))\(times)"))))
            }
            return (marks, note)
        }
        let bars = gathered(inside)
        let most = bars.max() ?? 0
        let length = (x.range.upperBound - x.range.lowerBound) / Double(Self.barCount)
        var path = ""
        for (index, count) in bars.enumerated() where count > 0 {
            let start = x.range.lowerBound + Double(index) * length
            let height = (Self.markBottom - Self.markTop) * Double(count) / Double(most)
            path += drawing.box(
                start...(start + length * 0.9), top: top + Self.markBottom - height, bottom: top + Self.markBottom)
        }
        marks.append(.element("path", ["class": "bar \(row.ink.name)", "d": path]))
        return (marks, note + ", tallest bar \(most)")
    }

    private func gathered(_ events: [Event]) -> [Int] {
        var bars = [Int](repeating: 0, count: Self.barCount)
        for event in events {
            let place = min(max(x.place(event.x), 0), 1)
            bars[min(Int(place * Double(Self.barCount)), Self.barCount - 1)] += event.count
        }
        return bars
    }
}
