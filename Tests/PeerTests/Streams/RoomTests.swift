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

        @Test(.enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
        func `Two pages meet, write, mute, come back to a server that was killed, and leave`() async throws {
            let server = try await StreamServer()
            let pages = try ["Anna", "Ben"].map { try RoomPage($0, at: server) }
            for page in pages { try await waitUntil("two pictures: \(try page.status())") { try page.pictures() == 2 } }
            try await waitUntil("a speaker") { try pages[0].count("#tiles .speaking") == 1 }
            // Text, whatever is in it.
            let text = "<b>hi</b> \u{1F600}"
            try pages[0].write(text)
            try await waitUntil("the message") { try pages[1].text("#messages li:last-child p") == text }
            #expect(try pages[1].count("#messages b") == 0)
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

    init(_ name: String, at server: StreamServer) throws {
        browser = try ChromiumBrowser(hidesAddresses: true, limit: 300)
        try browser.navigate(to: server.url("room?room=lobby&name=\(name)&start"))
    }

    func status() throws -> String { try text("#status") }
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
    func write(_ text: String) throws {
        _ = try browser.text("(document.getElementById('text').value = '\(text)', 'written')")
        try browser.click("#write button")
    }
}
