import Foundation
import RillTestSupport
import Testing

/// A call's report in a browser.
@Suite(.enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
struct ReportBrowserTests {
    private let folder = TemporaryFolder()

    @Test func `Chromium shows the page without complaint`() throws {
        let (clip, page) = (folder.path("clip.y4m"), folder.path("a.html"))
        let rill = try Program(builtAs: "rill")
        for arguments in [
            ["generate", "portrait", clip, "--size", "64x48", "--duration", "3s"],
            ["loopback", clip, "--network", "loss=8%,delay=40ms,blackout=500ms@1s,seed=5", "--report", page],
        ] {
            let outcome = try rill.run(arguments)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        let dom = try chromium("a.html")
        #expect(dom.page.components(separatedBy: "class=\"plot\"").count == 13)
        #expect(dom.complaints == [], "\(dom.complaints)")
        // It would tell of an error: here is a page that has one.
        try write(Array("<!DOCTYPE html><script>nothing.such()</script>".utf8), to: folder.path("bad.html"))
        #expect(try chromium("bad.html").complaints.count == 1)
    }

    /// The page as Chromium has it when it has run its scripts, and what it wrote to its console.
    private func chromium(_ name: String) throws -> (page: String, complaints: [String]) {
        let program = try #require(Program(named: Peer.chromium.rawValue))
        let outcome = try program.start(
            [
                // It refuses to run as root in its sandbox; the page is ours.
                "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                "--user-data-dir=\(folder.path("profile"))", "--dump-dom", "file://\(folder.path(name))",
            ], limit: 120
        ).wait()
        guard outcome.status == 0 else { throw TestFailure("chromium: \(outcome.errors.suffix(2000))") }
        return (
            String(decoding: outcome.output, as: UTF8.self),
            outcome.errors.split(separator: "\n").filter { $0.contains(":CONSOLE") }.map(String.init)
        )
    }
}
