import Foundation
import RillTestSupport
import Testing

/// What becomes of messages: row 66, and that none is lost.
@Suite(.enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
struct ChatStateTests {
    @Test func `Row 66: A message is sent, then delivered to who is there, then read`() throws {
        let meeting = try Meeting()
        let anna = try meeting.join("Anna", denies: true)
        try anna.openChat()
        try anna.say("to nobody yet")
        try anna.bubble("to nobody yet", state: "sent")
        // Somebody who does not look: on a telephone the chat is closed at first.
        let ben = try meeting.join("Ben", size: (390, 844), denies: true)
        if try ben.has("textbox", "Message") { try ben.click("button", "Message") }
        try anna.bubble("to nobody yet", state: "delivered")
        try ben.openChat()
        try anna.bubble("to nobody yet", state: "read")
        #expect(try anna.errors() == [] && ben.errors() == [])
    }

    @Test func `Row 66: While the server is stopped a message is sending; afterwards it is sent, once`() throws {
        let meeting = try Meeting()
        let (anna, ben) = (try meeting.join("Anna", denies: true), try meeting.join("Ben", denies: true))
        for page in [anna, ben] { try page.openChat() }
        try meeting.server.pause()
        try anna.say("one")
        try anna.say("two")
        try anna.bubble("two", state: "sending …")
        try meeting.server.resume()
        try anna.bubble("two", state: "read", within: 30)
        for page in [anna, ben] { #expect(try page.bubbles().map(\.text) == ["one", "two"]) }
    }

    @Test(.enabled(if: isLongRun, "with --all"))
    func `Row 66: Without a server it has failed, with the reason; it can be resent or discarded`() throws {
        let folder = TemporaryFolder()
        let meeting = try Meeting(["--data", folder.path("data")])
        let (anna, ben) = (try meeting.join("Anna", denies: true), try meeting.join("Ben", denies: true))
        for page in [anna, ben] { try page.openChat() }
        try anna.say("before")
        try ben.bubble("before")
        try meeting.server.kill()
        try anna.say("keep me")
        try anna.say("drop me")
        try anna.bubble("drop me", state: "sending …")
        try wait("failed: \(try anna.bubbles())", within: 30) {
            try anna.bubbles().filter { $0.state.contains("failed: The server is away.") }.count == 2
        }
        try existing(try anna.all("button", "Discard").last).click()
        try wait("discarded") { try anna.bubbles().map(\.text) == ["before", "keep me"] }
        try anna.click("button", "Send again")
        try meeting.server.start()
        try anna.bubble("keep me", state: "read", within: 40)
        for page in [anna, ben] { #expect(try page.bubbles().map(\.text) == ["before", "keep me"]) }
    }

    @Test(.enabled(if: isLongRun, "with --all"))
    func `What is unsent outlives a reload, by room and author, and is sent once`() throws {
        let meeting = try Meeting()
        let (anna, ben) = (try meeting.join("Anna", denies: true), try meeting.join("Ben", denies: true))
        for page in [anna, ben] { try page.openChat() }
        try meeting.server.pause()
        for text in ["one", "two"] { try anna.say(text) }
        try anna.bubble("two", state: "sending …")
        // The server comes back just before the page does: it may have stored the first one.
        try anna.evaluate("setTimeout(() => location.reload(), 100)")
        usleep(100_000)
        try meeting.server.resume()
        try ben.bubble("two", within: 40)
        #expect(try ben.bubbles().map(\.text) == ["one", "two"])
        _ = try anna.element("button", "Leave")
        try anna.openChat()
        try anna.bubble("two", within: 30)
        #expect(try anna.bubbles().map(\.text) == ["one", "two"])
    }

    @Test func `Texts are shown as text, whatever they are`() throws {
        let meeting = try Meeting()
        let page = try meeting.join("Anna", denies: true)
        try page.openChat()
        let texts = [
            "<img src=x onerror=alert(1)><script>alert(2)</script>", "&lt;b&gt; &amp;", "\u{202E}gnirts",
            "e\u{301}\u{302}",
            "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "مرحبا بالعالم",
            "[link](javascript:alert(1)) https://example.org",
        ]
        try page.talk(in: "lobby", as: "<b>Ben</b>", texts)
        try page.bubble(try existing(texts.last))
        #expect(try page.bubbles().map(\.text) == texts)
        #expect(try page.bubbles().first?.author == "<b>Ben</b>")
        #expect(try page.list().text().contains("<script>"))
        #expect(
            try page.read("document.querySelectorAll('script:not([src]), a[href*=javascript], [onerror], b b').length")
                == 0)
        #expect(try page.errors() == [])
    }
}
