/// The surface on which a plot is drawn: as wide as the page allows, with a fixed height in CSS pixels.
///
/// Data are drawn in a box of 1000 units across that is stretched to the width. Line widths are not stretched, and
/// dots are round ends of lines without length. Text is outside of that box, at percentages of the width, and so
/// keeps its size.
struct Drawing {
    let x: Axis
    let height: Int

    private static let width = 1000.0
    /// The maximum number of ticks along the left side.
    static let verticalTickCount = 6
    /// The height of the labels under the horizontal axis.
    private static let labelHeight = 18
    /// The height of the labels with the axis's title below them.
    private static let titledLabelHeight = 36

    // MARK: Paths

    func line(_ points: [Mark.Point], _ y: Axis) -> String {
        var path = ""
        var isBroken = true
        for point in points {
            guard point.y.isFinite else {
                isBroken = true
                continue
            }
            path += (isBroken ? "M" : "L") + place(point.x, point.y, y)
            isBroken = false
        }
        return path
    }

    func steps(_ points: [Mark.Point], _ y: Axis) -> String {
        var path = ""
        var isBroken = true
        for point in points {
            if !isBroken { path += "H" + across(point.x) }
            guard point.y.isFinite else {
                isBroken = true
                continue
            }
            path += isBroken ? "M" + place(point.x, point.y, y) : "V" + up(point.y, y)
            isBroken = false
        }
        return path
    }

    func dots(_ points: [Mark.Point], _ y: Axis) -> String {
        points.lazy.filter(\.y.isFinite).map { "M" + place($0.x, $0.y, y) + "h0" }.joined()
    }

    func band(_ ranges: [Mark.Range], _ y: Axis) -> String {
        var path = ""
        var rest = ranges[...]
        while !rest.isEmpty {
            let piece = rest.prefix { $0.low.isFinite && $0.high.isFinite }
            rest = rest[piece.endIndex...].drop { !($0.low.isFinite && $0.high.isFinite) }
            guard piece.count > 0 else { continue }
            let upper = piece.map { place($0.x, $0.high, y) }
            let lower = piece.reversed().map { place($0.x, $0.low, y) }
            path += "M" + (upper + lower).joined(separator: "L") + "Z"
        }
        return path
    }

    /// Returns ranges shaded over the whole height, each at least as wide as is visible.
    func shading(_ shades: [ClosedRange<Double>]) -> HTML {
        guard !shades.isEmpty else { return .empty }
        let path = shades.map { box($0, top: 0, bottom: Double(height)) }.joined()
        return .element("path", ["class": "shade", "d": path])
    }

    /// Returns a box from one position to another.
    func box(_ range: ClosedRange<Double>, top: Double, bottom: Double) -> String {
        let start = clamped(range.lowerBound)
        let end = max(clamped(range.upperBound), start + 1.5)
        return "M\(Decimal.place(start)) \(Decimal.place(top))H\(Decimal.place(end))V\(Decimal.place(bottom))"
            + "H\(Decimal.place(start))Z"
    }

    func across(_ value: Double) -> String { Decimal.place(clamped(value)) }

    private func clamped(_ value: Double) -> Double { min(max(x.place(value), 0), 1) * Self.width }

    private func up(_ value: Double, _ y: Axis) -> String {
        Decimal.place((1 - min(max(y.place(value), 0), 1)) * Double(height))
    }

    private func place(_ value: Double, _ height: Double, _ y: Axis) -> String {
        across(value) + " " + up(height, y)
    }

    // MARK: Axes

    /// Returns the ticks along the bottom, with lines up through the drawing.
    func horizontalAxis() -> [HTML] {
        let ticks = x.ticks(atMost: 12)
        let labelled = ticks.values.filter { x.place($0) > -0.001 && x.place($0) < 1.001 }
        return labelled.map { value in
            let place = Decimal.text(x.place(value) * 100, decimals: 3) + "%"
            let line = HTML.element(
                "line", ["class": "grid", "x1": place, "x2": place, "y1": "0", "y2": "\(height)"])
            let text = x.text(value, decimals: ticks.decimals)
            // At the right end a label would be cut off, and at the left a long one would overlap the unit.
            let anchor = x.place(value) > 0.97 ? "end" : x.place(value) < 0.01 && text.count > 4 ? "start" : "middle"
            let label = HTML.element(
                "text", ["x": place, "y": "\(height + 14)", "text-anchor": anchor], HTML(text: text))
            return .element("g", ticks.isCoarse(value) ? [:] : ["class": "fine"], line, label)
        }
    }

    /// Returns the ticks along the left side, with lines across.
    func verticalAxis(_ y: Axis) -> [HTML] {
        let ticks = y.ticks(atMost: height < 80 ? 3 : Self.verticalTickCount)
        return ticks.values.map { value in
            let place = up(value, y)
            return .element(
                "g", [:], .element("line", ["class": "grid", "x1": "0", "x2": "100%", "y1": place, "y2": place]),
                .element(
                    "text", ["x": "-6", "y": place, "dy": "4", "text-anchor": "end"],
                    HTML(text: y.text(value, decimals: ticks.decimals))))
        }
    }

    /// Returns the drawing with its axes as HTML.
    ///
    /// - Parameters:
    ///   - label: a description for readers who cannot see the drawing.
    ///   - content: the result of ``content(behind:axes:before:)``.
    func html(label: String, _ content: [HTML]) -> HTML {
        .element(
            "div", ["class": "drawing"],
            .element(
                "svg",
                [
                    "class": "outer", "role": "img", "aria-label": label, "width": "100%", "height": "\(totalHeight)",
                ], content))
    }

    /// The height including the labels under the axis.
    var totalHeight: Int { height + (x.clock == nil ? Self.titledLabelHeight : Self.labelHeight) }

    /// Returns the content of the drawing.
    ///
    /// - Parameters:
    ///   - data: the content of the stretched box.
    ///   - axes: the axes, behind the data.
    ///   - labels: labels in front of everything else.
    func content(behind data: [HTML], axes: [HTML], before labels: [HTML] = []) -> [HTML] {
        let box = HTML.element(
            "svg",
            [
                "width": "100%", "height": "\(height)", "viewBox": "0 0 1000 \(height)",
                "preserveAspectRatio": "none",
                // Dots and lines on the edge are fully visible; nothing is placed beyond it.
                "overflow": "visible",
            ], data)
        let frame = HTML.element(
            "line", ["class": "axis", "x1": "0", "x2": "100%", "y1": "\(height)", "y2": "\(height)"])
        return axes + [box, frame, horizontalTitle] + labels
    }

    /// The unit of times is placed before the first one; the title of any other axis is centered below it.
    private var horizontalTitle: HTML {
        guard x.clock == nil else {
            return .element("text", ["class": "unit", "x": "-50", "y": "\(height + 14)"], HTML(text: x.unit))
        }
        return .element(
            "text", ["class": "unit", "x": "50%", "y": "\(height + 30)", "text-anchor": "middle"],
            HTML(text: x.unit.isEmpty ? x.title : "\(x.title), \(x.unit)"))
    }
}
