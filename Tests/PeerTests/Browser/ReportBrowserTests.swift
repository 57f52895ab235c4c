import Foundation
import RillTestSupport
import Testing

/// The pages of reports in a browser, whose script draws them.
@Suite(.enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
struct ReportBrowserTests {
    private let folder = TemporaryFolder()

    /// A page as Chromium has it when it has run its scripts.
    private struct Shown {
        var document: MarkupDocument
        /// What the page wrote to the console.
        var complaints: [String]

        var plots: Int { document.elements.count { $0.attributes["class"] == "plot" } }

        func texts(_ name: String) -> [String] { document.named(name).map(\.text) }

        /// The labels of ticks, in order.
        var ticks: [String] { document.named("text").filter { $0.attributes["class"] == nil }.map(\.text) }
    }

    @Test func `The page of a lossy call has its plots, the pictures around freezes, and all numbers of the report`()
        throws
    {
        let (shown, json) = try call("loss=8%,delay=40ms,blackout=500ms@1s,seed=5")
        let report = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        // Two layers: bitrate, frames, loss, buffer delay, frame delay, events.
        #expect(shown.plots == 12 && shown.complaints == [], "\(shown.complaints)")
        let pictures = shown.document.named("img")
        #expect(!pictures.isEmpty, "nothing froze: the test shows nothing")
        #expect(pictures.allSatisfy { $0.attributes["src"]?.hasPrefix("data:image/webp;base64,UklGR") == true })
        let rows = try statisticsRows(shown.document)
        let layers = try #require(report["layers"] as? [[String: Any]])
        var compared = 0
        for (column, layer) in layers.enumerated() {
            for group in ["sent", "received", "quality", "addedDelay"] {
                for (name, value) in try #require(layer[group] as? [String: Any]) {
                    let cells = try #require(rows[group]?[name], "\(group) \(name)")
                    // To the last digit as it is printed; JSONSerialization reads the last bits wrongly.
                    let printed = value is String ? "\"\(cells[column])\"" : cells[column]
                    #expect(json.contains("\"\(name)\" : \(printed)"), "\(group) \(name) of layer \(column)")
                    #expect(isClose(cells[column], value), "\(group) \(name) of layer \(column)")
                    compared += 1
                }
            }
            for step in try #require(layer["latencies"] as? [[String: Any]]) {
                let name = "\(step["from"] ?? "") → \(step["to"] ?? "") median"
                let cells = try #require(rows["latencies"]?[name], "\(name)")
                #expect(isClose(cells[column], try #require(step["median"])), "\(name) of layer \(column)")
            }
        }
        #expect(compared > 60)
    }

    @Test func `With congestion control the page shows what it did`() throws {
        let (shown, _) = try call("rate=500k,queue=300ms,delay=40ms", "--congestion", "auto")
        // The estimate, the time in the network and in the pacer, and decisions.
        #expect(shown.plots == 16 && shown.complaints == [], "\(shown.complaints)")
        let titles = shown.texts("figcaption")
        for name in ["What the network carries", "Time in the network", "Time in the pacer", "Cuts and probes"] {
            #expect(titles.contains { $0.hasPrefix(name) }, "\(name)")
        }
    }

    @Test func `A call that dies is reported, though no rule counts a freeze without end`() throws {
        let (shown, _) = try call("blackout=60s@1s,delay=40ms")
        #expect(shown.texts("th").contains("no picture shown at the end"))
        #expect(shown.texts("text").count { $0.hasPrefix("no picture shown until the end") } == 2)
        #expect(!shown.texts("p").contains { $0.hasPrefix("There was no freeze") })
    }

    @Test func `A comparison shows its pictures and four plots`() throws {
        let (clip, page) = (try clip(), folder.path("a.html"))
        try rill("transcode", clip, page, "--compare")
        let shown = try chromium("a.html")
        #expect(shown.plots == 4 && shown.complaints == [], "\(shown.complaints)")
        #expect(shown.document.named("img").count >= 4)
        #expect(shown.texts("figcaption").count { $0.contains("key frame") } >= 1)
    }

    @Test(arguments: [
        (0.0...100.0, "linear", ["0", "20", "40", "60", "80", "100"]), (0...7, "count", ["0", "2", "4", "6"]),
        (0...0.9, "linear", ["0.0", "0.2", "0.4", "0.6", "0.8"]), (-3...3, "linear", ["-2", "0", "2"]),
        (1...100, "logarithmic", ["1", "2", "5", "10", "20", "50", "100"]),
    ])
    func `Ticks are round numbers`(range: ClosedRange<Double>, scale: String, labels: [String]) throws {
        let shown = try blocks([plot(y: (range, scale), [[0, range.lowerBound], [1, range.upperBound]])])
        #expect(shown.ticks.suffix(labels.count) == labels && shown.complaints == [], "\(shown.ticks)")
    }

    @Test func `A line is interrupted where a value is missing, and dense data keep their extremes`() throws {
        let dense = (0..<20_000).map { [Double($0) / 20_000, $0 == 12_345 ? 9 : 5] }
        let shown = try blocks([
            plot(y: (0...10, "linear"), [[0, 1], [0.25, 2], [0.5, nil], [0.75, 3], [1, 3]]),
            plot(y: (0...10, "linear"), dense),
        ])
        let paths = shown.document.named("path").filter { $0.attributes["class"] == "line ink-blue" }
            .compactMap { $0.attributes["d"] }.filter { $0.hasPrefix("M0 ") && $0 != "M0 5H20" }
        #expect(paths.count == 2 && paths[0] == "M0 90L250 80M750 70L1000 70", "\(paths.first ?? "")")
        #expect(paths[1].contains(" 10L") && paths[1].utf8.count < 50_000, "\(paths[1].utf8.count)")
    }

    @Test func `Text is text, whatever it contains`() throws {
        let shown = try blocks([["kind": "text", "text": "<img src=x onerror=nothing.such()> & \"</script>\""]])
        #expect(shown.texts("p") == ["<img src=x onerror=nothing.such()> & \"</script>\""])
        #expect(shown.document.named("img").isEmpty && shown.complaints == [])
        // It would report an error: here is a page that has one.
        try write(Array("<!DOCTYPE html><script>nothing.such()</script>".utf8), to: folder.path("bad.html"))
        #expect(try chromium("bad.html").complaints.count == 1)
    }

    // MARK: Pages

    private func clip() throws -> String {
        let clip = folder.path("clip.y4m")
        try rill("generate", "portrait", clip, "--size", "64x48", "--duration", "3s")
        return clip
    }

    private func call(_ network: String, _ more: String...) throws -> (page: Shown, json: String) {
        let json = try rill(
            ["loopback", try clip(), "--network", network, "--json", "--report", folder.path("a.html")] + more)
        return (try chromium("a.html"), String(decoding: json, as: UTF8.self))
    }

    @discardableResult
    private func rill(_ arguments: String...) throws -> [UInt8] { try rill(arguments) }

    private func rill(_ arguments: [String]) throws -> [UInt8] {
        let outcome = try Program(builtAs: "rill").run(arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }

    /// A page of ready blocks, as benchmarks write it.
    private func blocks(_ blocks: [[String: Any]]) throws -> Shown {
        let content: [String: Any] = ["kind": "blocks", "title": "Blocks", "blocks": blocks]
        let json = String(decoding: try JSONSerialization.data(withJSONObject: content), as: UTF8.self)
            .replacing("<", with: "\\u003c")
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Tools/RillCLI/Page/report.html")
        let page = String(decoding: try read(file.path), as: UTF8.self)
            .replacing(#"{"kind":"blocks","title":"Report","blocks":[]}"#, with: json)
        try write(Array(page.utf8), to: folder.path("blocks.html"))
        return try chromium("blocks.html")
    }

    private func plot(y: (range: ClosedRange<Double>, scale: String), _ points: [[Double?]]) -> [String: Any] {
        func axis(_ range: ClosedRange<Double>, _ scale: String) -> [String: Any] {
            ["title": "axis", "unit": "", "scale": scale, "range": [range.lowerBound, range.upperBound]]
        }
        let values = points.map { $0.map { $0.map { $0 as Any } ?? NSNull() } }
        return [
            "kind": "plot", "title": "Plot", "caption": "", "x": axis(0...1, "linear"), "y": axis(y.range, y.scale),
            "height": 100, "marks": [["name": "line", "ink": "blue", "form": "line", "points": values]],
        ]
    }

    private func chromium(_ name: String) throws -> Shown {
        let program = try #require(Program(named: Peer.chromium.rawValue))
        let outcome = try program.start(
            [
                // It refuses to run as root in its sandbox; the page is ours.
                "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                "--user-data-dir=\(folder.path("profile"))", "--dump-dom", "file://\(folder.path(name))",
            ], limit: 120
        ).wait()
        guard outcome.status == 0 else { throw TestFailure("chromium: \(outcome.errors.suffix(2000))") }
        // HTML as XML: without scripts, and with elements closed.
        let markup = String(decoding: outcome.output, as: UTF8.self)
            .replacing(/<script.*?<\/script>|<style.*?<\/style>/.dotMatchesNewlines(), with: "")
            .replacing(/<((?:meta|img)[^>]*)>/) { "<\($0.output.1)/>" }
        return Shown(
            document: try MarkupDocument(markup),
            complaints: outcome.errors.split(separator: "\n").filter { $0.contains(":CONSOLE") }.map(String.init))
    }

    // MARK: Numbers

    private func isClose(_ cell: String, _ value: Any) -> Bool {
        guard let number = (value as? NSNumber)?.doubleValue else { return cell == value as? String }
        return Double(cell).map { abs($0 - number) <= 1e-12 * number.magnitude } ?? false
    }

    /// The rows below each heading of the last table.
    private func statisticsRows(_ document: MarkupDocument) throws -> [String: [String: [String]]] {
        let elements = document.elements
        let start = try #require(elements.lastIndex { $0.name == "table" })
        var rows: [String: [String: [String]]] = [:]
        var (group, name) = ("", "")
        for element in elements[start...] {
            switch (element.name, element.attributes["scope"]) {
            case ("th", "colgroup"): group = element.text
            case ("th", "row"): name = element.text
            case ("td", _): rows[group, default: [:]][name, default: []].append(element.text)
            default: break
            }
        }
        return rows
    }
}
