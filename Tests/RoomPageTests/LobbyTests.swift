import Foundation
import RillTestSupport
import Testing

/// The lobby of the room's page: rows 1 and 3 to 12.
@Suite(.serialized, .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
struct LobbyTests {
    private static let allowed = #"azAZ09`!#$%&()+,-:;<=.>?@[]^_{|}~"#

    @Test func `Row 1: without permission one joins as a viewer and is told; with it there is a preview`() throws {
        let meeting = try Meeting()
        let anna = try meeting.lobby()
        #expect(try anna.video(of: 0).label == "Your camera")
        let ben = try meeting.join("Ben", denies: true)
        #expect(try ben.text().contains("You join as a viewer"))
        try anna.click("button", "Join")
        _ = try anna.element("listitem", "Guest (you)")
        try ben.shows([0])
        try anna.wait("no second tile") { try !anna.has("listitem", "Ben") }
        #expect(try ben.errors() == [] && anna.errors() == [])
    }

    @Test func `Row 3: the room's name takes only what it may have, while one types`() throws {
        let meeting = try Meeting()
        let anna = try meeting.lobby("")
        let name = try anna.element("textbox", "Room")
        try name.fill("ab c/ü*\"'d\\")
        #expect(try name.current() == "abcd")
        try name.fill(Self.allowed)
        #expect(try name.current() == Self.allowed)
        try name.fill("")
        try anna.insert(String(repeating: "0 ", count: 100))
        #expect(try name.current() == String(repeating: "0", count: 89))
        // The caret stays where one types.
        try name.fill("ad")
        try anna.press("ArrowLeft")
        try anna.type("b c")
        #expect(try name.current() == "abcd")
        // Any such name is a room, and text.
        let odd = "<b>&%23#?"
        try name.fill(odd)
        try anna.press("Enter")
        #expect(try anna.element("heading", odd).text() == odd)
        let address = try anna.read("location.href", as: String.self)
        let ben = try meeting.browser.open("\(address)&name=Ben&start", scripts: [Probe.script(clip: 1)])
        #expect(try ben.element("heading", odd).text() == odd)
        for page in [anna, ben] { try page.shows([0, 1]) }
    }

    @Test func `Row 4: the key has the same filter, and Return only leaves its field`() throws {
        let meeting = try Meeting()
        let anna = try meeting.lobby()
        let key = try anna.element("textbox", "Encryption key")
        try key.fill("ab c/ü*\"'d\\")
        #expect(try key.current() == "abcd")
        #expect(try key.isFocused())
        try anna.press("Enter")
        #expect(try !key.isFocused())
        #expect(try !anna.has("button", "Leave") && anna.has("button", "Join"))
    }

    @Test func `Row 5: the sheet of encryption types has two and Cancel, and the button shows the choice`() throws {
        let meeting = try Meeting()
        let anna = try meeting.lobby()
        try anna.click("button", "AES 128")
        let sheet = try anna.element("dialog", "Encryption type")
        #expect(try sheet.text().split(separator: "\n").filter { !$0.isEmpty } == ["AES 128", "AES 256", "Cancel"])
        func choose(_ choice: String, then shown: String) throws {
            let buttons = try anna.all("button", choice)
            try buttons.last?.click()
            try anna.wait("no sheet") { try !anna.has("dialog") }
            #expect(try anna.all("button").map(\.name).contains(shown))
        }
        try choose("AES 256", then: "AES 256")
        try anna.click("button", "AES 256")
        try choose("Cancel", then: "AES 256")
        try anna.click("button", "AES 256")
        try anna.press("Escape")
        try anna.wait("no sheet") { try !anna.has("dialog") }
        try anna.click("button", "AES 256")
        try choose("AES 128", then: "AES 128")
    }

    @Test func `Row 6: Join and Return join; an empty name does nothing`() throws {
        let meeting = try Meeting()
        let pages = try (0..<3).map { _ in try meeting.lobby("") }
        try pages[0].click("button", "Join")
        try pages[0].element("textbox", "Room").focus()
        try pages[0].press("Enter")
        usleep(300_000)
        #expect(try pages[0].has("button", "Join") && !pages[0].has("button", "Leave"))
        #expect(try pages[0].read("probe.sockets.length", as: Int.self) == 0)
        try pages[1].element("textbox", "Room").fill("lobby")
        try pages[1].click("button", "Join")
        try pages[2].element("textbox", "Room").fill("lobby")
        try pages[2].press("Enter")
        for page in pages[1...] { _ = try page.element("button", "Leave") }
        for page in pages[1...] { try page.shows([1, 2]) }
    }

    @Test func `Row 7: the profiles are listed, the present one is marked, and OK returns`() throws {
        let meeting = try Meeting()
        let anna = try meeting.lobby()
        #expect(try anna.has("button", "640×360"))
        try anna.click("button", "640×360")
        let rows = try anna.all("radio")
        #expect(
            rows.map(\.name) == [
                "160×120, 15 fps, 65 kbit/s", "320×180, 15 fps, – kbit/s", "320×240, 15 fps, 200 kbit/s",
                "640×360, 15 fps, 400 kbit/s", "640×480, 15 fps, 500 kbit/s", "1280×720, 15 fps, 1130 kbit/s",
            ])
        #expect(rows.map { $0.properties["checked"] == "true" } == [false, false, false, true, false, false])
        try anna.click("radio", "320×240")
        try anna.click("button", "OK")
        #expect(try anna.has("button", "320×240") && !anna.has("dialog"))
        try anna.click("button", "320×240")
        #expect(try anna.all("radio").first { $0.properties["checked"] == "true" }?.name.hasPrefix("320×240") == true)
    }

    @Test func `Row 8: what is sent has the profile's size and frame rate`() throws {
        let meeting = try Meeting()
        let ben = try meeting.join("Ben", "&role=viewer")
        let all = [(160, 120), (320, 180), (320, 240), (640, 360), (640, 480), (1280, 720)]
        for (width, height) in isLongRun ? all : [(320, 240), (640, 480)] {
            let anna = try meeting.lobby("room=lobby&name=Anna")
            try anna.click("button", "640×360")
            try anna.click("radio", "\(width)×\(height)")
            try anna.click("button", "OK")
            try anna.click("button", "Join")
            var seen: [Page.Stats] = []
            try ben.wait("\(width)x\(height): \(seen)", within: 25) {
                seen = try ben.stats("inbound-rtp", "video").filter { ($0.framesPerSecond ?? 0) > 0 }
                return seen.contains {
                    $0.frameWidth == width && $0.frameHeight == height && abs(($0.framesPerSecond ?? 0) - 15) <= 3
                }
            }
            try anna.click("button", "Leave")
            try anna.close()
        }
    }

    @Test func `Row 9: the room's name is the title`() throws {
        let meeting = try Meeting()
        let anna = try meeting.join("Anna", room: "Monday")
        #expect(try anna.element("heading", "Monday").text() == "Monday")
        #expect(try anna.read("document.title", as: String.self).hasPrefix("Monday"))
    }

    @Test func `Row 10: before one has joined, one's own tile has the video's aspect`() throws {
        let meeting = try Meeting()
        let anna = try meeting.lobby("room=lobby&name=Anna")
        for (width, height) in [(640.0, 360.0), (320.0, 240.0)] {
            if width == 320 {
                try anna.click("button", "640×360")
                try anna.click("radio", "320×240")
                try anna.click("button", "OK")
            }
            try anna.wait("the aspect: \(try anna.videos())") {
                let rect = try anna.video(of: 0).rect
                return abs(rect.width / rect.height - width / height) < 0.02
            }
        }
        #expect(try anna.has("button", "Join") && anna.read("probe.sockets.length", as: Int.self) == 0)
    }

    @Test func `Row 11: a join that fails shows its code among the messages`() throws {
        let secret = TemporaryFolder()
        try String(repeating: "s", count: 40).write(toFile: secret.path("secret"), atomically: true, encoding: .utf8)
        let meeting = try Meeting(["--secret-file", secret.path("secret"), "--host", "127.0.0.1"])
        let anna = try meeting.browser.open(
            meeting.server.url("room?room=lobby&name=Anna&start#token=wrong"), scripts: [Probe.script(clip: 0)])
        let failure = try anna.element("list", "Messages")
        try anna.wait("the code: \(try anna.text())") { try failure.text().hasPrefix("Join channel failed: 401") }
        // The token is in memory only.
        let kept = "location.href + JSON.stringify([{...sessionStorage}, {...localStorage}])"
        #expect(try !anna.read(kept, as: String.self).contains("wrong"))
    }

    @Test func `Row 12: the screen stays on in the room, and not after`() throws {
        let meeting = try Meeting()
        let anna = try meeting.lobby("room=lobby&name=Anna")
        let held = "probe.wakeLocks.filter((one) => !one.released).length"
        #expect(try anna.read(held, as: Int.self) == 0)
        try anna.click("button", "Join")
        try anna.wait("a wake lock") { try anna.read(held, as: Int.self) == 1 }
        try anna.click("button", "Leave")
        try anna.wait("no wake lock") { try anna.read(held, as: Int.self) == 0 }
    }
}
