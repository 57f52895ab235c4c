import Foundation
import RillTestSupport
import Testing

extension StreamTests {
    /// A page that publishes, and its network goes away for a while.
    @Suite(
        .enabled(if: isLongRun), .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"),
        .enabled(if: TwoNetworks.arePossible, "namespaces need root"))
    struct OutageTests {
        private static let origin = "http://\(TwoNetworks.server):8080"

        @Test func `A page is published again within 3 s of its network's return`() async throws {
            let folder = TemporaryFolder()
            let networks = try await TwoNetworks()
            try String(repeating: "secret", count: 8).write(
                toFile: folder.path("secret"), atomically: true, encoding: .utf8)
            let rill = try Program(builtAs: "rill")
            // Nobody is named in the token: the page is known by its session.
            let made = try rill.run([
                "token", "--secret-file", folder.path("secret"), "--publish", "*", "--watch", "*", "--metrics",
            ])
            let token = made.text.trimmingCharacters(in: .whitespacesAndNewlines)
            let server = try networks.start(
                rill,
                [
                    "serve", "--host", TwoNetworks.server, "--announce", TwoNetworks.server, "--secret-file",
                    folder.path("secret"),
                ], inServers: true)
            defer { server.interrupt() }
            try await waitUntil("no server: \(server.errorsSoFar)") { server.outputSoFar.contains("Listening") }

            let browser = try ChromiumBrowser(
                trusting: Self.origin, by: networks.launcher(inServers: false), limit: 600)
            try browser.navigate(to: "\(Self.origin)/publish?start&stream=stage#token=\(token)")
            func counted(_ name: String) async throws -> Int {
                let text = try await networks.run(
                    inServers: true, "curl -s -H 'Authorization: Bearer \(token)' \(Self.origin)/metrics")
                let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
                return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
            }
            func status() -> String {
                (try? browser.text("document.getElementById('status').textContent")) ?? "no page"
            }
            try await waitUntil("no stream: \(status()) \(server.errorsSoFar)") {
                try await counted("rill_streams") == 1
            }
            let viewer = try networks.start(
                Program(builtAs: "rill"),
                ["watch", "\(Self.origin)/whep/stage", "--token", token, "--output", folder.path("shown.ivf")],
                inServers: true)
            defer { viewer.interrupt() }
            let frames = "rill_frames_forwarded_total"
            try await waitUntil("no frames: \(viewer.errorsSoFar) \(server.errorsSoFar)") {
                try await counted(frames) > 60
            }

            for seconds in [1, 2, 4, 8, 16, 24, 40] {
                try await networks.setLink(isUp: false)
                try await Task.sleep(for: .seconds(seconds))
                let before = try await counted(frames)
                let start = ContinuousClock.now
                try await networks.setLink(isUp: true)
                // Not what was on its way, but a stream that goes on.
                try await waitUntil("\(seconds) s: \(status()) \(server.errorsSoFar)", within: 20) {
                    try await counted(frames) > before + 5
                }
                let time = ContinuousClock.now - start
                note("\(seconds) s without a network: a viewer has pictures again after \(Int(time.milliseconds)) ms")
                #expect(time < .seconds(3), "\(seconds) s: \(server.errorsSoFar)")
                #expect(try await counted("rill_viewers") == 1)
                try await Task.sleep(for: .seconds(3))
                #expect(try await counted(frames) > before + 15)
            }
        }
    }
}
