import Foundation
import RillTestSupport
import Testing

extension StreamTests {
    /// A server that is killed, or ended, and started again: its publishers and viewers come back by themselves.
    @Suite(.enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
    struct RestartTests {
        @Test(arguments: isLongRun ? [true, false] : [true])
        func `rill and pages have pictures again, on both sides, after the server was started again`(
            isKilled: Bool
        ) async throws {
            let server = try await StreamServer()
            let publisher = try TableTests.publish(server.url("whip/clip"))
            let camera = try StreamPage.publishing("camera", at: server)
            let viewer = try StreamViewer(server.url("whep/clip"), seconds: 120)
            let page = try StreamPage.watching("camera", at: server)
            try await waitUntil(
                "pictures of all: \(publisher.errorsSoFar) \(viewer.log) \(page.status()) \(server.log)"
            ) {
                let streams = try await server.streams()
                return try server.receives("clip", in: streams) && server.receives("camera", in: streams)
                    && viewer.log.contains("first picture") && page.picturesShown() > 10
            }

            let status = try await server.end(killed: isKilled)
            #expect(status == (isKilled ? 137 : 0), "\(server.log)")
            try await Task.sleep(for: .seconds(1))
            let (before, written) = (try page.picturesShown(), try viewer.framesSoFar())
            try await server.start()
            let start = ContinuousClock.now
            var back: [String: Duration] = [:]
            func note(_ who: String, _ isBack: Bool) {
                if isBack, back[who] == nil { back[who] = ContinuousClock.now - start }
            }
            _ = try? await waitUntil("all are back") {
                let streams = (try? await server.streams()) ?? []
                note("rill publish", server.receives("clip", in: streams, layers: 1))
                note("publishing page", server.receives("camera", in: streams, layers: 1))
                note("rill watch", viewer.log.ranges(of: "first picture").count == 2)
                note("watching page", try page.picturesShown() > before)
                return back.count == 4
            }
            RillTestSupport.note(
                "rill serve \(isKilled ? "killed" : "ended") and started again | pictures again after: "
                    + back.sorted { $0.key < $1.key }.map { "\($0.key) \(Int($0.value.milliseconds)) ms" }
                    .joined(separator: ", "))
            let words =
                "\(publisher.errorsSoFar)\n\(viewer.log)\n\(try camera.status()), \(try page.status())\n\(server.log)"
            #expect(back.count == 4, "\(back): \(words)")
            if isLongRun { #expect(back.values.allSatisfy { $0 < .seconds(5) }, "\(back): \(words)") }

            // And it goes on: more pictures come, however few a busy machine encodes in a second.
            let (shown, recorded) = (try page.picturesShown(), try viewer.framesSoFar())
            #expect(recorded > written, "\(words)")
            try await waitUntil("it goes on: \(words)") {
                try page.picturesShown() > shown + 30 && viewer.framesSoFar() > recorded + 30
            }
            let last = try viewer.framesSoFar()
            // Those of both sessions are in one file.
            #expect(try await viewer.stop().frames >= last, "\(words)")
            try await TableTests.end(publisher)
        }
    }
}
