import Foundation
import RillTestSupport
import Testing

@Suite struct ReportPageTests {
    private struct Call {
        var page: String
        var json: [UInt8]
    }

    // The page names its clip: all calls have the same.
    private static let clipFolder = TemporaryFolder()
    private static let clip = Result { try movingClip(in: clipFolder, frames: 120) }

    /// A short lossy call's page, and its report as JSON.
    private static func call(
        _ name: String, network: String = "loss=8%,delay=40ms,blackout=1s@2s,seed=5", _ more: String...
    ) throws -> Call {
        let folder = TemporaryFolder()
        let outcome = try rillProgram().run(
            ["loopback", try clip.get(), "--json", "--network", network, "--report", folder.path(name)] + more)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return Call(page: String(decoding: try read(folder.path(name)), as: UTF8.self), json: outcome.output)
    }

    /// The one that most tests look at.
    private static let lossyCall = Result { try call("call.html") }

    @Test func `The page is well-formed and needs nothing but itself`() throws {
        let page = try Self.lossyCall.get().page
        let document = try MarkupDocument(page)
        // Two layers: bitrate, frames, loss, buffer delay, frame delay, events.
        #expect(document.elements.count { $0.attributes["class"] == "plot" } == 12)
        for element in document.elements {
            #expect(element.attributes["href"] == nil)
            let source = element.attributes["src"] ?? "data:"
            #expect(source.hasPrefix("data:"), "\(source.prefix(40))")
        }
        for word in ["http:", "https:", "url(", "@import", "fetch("] { #expect(!page.contains(word), "\(word)") }
        let thumbnails = document.named("img")
        #expect(!thumbnails.isEmpty, "nothing froze: the test shows nothing")
        #expect(thumbnails.allSatisfy { $0.attributes["src"]?.hasPrefix("data:image/webp;base64,UklGR") == true })
    }

    @Test func `With congestion control the page shows what it did`() throws {
        let page = try Self.call("network.html", network: "rate=500k,queue=300ms,delay=40ms", "--congestion", "auto")
            .page
        let document = try MarkupDocument(page)
        // The estimate, the time in the network and in the pacer, and decisions.
        #expect(document.elements.count { $0.attributes["class"] == "plot" } == 16)
        for name in ["What the network carries", "Time in the network", "Time in the pacer", "Cuts and probes"] {
            #expect(page.contains(name), "\(name)")
        }
        #expect(!(try Self.lossyCall.get().page.contains("What the network carries")))
    }

    @Test func `The same seed gives the same bytes, whatever the file is called`() throws {
        let first = try Self.lossyCall.get().page
        #expect(try Self.call("again.html").page == first)
        #expect(try Self.call("other.html", network: "loss=8%,delay=40ms,blackout=1s@2s,seed=6").page != first)
    }

    @Test func `The numbers on the page are those of the report`() throws {
        let call = try Self.lossyCall.get()
        let rows = try statisticsRows(call.page)
        let report = try #require(try JSONSerialization.jsonObject(with: Data(call.json)) as? [String: Any])
        let text = String(decoding: call.json, as: UTF8.self)
        let layers = try #require(report["layers"] as? [[String: Any]])
        var compared = 0
        for (column, layer) in layers.enumerated() {
            for group in ["sent", "received", "quality", "addedDelay"] {
                for (name, value) in try #require(layer[group] as? [String: Any]) {
                    let cells = try #require(rows[group]?[name], "\(group) \(name)")
                    if let number = value as? NSNumber {
                        // To the last digit as it is printed; JSONSerialization reads the last bits wrongly.
                        #expect(text.contains("\"\(name)\" : \(cells[column])"), "\(group) \(name) of layer \(column)")
                        let difference = try #require(Double(cells[column])) - number.doubleValue
                        #expect(abs(difference) <= 1e-12 * number.doubleValue.magnitude)
                    } else {
                        #expect(cells[column] == value as? String, "\(group) \(name) of layer \(column)")
                    }
                    compared += 1
                }
            }
            let latencies = try #require(layer["latencies"] as? [[String: Any]])
            for step in latencies {
                let name = "\(step["from"] ?? "") → \(step["to"] ?? "") median"
                let cells = try #require(rows["latencies"]?[name], "\(name)")
                #expect(
                    Double(cells[column]) == (step["median"] as? NSNumber)?.doubleValue, "\(name) of layer \(column)")
            }
        }
        #expect(compared > 60)
    }

    @Test func `A call that dies is reported, though no rule counts a freeze without end`() throws {
        let page = try Self.call("dead.html", network: "blackout=60s@2s,delay=40ms").page
        let document = try MarkupDocument(page)
        #expect(document.named("th").contains { $0.text == "no picture shown at the end" })
        #expect(document.named("text").count { $0.text.hasPrefix("no picture shown until the end") } == 2)
        #expect(document.named("p").contains { $0.text.hasPrefix("There was no freeze") } == false)
    }

    /// The rows below each heading of the last table.
    private func statisticsRows(_ page: String) throws -> [String: [String: [String]]] {
        let elements = try MarkupDocument(page).elements
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

    @Test(arguments: [["--report", "page.txt"], ["--report", "-"], ["--report", "a.html", "--output", "a.html"]])
    func `A page needs a separate file with the right extension`(arguments: [String]) throws {
        let outcome = try rillProgram().run(["loopback"] + arguments)
        #expect(outcome.status == 64, "\(arguments): \(outcome.errors)")
    }
}
