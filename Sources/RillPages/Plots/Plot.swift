/// A drawing of values over a common axis, with a title, a legend and a caption.
///
/// ```swift
/// let plot = Plot("Frame delay", x: .time(0...120), y: Axis("delay", unit: "ms", holding: delays), [
///     .line("captured to shown", .blue, points)
/// ])
/// ```
///
/// It is as wide as the page allows and has a fixed height; text keeps its size. Data denser than pixels are thinned.
public struct Plot: Sendable {
    /// The title.
    public var title: String
    /// What a good curve looks like; shown below the plot.
    public var caption: String
    /// The horizontal axis.
    public var x: Axis
    /// The vertical axis.
    public var y: Axis
    /// The series, from back to front.
    public var marks: [Mark]
    /// Ranges of the horizontal axis that are shaded behind everything.
    public var shades: [ClosedRange<Double>] = []
    /// The height of the drawing in CSS pixels.
    public var height = 120

    /// Creates a plot. Values that are not finite are gaps; positions must be finite.
    public init(_ title: String, caption: String = "", x: Axis, y: Axis, _ marks: [Mark]) {
        self.title = title
        self.caption = caption
        self.x = x
        self.y = y
        self.marks = marks
    }

    /// The plot as HTML.
    public var html: HTML {
        let legend = marks.map { mark in
            HTML.element("span", ["class": "key"], mark.sample, HTML(text: mark.name))
        }
        let unit = y.unit.isEmpty ? "" : ", \(y.unit)"
        let heading = HTML.element(
            "figcaption", [:], .element("b", [:], HTML(text: title)), HTML(text: unit),
            .element("span", ["class": "legend"], legend))
        let label = "\(title)\(unit): " + marks.map(\.name).joined(separator: ", ")
        let figure = drawing.html(label: label, content)
        return .element(
            "figure", ["class": "plot"], heading, figure, caption.isEmpty ? .empty : .paragraph(caption, isNote: true))
    }
}

extension Plot {
    var drawing: Drawing { Drawing(x: x, height: height) }

    /// The drawing without title and legend.
    var content: [HTML] {
        drawing.content(
            behind: [drawing.shading(shades)] + marks.map { $0.drawn(in: drawing, y) },
            axes: drawing.horizontalAxis() + drawing.verticalAxis(y))
    }
}

extension Mark {
    /// The sample for the legend.
    var sample: HTML {
        let (classes, path) =
            switch form {
            case .scatter: ("dots \(ink.name)", "M10 5h0")
            case .band: ("band \(ink.name)", "M0 1H20V9H0Z")
            case .line, .step, .level: ("line \(ink.name)\(isDashed ? " dashed" : "")", "M0 5H20")
            }
        return .element(
            "svg", ["width": "20", "height": "10", "aria-hidden": "true"],
            .element("path", ["class": classes, "d": path]))
    }

    func drawn(in drawing: Drawing, _ y: Axis) -> HTML {
        let lineClass = "line \(ink.name)\(isDashed ? " dashed" : "")"
        let (classes, path) =
            switch form {
            case .line(let points): (lineClass, drawing.line(Thinning.thinned(points, along: drawing.x), y))
            case .step(let points): (lineClass, drawing.steps(Thinning.thinned(points, along: drawing.x), y))
            case .scatter(let points):
                (
                    "dots\(points.count <= 30 ? " large" : "") \(ink.name)",
                    drawing.dots(Thinning.thinned(points, along: drawing.x, and: y, height: drawing.height), y)
                )
            case .band(let ranges): ("band \(ink.name)", drawing.band(Thinning.thinned(ranges, along: drawing.x), y))
            case .level(let value):
                (
                    lineClass,
                    drawing.line(
                        [Point(drawing.x.range.lowerBound, value), Point(drawing.x.range.upperBound, value)], y)
                )
            }
        guard !path.isEmpty else { return .empty }
        return .element("path", ["class": classes, "d": path])
    }
}
