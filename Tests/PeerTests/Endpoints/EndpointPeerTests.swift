import Foundation
import Rill
import RillTestSupport
import Testing

/// `rill publish` and `rill watch` with an endpoint of WHIP and WHEP that is not ours.
@Suite(.serialized, .enabled(if: PythonPeer.aiortc != nil, "aiortc is not installed"))
struct EndpointPeerTests {
    private let folder = TemporaryFolder()

    private func clip(frames: Int) throws -> String {
        var bytes = Array("YUV4MPEG2 W320 H240 F30:1 C420jpeg\n".utf8)
        for frame in 0..<frames {
            bytes += Array("FRAME\n".utf8)
            for y in 0..<240 { for x in 0..<320 { bytes.append(UInt8(40 + (x * 5 + y * 3 + frame * 7) % 96)) } }
            bytes += [UInt8](repeating: 128, count: 320 * 240 / 2)
        }
        let path = folder.path("clip.y4m")
        try write(bytes, to: path)
        return path
    }

    @Test func `A clip that is published is decoded whole, behind a redirection and with a token`() async throws {
        let server = try await EndpointServer(token: "secret")
        let page = folder.path("page.html")
        let outcome = try await RillRun.start(
            "publish", try clip(frames: 120), server.url("moved/stage"), "--token", "secret", "--report", page
        ).finished()
        #expect(outcome.status == 0, "\(outcome.errors)")
        for line in ["the server has answered; session http", "connected", "joined", "the source has ended"] {
            #expect(outcome.errors.contains(line), "\(outcome.errors)")
        }
        let seen = try server.seen()
        // aiortc takes no simulcast: it gets the high layer.
        #expect(seen.decoded >= 115 && seen.sizes == ["320x240"], "\(seen)\n\(outcome.errors)")
        #expect(seen.posts == 1 && seen.deletes == 1 && seen.patches == 0, "\(seen)")
        #expect(String(decoding: try read(page), as: UTF8.self).contains("Published stream"))
    }

    @Test func `A wrong token is refused, and no second attempt made`() async throws {
        let server = try await EndpointServer(token: "secret")
        let outcome = try await RillRun.start("watch", server.url("whep/stage"), "--token", "guessed").finished()
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("the server wants another token (401: another token, please)"))
        #expect(try server.seen().posts == 0)
    }

    @Test(arguments: ["y4m", "ivf"])
    func `A stream that begins later is waited for and recorded, and its layer selected`(_ ending: String) async throws
    {
        let server = try await EndpointServer()
        let output = folder.path("shown.\(ending)")
        let run = try await RillRun.start(
            "watch", server.url("whep/later"), "--layer", "low", "--duration", "4s", "--output", output, "--json"
        ).finished()
        let report = try RillRun.Report(run)
        #expect(report.received.framesShown >= 90, "\(run.errors)")
        #expect(run.errors.contains("not ready (404: nobody publishes it); trying again"), "\(run.errors)")
        #expect(run.errors.contains("the server selects the low layer"), "\(run.errors)")
        let seen = try server.seen()
        #expect(seen.layers == ["low"] && seen.deletes == 1 && seen.refused == 3, "\(seen)")
        let bytes = try read(output)
        if ending == "y4m" {
            #expect(bytes.count > 90 * 320 * 240 * 3 / 2 && bytes.starts(with: Array("YUV4MPEG2 W320 H240 F30".utf8)))
        } else {
            #expect(bytes.starts(with: Array("DKIF".utf8)) && bytes.count > 5000)
        }
    }

    @Test func `A server that is killed and started again has both back within five seconds`() async throws {
        var server: EndpointServer? = try await EndpointServer()
        let port = server?.port ?? 0
        let output = folder.path("both.y4m")
        let publisher = try RillRun.start(
            "publish", try clip(frames: 60), "http://127.0.0.1:\(port)/whip/a", "--loop", "--duration", "16s")
        let viewer = try RillRun.start(
            "watch", "http://127.0.0.1:\(port)/whep/a", "--duration", "16s", "--output", output)
        _ = try await publisher.said("0.")
        try await waitFor { publisher.errorsSoFar.contains("joined") && viewer.errorsSoFar.contains("first picture") }
        try server?.kill()
        server = nil
        try await Task.sleep(for: .seconds(1))
        let again = try await EndpointServer(port: port)
        let start = ContinuousClock.now
        try await waitFor {
            publisher.errorsSoFar.contains("connected again") && viewer.errorsSoFar.contains("connected again")
        }
        let time = ContinuousClock.now - start
        #expect(time < .seconds(5), "\(time)")
        let (published, watched) = (try await publisher.finished(), try await viewer.finished())
        #expect(published.status == 0 && watched.status == 0, "\(published.errors)\n\(watched.errors)")
        let seen = try again.seen()
        #expect(seen.decoded > 100 && seen.deletes == 2, "\(seen)\n\(published.errors)")
        // One recording of both sessions, as long as they were.
        #expect(try read(output).count > 400 * 320 * 240 * 3 / 2, "\(watched.errors)")
    }

    @Test func `A window gets the pictures, and one that cannot be opened ends the command`() async throws {
        let server = try await EndpointServer()
        var rill = try Program(builtAs: "rill")
        // SDL draws into memory.
        rill.environment = ["SDL_VIDEODRIVER": "dummy", "SDL_RENDER_DRIVER": "software"]
        let words = ["watch", server.url("whep/a"), "--preview", "--duration", "2s", "--json"]
        let shown = try await rill.start(words, limit: 30).finished()
        #expect(try RillRun.Report(shown).received.framesShown >= 30, "\(shown.errors)")
        #expect(try server.seen().deletes == 1)
        rill.environment = ["SDL_VIDEODRIVER": "none"]
        let failed = try await rill.start(words, limit: 30).finished()
        #expect(failed.status == 1 && failed.errors.contains("is there a display?"), "\(failed.errors)")
        #expect(try server.seen().posts == 1)
    }

    private func waitFor(_ condition: () -> Bool) async throws {
        for _ in 0..<1500 where !condition() { try await Task.sleep(for: .milliseconds(10)) }
        guard condition() else { throw TestFailure("it did not happen within 15 s") }
    }
}
