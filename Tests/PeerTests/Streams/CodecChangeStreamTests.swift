import Foundation
import RillTestSupport
import Testing

extension StreamTests {
    /// A page that publishes goes over to another codec without an offer (Chromium 119 and later).
    @Suite struct CodecChangeStreamTests {
        @Test(.enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
        func `A page changes its codec and size, and a page and rill watch go on within a second`() async throws {
            let server = try await StreamServer()
            let publisher = try StreamPage.publishing("stage", at: server)
            try await waitUntil("\(server.log)") { try await server.receives("stage") }
            let page = try StreamPage.watching("stage", at: server)
            try await waitUntil("a picture; the page says \(try page.status())") { try page.status() == "Live." }
            let folder = TemporaryFolder()
            // Five small pictures a second.
            let viewer = try RillRun.start([
                "watch", server.url("whep/stage"), "--layer", "low", "--output", folder.path("shown.y4m"),
            ])
            func written() -> Int {
                let attributes = try? FileManager.default.attributesOfItem(atPath: folder.path(".shown.y4m.part"))
                return attributes?[.size] as? Int ?? 0
            }
            try await waitUntil("\(viewer.errorsSoFar)") { written() > 100_000 }
            for (codec, size) in [("VP9", 1.0), ("VP8", 2), ("VP9", 1), ("VP8", 1)] {
                try page.beginGaps()
                let before = try page.counts()
                try publisher.change(to: codec, scaledDownBy: size)
                try await waitUntil("\(codec): \(try page.counts()) \(server.log)") {
                    let counts = try page.counts()
                    return counts.codec == "video/\(codec)" && counts.decoded > before.decoded + 30
                }
                let sizeBefore = written()
                try await waitUntil("\(codec): \(viewer.errorsSoFar) \(server.log)") {
                    written() > sizeBefore + 100_000
                }
                let after = try page.counts()
                note("to \(codec), 1/\(size): \(Int(after.longest)) ms without a picture, \(after.width) wide")
                // A machine that encodes and decodes all of it beside other tests takes its time.
                #expect(after.longest < 1000 || !isLongRun, "\(codec): \(after)")
            }
            try await StreamTests.TableTests.end(viewer)
        }
    }
}
