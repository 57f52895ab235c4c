extension Plot {
    /// Returns the plot as a separate SVG file: for a README, or beside a page.
    ///
    /// It adapts to light and dark mode where it is shown as an image, and needs no page, font or script. Legend and
    /// title are above the drawing. The caption is not included.
    ///
    /// - Parameter width: the width in CSS pixels.
    public func svg(width: Int = 800) -> String {
        let (left, right, top) = (56, 16, 44)
        let height = top + drawing.totalHeight + 6
        var place = left
        var legend: [HTML] = []
        for mark in marks {
            legend.append(.element("svg", ["x": "\(place)", "y": "27"], mark.sample))
            legend.append(.element("text", ["x": "\(place + 26)", "y": "36"], HTML(text: mark.name)))
            // The font is unknown: letters of 12 pixels are assumed to be 7 pixels wide, the widest common value.
            place += 26 + 7 * mark.name.count + 14
        }
        let unit = y.unit.isEmpty ? "" : ", \(y.unit)"
        let title = HTML.element(
            "text", ["x": "\(left)", "y": "18"], .element("tspan", ["class": "heading"], HTML(text: title)),
            HTML(text: unit))
        let body = HTML.element(
            "svg",
            [
                "x": "\(left)", "y": "\(top)", "width": "\(width - left - right)", "height": "\(drawing.totalHeight)",
                "overflow": "visible",
            ], content)
        let style = HTML.verbatim("style", PageStyle.colours + PageStyle.drawings + PageStyle.file)
        let paper = HTML.element("rect", ["class": "paper", "width": "100%", "height": "100%"])
        // The only place where the namespace must be written: a file without it is not SVG.
        let opening =
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"\(height)\" "
            + "viewBox=\"0 0 \(width) \(height)\">"
        return opening + HTML([style, paper, title] + legend + [body]).source + "</svg>\n"
    }
}
