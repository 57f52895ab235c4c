import Foundation
import RillTestSupport
import Testing

extension StreamTests {
    /// Rooms of `rill serve` with Rill and a browser, encrypted from end to end and in the clear.
    @Suite struct EncryptedRoomTests {
        /// How frames are encrypted.
        enum Mode: Int, CaseIterable, CustomTestStringConvertible {
            case clear = 0
            case aes128 = 128
            case aes256 = 256

            var testDescription: String { self == .clear ? "in the clear" : "AES-\(rawValue)" }
            var secret: String? { self == .clear ? nil : "tulip" }
            var bits: Int { self == .clear ? 128 : rawValue }
        }

        @Test(
            .enabled(if: isLongRun, "with --all"), .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"),
            arguments: ["vp8", "vp9"], Mode.allCases)
        func `Rill and Chromium show each other, and switch layers with one key frame each`(
            codec: String, mode: Mode
        ) async throws {
            try await Self.meet(ChromiumBrowser.self, codec, mode)
        }

        @Test(
            .enabled(if: isLongRun, "with --all"), .enabled(if: Peer.firefox.isInstalled, "firefox is not installed"),
            arguments: ["vp8", "vp9"], Mode.allCases)
        func `Rill and Firefox show each other, and switch layers with one key frame each`(
            codec: String, mode: Mode
        ) async throws {
            try await Self.meet(FirefoxBrowser.self, codec, mode)
        }

        /// Both see each other, and each wants the other's layers in turn.
        private static func meet<Browser: BrowserPage>(
            _ browser: Browser.Type, _ codec: String, _ mode: Mode
        ) async throws {
            let server = try await StreamServer()
            let bot = try EncryptedRoomBot(
                at: server, secret: mode.secret, bits: mode.bits, ["--codec", codec, "--switch-every", "3s"])
            try await waitUntil("no bot: \(bot.log)") { bot.isThere }
            let page = try EncryptedRoomPage<Browser>(
                "Anna", at: server, sending: codec, secret: mode.secret, bits: mode.bits)
            try page.want("high", of: "bot 1")
            try await waitUntil("the bot sees nothing: \(bot.log)") { bot.sees }
            let switches = try page.switchLayers(of: "bot 1", times: 8)
            let figures = try page.figures(of: "bot 1")
            let report = try await bot.end()
            let name = "\(codec), \(mode.testDescription)"
            note(
                """
                \(name), \(browser): \(figures.framesDecoded) of \(figures.framesReceived) frames decoded, worker \
                \(figures.worker.sorted { $0.key < $1.key }), 8 switches in \(switches.milliseconds) ms with \
                \(switches.keyFrames) key frames, \(figures.requests) requests; sent \(figures.sent), \
                \(figures.requested) requested, at most \(figures.keyFramesMade) key frames of a layer
                \(name), bot: \(report.frames) frames, \(report.decoded) decoded, \(report.refused) refused, \
                \(report.unopened) not opened, \(report.switches) switches with \(report.keyFrames) key frames, \
                \(report.requests) requests, \(report.freezes) freezes
                """)
            // The browser: all opened. How many of them it decodes depends on the machine.
            #expect(figures.refused == 0 && figures.framesDecoded > 60, "\(figures)")
            if mode != .clear {
                #expect(figures.worker["opened"] ?? 0 >= figures.framesDecoded, "\(figures)")
                #expect(figures.worker["keyFrameRequests"] == 0, "\(figures)")
            }
            // The clip itself has a key frame each second.
            #expect(report.keyFrameRequests <= 10, "\(report)")
            // The bot: the same.
            #expect(report.errors.isEmpty && report.refused == 0 && report.undecodable == 0, "\(report)")
            #expect(report.decoded == report.frames && report.frames > 60 && report.unopened == 0, "\(report)")
            // One key frame for the start, and one a switch, which may be a recent one that the server has.
            #expect(figures.requested <= report.switches + 1, "\(figures) \(report)")
            // A browser that is asked for one of a layer makes one of each, and Chromium some more of its own.
            let made = max(figures.keyFramesMade, 1 + figures.requested)
            #expect(report.keyFrames <= report.switches + made, "\(figures) \(report)")
            #expect(report.requests == 0, "\(report)")
            #expect(try await server.end(killed: false) == 0, "\(server.log)")
        }

        @Test(
            .enabled(if: isLongRun, "with --all"), .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
        func `With another secret Chromium requests no key frame; when it has the right one, one`() async throws {
            try await Self.change(ChromiumBrowser.self)
        }

        @Test(
            .enabled(if: isLongRun, "with --all"), .enabled(if: Peer.firefox.isInstalled, "firefox is not installed"))
        func `With another secret Firefox requests no key frame; when it has the right one, one`() async throws {
            try await Self.change(FirefoxBrowser.self)
        }

        /// A page has another secret for a while, and then the right one.
        private static func change<Browser: BrowserPage>(_ browser: Browser.Type) async throws {
            let server = try await StreamServer()
            let bot = try EncryptedRoomBot(at: server, secret: "tulip", ["--size", "320x180"])
            try await waitUntil("no bot: \(bot.log)") { bot.isThere }
            let page = try EncryptedRoomPage<Browser>("Anna", at: server, secret: "rose")
            try page.want("high", of: "bot 1", waits: false)
            // More than four seconds: within them a browser without frames requests sixteen key frames.
            try await waitUntil("frames: \(try page.figures(of: "bot 1"))") {
                try page.figures(of: "bot 1").worker["wrongKey"] ?? 0 > 150
            }
            let closed = try page.figures(of: "bot 1")
            #expect(closed.requests == 0 && closed.worker["opened"] == 0, "\(closed)")
            #expect(closed.width <= 16 && closed.energy == 0, "\(closed)")
            #expect(try page.browser.text("JSON.stringify(openings)") == "[\"wrongKey\"]")
            _ = try page.browser.evaluate("encryption.change('tulip')")
            let time = try await waitUntil("a picture: \(try page.figures(of: "bot 1"))") {
                try page.figures(of: "bot 1").width == 320
            }
            try await waitUntil("the bot sees nothing: \(bot.log)") { bot.sees }
            let open = try page.figures(of: "bot 1")
            let report = try await bot.end()
            note("\(browser): picture \(time) after the key, \(open), bot: \(report)")
            #expect(open.requests <= 2 && open.worker["keyFrameRequests"] == open.requests, "\(open)")
            #expect(report.requests == 1 && report.refused == 0 && report.decoded > 0, "\(report)")
            // The bot had the page's former key as little, and asked for nothing either.
            #expect(closed.requested <= 2, "\(closed)")
            #expect(try await server.end(killed: false) == 0, "\(server.log)")
        }

        @Test(
            .enabled(if: isLongRun, "with --all"), .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
        func `Mutes, rotations, layer switches and a server that is killed, all at once: then both see again`()
            async throws
        {
            let server = try await StreamServer()
            let bot = try EncryptedRoomBot(
                at: server, secret: "tulip", ["--size", "320x180", "--switch-every", "700ms"])
            try await waitUntil("no bot: \(bot.log)") { bot.isThere }
            let page = try EncryptedRoomPage<ChromiumBrowser>("Anna", at: server, secret: "tulip")
            for round in 0..<2 {
                try page.want("high", of: "bot 1")
                try await waitUntil("the bot sees nothing: \(bot.log)") { bot.sees }
                for turn in 0..<6 {
                    _ = try page.browser.evaluate("room.setMuted('video', true)")
                    _ = try page.browser.evaluate("encryption.rotate()")
                    try page.want(turn % 2 == 0 ? "low" : "high", of: "bot 1", waits: false)
                    try await Task.sleep(for: .milliseconds(300))
                    _ = try page.browser.evaluate("room.setMuted('video', false)")
                    try await Task.sleep(for: .milliseconds(500))
                }
                guard round == 0 else { break }
                _ = try await server.end(killed: true)
                try await server.start()
                try await waitUntil("they are back: \(bot.log)", within: 60) {
                    try page.browser.text("room.state") == "connected"
                        && bot.log.hasSuffix("1 of 1 in the room, pictures missing\n")
                }
            }
            try page.want("high", of: "bot 1")
            let before = try page.figures(of: "bot 1")
            try await waitUntil("pictures: \(try page.figures(of: "bot 1"))") {
                try page.figures(of: "bot 1").framesDecoded > before.framesDecoded + 30
            }
            try await waitUntil("the bot sees nothing: \(bot.log)") { bot.sees }
            let (figures, report) = (try page.figures(of: "bot 1"), try await bot.end())
            note("\(figures)\n\(report)")
            #expect(figures.refused == 0 && report.unopened == 0, "\(figures) \(report)")
            #expect(report.refused == 0 && report.decoded == report.frames, "\(report)")
            // While no server is there, as often as the bot tries.
            #expect(report.errors.keys.allSatisfy { $0 == "connection refused" }, "\(report)")
            #expect(try await server.end(killed: false) == 0, "\(server.log)")
        }
    }
}
