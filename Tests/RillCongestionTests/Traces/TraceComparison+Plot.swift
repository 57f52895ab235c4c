import Foundation
import RillTestSupport

extension TraceComparison {
    /// A page of the plots of comparisons: that of the command's reports, with this content.
    static func page(of comparisons: [TraceComparison]) throws -> String {
        let content: [String: Any] = [
            "kind": "blocks", "title": "Wireless-like traces",
            "subtitle": "30 traces of each model, 60 to 120 s, at most 2.5 Mbit/s",
            "blocks": comparisons.map(\.plot),
        ]
        let json = String(decoding: try JSONSerialization.data(withJSONObject: content), as: UTF8.self)
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Tools/RillCLI/Page/report.html")
        let page = String(decoding: try read(file.path), as: UTF8.self)
        return page.replacing(#"{"kind":"blocks","title":"Report","blocks":[]}"#, with: json)
    }

    /// Utilization against the 95th percentile of the wait, a dot a trace.
    private var plot: [String: Any] {
        let inks: [(Contender, String)] = [
            (.fixed(300), "grey"), (.fixed(800), "purple"), (.fixed(1500), "green"), (.google(25), "orange"),
            (.rill, "blue"),
        ]
        var marks = inks.compactMap { contender, ink -> [String: Any]? in
            row(contender).map { row in
                [
                    "name": contender.name, "ink": ink, "form": "scatter",
                    "points": row.figures.map { [min($0.wait, Self.longest), min($0.utilization, 1)] },
                ]
            }
        }
        marks.append(
            ["name": "target", "ink": "red", "form": "dashed", "points": [[targets.wait, 0], [targets.wait, 1]]])
        return [
            "kind": "plot", "title": "Utilization, \(title)", "height": 260,
            "caption":
                "A dot is a trace. Further up and to the left is better. Waits above 500 ms are drawn at 500 ms.",
            "x": [
                "title": "95th percentile of the wait", "unit": "ms", "scale": "linear", "range": [0, Self.longest],
            ],
            "y": ["title": "utilization", "unit": "", "scale": "linear", "range": [0, 1]], "marks": marks,
        ]
    }

    private static let longest = 500.0
}
