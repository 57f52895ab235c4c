import Foundation
import Glibc
import RillTestSupport
import Testing

extension StreamTests {
    /// The table of who publishes for whom.
    @Suite struct TableTests {
        /// How long each layer is watched, in seconds.
        static let seconds = isLongRun ? 6 : 2

        // MARK: Through rill serve

        @Test(.enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
        func `A page publishes, and another one watches the layers that are clicked`() async throws {
            let server = try await StreamServer()
            let publisher = try StreamPage.publishing("stage", at: server)
            try await waitUntil("\(server.log)") { try await server.receives("stage") }
            let page = try StreamPage.watching("stage", at: server)
            try await watch("Chromium → rill serve → Chromium", page, at: server) { try publisher.counts().sent }
        }

        @Test(.enabled(if: isLongRun), .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
        func `A page publishes, and rill watches each layer`() async throws {
            let server = try await StreamServer()
            let publisher = try StreamPage.publishing("stage", at: server)
            try await waitUntil("\(server.log)") { try await server.receives("stage") }
            for layer in ["high", "low"] {
                try await watch("Chromium → rill serve → rill watch", layer, at: server) { try publisher.counts().sent }
            }
        }

        @Test(.enabled(if: isLongRun), .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
        func `rill publishes, and a page watches the layers that are clicked`() async throws {
            let server = try await StreamServer()
            let publisher = try Self.publish(server.url("whip/stage"))
            try await waitUntil("\(publisher.errorsSoFar)") { try await server.receives("stage") }
            let page = try StreamPage.watching("stage", at: server)
            try await watch("rill publish → rill serve → Chromium", page, at: server) { nil }
            try await Self.end(publisher)
        }

        @Test(
            .enabled(if: isLongRun), .enabled(if: WHIPClientProgram.isInstalled, "simple-whip-client is not installed"))
        func `simple-whip-client publishes, and rill watches`() async throws {
            let server = try await StreamServer()
            let publisher = try WHIPClientProgram(server.url("whip/stage"))
            try await waitUntil("\(publisher.log) \(server.log)") { try await server.receives("stage", layers: 1) }
            try await watch("simple-whip-client → rill serve → rill watch", "high", at: server) { nil }
            try await publisher.end()
            #expect(try await server.streams().isEmpty, "\(publisher.log)")
        }

        @Test(.enabled(if: isLongRun), .enabled(if: PythonPeer.aiortc != nil, "aiortc is not installed"))
        func `rill publishes, and aiortc watches`() async throws {
            let server = try await StreamServer()
            let publisher = try Self.publish(server.url("whip/stage"))
            try await waitUntil("\(publisher.errorsSoFar)") { try await server.receives("stage") }
            let python = try existing(PythonPeer.aiortc)
            let seconds = 2 * Self.seconds
            let viewer = try await python.start(["-c", WHEPScript.text, server.url("whep/stage"), "\(seconds)"])
                .finished()
            guard viewer.status == 0 else { throw TestFailure("\(viewer.errors)\n\(server.log)") }
            let outcome = try JSONDecoder().decode(WHEPScript.Outcome.self, from: Data(viewer.output))
            let sent = try await about("high", seconds, at: server)
            note(
                """
                rill publish → rill serve → aiortc, high | sent about \(sent) | received \(outcome.frames), \(outcome.size) | \
                first picture \(outcome.first) ms
                """)
            #expect(10 * outcome.frames > 8 * sent && outcome.size == "1280x720", "\(outcome)\n\(server.log)")
            try await Self.end(publisher)
        }
    }
}

// MARK: The rows

extension StreamTests.TableTests {
    /// A clip that is looped, or the portrait scene.
    static func publish(_ url: String) throws -> RunningProgram {
        let media = ProcessInfo.processInfo.environment["RILL_MEDIA"]
        return try RillRun.start(
            ["publish"] + (media.map { ["\($0)/webcam_1280x720.y4m", "--loop"] } ?? []) + [url, "--size", "1280x720"])
    }

    static func end(_ program: RunningProgram) async throws {
        program.interrupt()
        let outcome = try await program.finished()
        #expect(outcome.status == 130 || outcome.status == 0, "\(outcome.errors)")
    }

    /// Watches the high layer, the low one and the high one again in a page, by its radio buttons.
    private func watch(
        _ who: String, _ page: StreamPage, at server: StreamServer, sent: () throws -> [String: Int]?
    ) async throws {
        try await waitUntil("a picture; the page says \(try page.status())") { try page.status() == "Live." }
        let first = try existing(page.firstPicture())
        for layer in ["high", "low", "high"] {
            try await waitUntil("a choice of layers") { try page.offers(layer) }
            try page.choose(layer)
            let start = ContinuousClock.now
            try await waitUntil("the \(layer) layer: \(try page.counts())") {
                isWidth(try page.counts().width, of: layer)
            }
            let switched = ContinuousClock.now - start
            let (before, sentBefore) = (try page.counts(), try sent())
            try await Task.sleep(for: .seconds(Self.seconds))
            let (after, sentAfter) = (try page.counts(), try sent())
            // Since the page offers extended reports, they are answered with each report.
            #expect(after.roundTrips > before.roundTrips, "\(before) \(after)")
            let (width, arrived) = (after.width, after.received - before.received)
            let shown = after.shown["\(width)", default: 0] - before.shown["\(width)", default: 0]
            let counted = difference(sentBefore, sentAfter, layer)
            let about = try await about(layer, Self.seconds, at: server)
            note(
                """
                \(who), \(layer) | sent \(counted.map(String.init) ?? "about \(about)") | received \(arrived), \
                shown \(shown), \(width) wide | first picture \(first) ms, switched in \(Int(switched.milliseconds)) ms
                """)
            judge("\(who), \(layer)", sent: counted, or: about, received: arrived)
            #expect(2 * shown > arrived, "\(who), \(layer): \(shown) shown of \(arrived)")
            #expect(isWidth(width, of: layer), "\(who), \(layer): \(after)")
        }
        if isLongRun { #expect(first < 1000, "\(who)") }
    }

    /// Watches a layer with `rill watch`.
    private func watch(
        _ who: String, _ layer: String, at server: StreamServer, sent: () throws -> [String: Int]?
    ) async throws {
        let start = ContinuousClock.now
        let viewer = try StreamViewer(server.url("whep/stage"), layer: layer, seconds: Self.seconds)
        try await waitUntil("\(viewer.log)") { viewer.log.contains("first picture") }
        let first = ContinuousClock.now - start
        let before = try sent()
        try await Task.sleep(for: .seconds(Self.seconds))
        let counted = difference(before, try sent(), layer)
        let about = try await about(layer, Self.seconds, at: server)
        let outcome = try await viewer.finished()
        note(
            """
            \(who), \(layer) | sent \(counted.map(String.init) ?? "about \(about)") | received \(outcome.frames), \
            \(outcome.sizes.joined(separator: ", ")) | first picture \(Int(first.milliseconds)) ms after the command
            """)
        judge("\(who), \(layer)", sent: counted, or: about, received: outcome.frames)
        let width = outcome.sizes.last?.split(separator: "x").first.flatMap { Int($0) } ?? 0
        #expect(isWidth(width, of: layer), "\(who), \(layer): \(outcome.sizes)")
    }

    private func isWidth(_ width: Int, of layer: String) -> Bool {
        layer == "high" ? width >= 320 : width > 0 && width < 320
    }

    private func difference(_ before: [String: Int]?, _ after: [String: Int]?, _ layer: String) -> Int? {
        before.flatMap { before in after.map { $0[layer, default: 0] - before[layer, default: 0] } }
    }

    /// How many frames arrive at the server in a time, at the rate of now.
    private func about(_ layer: String, _ seconds: Int, at server: StreamServer) async throws -> Int {
        let rate = try await server.streams().first?.layers.first { $0.name == layer }?.framesPerSecond
        return Int(try existing(rate) * Double(seconds))
    }

    /// Most of what was sent arrives, however busy the machine is; and in a long run nearly all.
    private func judge(_ who: String, sent counted: Int?, or about: Int, received: Int) {
        let sent = counted ?? about
        #expect(sent >= 3 * Self.seconds, "\(who): \(sent) sent")
        let percent = !isLongRun ? 50 : counted == nil ? 80 : 95
        #expect(100 * received >= percent * sent, "\(who): \(received) of \(sent)")
    }
}
