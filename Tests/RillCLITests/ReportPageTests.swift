import Foundation
import RillTestSupport
import Testing

/// What a page holds. `ReportBrowserTests` show it in a browser.
@Suite struct ReportPageTests {
    private struct Call {
        var folder = TemporaryFolder()
        var path: String
        var page: String
        var json: [UInt8]
    }

    // The page names its clip: all calls have the same.
    private static let clipFolder = TemporaryFolder()
    private static let clip = Result { try movingClip(in: clipFolder, frames: 120) }

    /// A short lossy call's page, and its report as JSON.
    private static func call(
        _ name: String, network: String = "loss=8%,delay=40ms,blackout=1s@2s,seed=5"
    ) throws -> Call {
        let folder = TemporaryFolder()
        let outcome = try rillProgram().run(
            ["loopback", try clip.get(), "--json", "--network", network, "--report", folder.path(name)])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let page = String(decoding: try read(folder.path(name)), as: UTF8.self)
        return Call(folder: folder, path: folder.path(name), page: page, json: outcome.output)
    }

    /// The one that most tests look at.
    private static let lossyCall = Result { try call("call.html") }

    @Test func `The page needs nothing but itself`() throws {
        let page = try Self.lossyCall.get().page
        for word in ["http:", "https:", "url(", "@import", "fetch(", "href=", "XMLHttpRequest", "import("] {
            #expect(!page.contains(word), "\(word)")
        }
    }

    @Test func `The same seed gives the same bytes, whatever the file is called`() throws {
        let first = try Self.lossyCall.get().page
        #expect(try Self.call("again.html").page == first)
        #expect(try Self.call("other.html", network: "loss=8%,delay=40ms,blackout=1s@2s,seed=6").page != first)
    }

    @Test func `The report on the page is that of --json, with its timelines`() throws {
        let call = try Self.lossyCall.get()
        let page = try report(onPage: call.path)
        let printed = try #require(try JSONSerialization.jsonObject(with: Data(call.json)) as? [String: Any])
        func text(_ report: Any?) throws -> String {
            let json = try JSONSerialization.data(withJSONObject: try #require(report), options: .sortedKeys)
            return String(decoding: json, as: UTF8.self)
        }
        #expect(try text(page["report"]) == text(printed))
        let layers = try #require(printed["layers"] as? [[String: Any]])
        let timelines = try #require(page["timelines"] as? [[String: Any]])
        #expect(timelines.count == 2)
        for (layer, timeline) in zip(layers, timelines) {
            let intervals = try #require(timeline["timeline"] as? [String: Any])
            let counts = try #require(intervals["counts"] as? [String: [Int]])
            let received = try #require(layer["received"] as? [String: Any])
            #expect(counts["framesShown"]?.reduce(0, +) == received["framesShown"] as? Int)
            let sent = try #require(layer["sent"] as? [String: Any])
            #expect(counts["framesSent"]?.reduce(0, +) == sent["framesEncoded"] as? Int)
            let pictured = try #require(timeline["pictured"] as? [[String: Any]])
            #expect(!pictured.isEmpty, "nothing froze: the test shows nothing")
            for freeze in pictured {
                let before = try #require(freeze["before"] as? [String: Any])
                #expect((before["webP"] as? String)?.hasPrefix("UklGR") == true)
            }
        }
    }

    @Test func `Text in a report cannot end the element that holds it`() throws {
        let folder = TemporaryFolder()
        try write(try read(Self.clip.get()), to: folder.path("<!--b>.y4m"))
        let page = folder.path("a.html")
        let outcome = try rill("loopback", folder.path("<!--b>.y4m"), "--duration", "300ms", "--report", page)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let facts = try #require(try report(onPage: page)["facts"] as? [[String]])
        #expect(facts.contains { $0[0] == "source" && $0[1].hasSuffix("<!--b>.y4m") }, "\(facts)")
        #expect(!String(decoding: try read(page), as: UTF8.self).contains("<!--b>"))
    }

    @Test(arguments: [["--report", "page.txt"], ["--report", "-"], ["--report", "a.html", "--output", "a.html"]])
    func `A page needs a separate file with the right extension`(arguments: [String]) throws {
        let outcome = try rillProgram().run(["loopback"] + arguments)
        #expect(outcome.status == 64, "\(arguments): \(outcome.errors)")
    }
}
