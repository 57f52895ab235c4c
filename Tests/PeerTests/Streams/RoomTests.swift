import Foundation
import RillTestSupport
import Testing

extension StreamTests {
    /// Rooms of `rill serve`, with programs of others and with its own page.
    @Suite struct RoomTests {
        @Test(.enabled(if: PythonPeer.aiortc != nil, "aiortc is not installed"))
        func `Three of aiortc meet over WebSocket, after one offer each: they see, hear and read each other`()
            async throws
        {
            let server = try await StreamServer()
            let python = try existing(PythonPeer.aiortc)
            let url = server.url("rooms").replacing("http:", with: "ws:")
            let program = try await python.start(["-c", RoomScript.text, url, "3"], limit: 90).finished()
            guard program.status == 0 else { throw TestFailure("\(program.errors)\n\(server.log)") }
            let outcome = try JSONDecoder().decode(RoomScript.Outcome.self, from: Data(program.output))
            #expect(outcome == RoomScript.Outcome(exchanges: [1, 1, 1]), "\(server.log)")
        }

        @Test(.enabled(if: PythonPeer.wsproto != nil, "wsproto is not installed"))
        func `Each case of RFC 6455 that wsproto plays has the right answer`() async throws {
            let server = try await StreamServer()
            let python = try existing(PythonPeer.wsproto)
            let program = try await python.start(["-c", SocketScript.text, "\(server.port)"], limit: 120).finished()
            guard program.status == 0 else { throw TestFailure("\(program.errors)\n\(server.log)") }
            let outcome = try JSONDecoder().decode(SocketScript.Outcome.self, from: Data(program.output))
            #expect(outcome.cases > 160 && outcome.wrong.isEmpty, "\(outcome.wrong)")
        }

        @Test(.enabled(if: isLongRun && Peer.chromium.isInstalled, "with --all, and chromium"))
        func `Sixteen bots and a page, while others come and go: no freeze, one offer each, 0.4 of a core`()
            async throws
        {
            let asked = ProcessInfo.processInfo.environment["RILL_ROOM_SECONDS"].flatMap { Int($0) }
            let seconds = asked ?? 600
            let server = try await StreamServer(limit: seconds + 300)
            let bots = try Program(builtAs: "rill").start(
                [
                    "join", server.url(""), "--room", "lobby", "--count", "16", "--join-leave", "1", "--json",
                ], limit: seconds + 300)
            try await waitUntil("all bots: \(bots.errorsSoFar)", within: 90) {
                bots.errorsSoFar.contains("all pictures there")
            }
            let page = try RoomPage("Anna", at: server, limit: seconds + 240)
            try await waitUntil("pictures: \(try page.status())", within: 60) { try page.pictures() >= 12 }
            // Chromium has begun to decode them all.
            try await Task.sleep(for: .seconds(5))
            let (before, start) = (try (server.load(), page.received()), ContinuousClock.now)
            try await Task.sleep(for: .seconds(seconds))
            let (after, time) = (try (server.load(), page.received()), ContinuousClock.now - start)
            let share = (after.0.processorSeconds - before.0.processorSeconds) / (time / .seconds(1))
            let freezes = after.1.freezes - before.1.freezes
            bots.interrupt()
            let outcome = try await bots.finished()
            guard outcome.status == 0 else { throw TestFailure(outcome.errors) }
            let report = try JSONDecoder().decode(BotsOutcome.self, from: Data(outcome.output))
            note(
                """
                \(seconds) s, 16 bots, \(report.guests.joined) that came and went, Chromium: the server took \(share) of a \
                core; Chromium \(freezes) freezes in \(after.1.frames - before.1.frames) frames; bots \
                \(report.bots.map(\.freezes)) freezes, \(report.bots.map(\.undecodable)) undecodable
                """)
            #expect(share <= 0.4 && freezes == 0)
            for bot in report.bots {
                #expect(bot.joins == 1 && bot.offers == 1 && bot.gaps == 0 && bot.undecodable == 0, "\(bot)")
            }
        }

        @Test(.enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
        func `Two pages meet, write, mute, come back to a server that was killed, and leave`() async throws {
            let server = try await StreamServer()
            let pages = try ["Anna", "Ben"].map { try RoomPage($0, at: server) }
            for page in pages { try await waitUntil("two pictures: \(try page.status())") { try page.pictures() == 2 } }
            try await waitUntil("a speaker") { try pages[0].count("#tiles .speaking") == 1 }
            // Text, whatever is in it.
            let text = "<b>hi</b> \u{1F600}"
            try pages[0].write(text)
            try await waitUntil("the message") { try pages[1].text("#chat li:last-child .text") == text }
            #expect(try pages[1].count("#chat .text b") == 0)
            try pages[1].browser.click("#camera")
            try await waitUntil("no picture") { try pages[0].count("#tiles .empty") == 1 }
            try pages[1].browser.click("#camera")
            try await waitUntil("a picture again") { try pages[0].pictures() == 2 }
            _ = try await server.end(killed: true)
            try await waitUntil("the page says so") { try pages[0].status() == "Connection Interrupted" }
            try await server.start()
            for page in pages {
                let time = try await waitUntil("two pictures again: \(try page.status())") {
                    try page.status() == "" && page.pictures() == 2
                }
                note("two pictures \(time) after the server was there again")
            }
            try pages[1].browser.click("#leave")
            try await waitUntil("one is left") { try pages[0].count("#tiles li") == 1 }
            #expect(try pages[1].browser.text("`${document.getElementById('meeting').hidden}`") == "true")
        }
    }
}

/// The page of a room in a browser of its own.
private struct RoomPage {
    let browser: ChromiumBrowser

    init(_ name: String, at server: StreamServer, limit: Int = 300) throws {
        browser = try ChromiumBrowser(hidesAddresses: true, limit: limit)
        try browser.runBefore(
            """
            window.peers = [];
            window.RTCPeerConnection = class extends RTCPeerConnection {
              constructor(...all) { super(...all); window.peers.push(this); }
            };
            """)
        try browser.navigate(to: server.url("room?room=lobby&name=\(name)&start"))
    }

    func status() throws -> String { try text("#notice") }
    func text(_ selector: String) throws -> String {
        try browser.text("document.querySelector('\(selector)')?.textContent ?? ''")
    }
    func count(_ selector: String) throws -> Int {
        Int(try browser.text("`${document.querySelectorAll('\(selector)').length}`")) ?? -1
    }
    /// The tiles whose video has pictures.
    func pictures() throws -> Int {
        let shown = "[...document.querySelectorAll('#tiles li:not(.empty) video')].filter(one => one.videoWidth > 0)"
        return Int(try browser.text("`${\(shown).length}`")) ?? -1
    }
    /// How many frames of all were decoded, and how often pictures froze.
    func received() throws -> (frames: Int, freezes: Int) {
        let counts = try browser.text(
            """
            (async () => {
              let [frames, freezes] = [0, 0];
              for (const peer of peers) (await peer.getStats()).forEach((one) => {
                if (one.type !== 'inbound-rtp' || one.kind !== 'video') return;
                frames += one.framesDecoded ?? 0;
                freezes += one.freezeCount ?? 0;
              });
              return `${frames} ${freezes}`;
            })()
            """
        ).split(separator: " ").compactMap { Int($0) }
        guard counts.count == 2 else { throw TestFailure("no statistics") }
        return (counts[0], counts[1])
    }
    func write(_ text: String) throws {
        _ = try browser.text(
            """
            (() => {
              const field = document.querySelector("#chat textarea");
              field.value = '\(text)';
              field.form.requestSubmit();
              return 'written';
            })()
            """)
    }
}

/// What `rill join` reports, as far as it is needed.
private struct BotsOutcome: Decodable {
    struct Bot: Decodable {
        var (joins, offers, gaps, undecodable, freezes) = (0, 0, 0, 0, 0)
    }
    struct Guests: Decodable {
        var joined: Int
    }
    var bots: [Bot]
    var guests: Guests
}
