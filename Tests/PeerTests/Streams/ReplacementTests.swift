import RillTestSupport
import Testing

extension StreamTests {
    /// Who publishes a stream changes: who had it is told, and who watches goes on.
    @Suite(.enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
    struct ReplacementTests {
        private static let lost = "Somebody else publishes this stream now."

        @Test func `A page that is replaced is told within a second, and does not win the name back`() async throws {
            let server = try await StreamServer()
            let page = try StreamPage.publishing("stage", at: server)
            try await waitUntil("a page: \(page.status())") { try await server.receives("stage") }
            let publisher = try RillRun.start("publish", server.url("whip/stage"), "--size", "640x360")
            try await waitUntil("replaced: \(server.log)") { server.log.contains("reason=replaced") }
            let told = try await waitUntil("told: \(page.status())") { try page.status() == Self.lost }
            note("a page that was replaced is told after \(Int(told.milliseconds)) ms")
            #expect(told < .seconds(1) || !isLongRun)
            // Who is told does not try again, also where nobody publishes.
            _ = try await server.end(killed: true)
            try await server.start()
            try await waitUntil("rill again: \(publisher.errorsSoFar)") { try await server.receives("stage") }
            #expect(try page.status() == Self.lost)
            #expect(!server.log.contains("reason=replaced"))
            try await TableTests.end(publisher)
        }

        @Test func `rill that is replaced by a page ends, and says why`() async throws {
            let server = try await StreamServer()
            let publisher = try RillRun.start("publish", server.url("whip/stage"), "--size", "640x360")
            try await waitUntil("rill: \(publisher.errorsSoFar)") { try await server.receives("stage") }
            let page = try StreamPage.publishing("stage", at: server)
            try await waitUntil("replaced: \(server.log) \(page.status())") { server.log.contains("reason=replaced") }
            let told = try await waitUntil("told: \(publisher.errorsSoFar)") { publisher.hasEnded }
            note("rill publish that was replaced ends after \(Int(told.milliseconds)) ms")
            #expect(told < .seconds(1) || !isLongRun)
            let outcome = try await publisher.finished()
            #expect(outcome.status != 0 && outcome.errors.contains("somebody else publishes the stream now"))
        }

        /// It returns as another session, after it ended or was killed; after half a minute its viewers were ended too.
        @Test(arguments: isLongRun ? [(true, 3.0), (true, 33), (false, 3), (false, 50)] : [(true, 3.0), (false, 3)])
        func `Who watches sees a stream that returns within two seconds`(ends: Bool, pause: Double) async throws {
            let server = try await StreamServer()
            func publish() async throws -> RunningProgram {
                let program = try RillRun.start("publish", server.url("whip/stage"), "--size", "640x360")
                try await waitUntil("rill: \(program.errorsSoFar)") { program.errorsSoFar.contains(" connected") }
                return program
            }
            let first = try await publish()
            try await waitUntil("pictures: \(server.log)") { try await server.receives("stage") }
            let page = try StreamPage.watching("stage", at: server)
            let viewer = try StreamViewer(server.url("whep/stage"), seconds: 200)
            try await waitUntil("pictures: \(page.status()) \(viewer.log)") {
                try page.picturesShown() > 10 && viewer.log.contains("first picture") && viewer.framesSoFar() > 10
            }
            if ends { first.interrupt() } else { try first.kill() }
            _ = try await first.finished()
            try await Task.sleep(for: .seconds(pause))
            let (shown, written) = (try page.picturesShown(), try viewer.framesSoFar())
            let second = try await publish()
            let words = "\(ends ? "ended" : "killed"), back after \(pause) s"
            let start = ContinuousClock.now
            var back: [String: Duration] = [:]
            try await waitUntil("\(words): \(page.status()) \(viewer.log) \(server.log)") {
                let time = ContinuousClock.now - start
                if try page.picturesShown() > shown + 3, back["page"] == nil { back["page"] = time }
                if try viewer.framesSoFar() > written + 3, back["rill"] == nil { back["rill"] = time }
                return back.count == 2
            }
            note("\(words): \(back.map { "\($0.key) sees it after \(Int($0.value.milliseconds)) ms" }.sorted())")
            #expect(back.values.allSatisfy { $0 < .seconds(2) } || !isLongRun, "\(words): \(back) \(server.log)")
            try await TableTests.end(second)
        }
    }
}
