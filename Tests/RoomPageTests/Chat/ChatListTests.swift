import Foundation
import RillTestSupport
import Testing

/// What is in the list: rows 29 to 32, 37, 38, 42 and 47.
@Suite(.enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
struct ChatListTests {
    @Test(.enabled(if: isLongRun, "with --all"))
    func `Row 29: Data of any script up to 1,000 bytes is shown; 1,001 bytes are refused by name`() throws {
        let meeting = try Meeting()
        let page = try meeting.join("Anna", denies: true)
        try page.openChat()
        // An app of somebody else, on the documented module.
        let other = try meeting.lobby("", denies: true)
        try other.evaluate(
            "import('/rill-room.js').then(async ({ Room }) => { window.app = await Room.join('/rooms', { room: 'lobby', name: 'App', role: 'viewer' }); })"
        )
        let send = { (text: String) in
            try other.read(
                "app.send(\(literal(text))).then(() => 'sent', (error) => `${error.code} ${error.message}`)",
                as: String.self)
        }
        for text in [
            "\u{1F600} family \u{1F468}\u{200D}\u{1F469}", "שלום עולם", "<i>hi</i>", String(repeating: "é", count: 500),
        ] {
            #expect(try send(text) == "sent")
            try page.shows(text: "App: \(text)")
        }
        let refusal = try send(String(repeating: "é", count: 500) + "x")
        #expect(refusal.hasPrefix("413 ") && refusal.contains("1000"), "\(refusal)")
        #expect(try page.read("document.querySelectorAll('i').length") == 0)
    }

    @Test func `Row 30: Over the pictures the list keeps 20, the oldest goes, and it is scrolled to the last`() throws {
        let meeting = try Meeting()
        let page = try meeting.join("Anna", size: (1280, 720), denies: true)
        try page.openChat()
        try page.set("Over the pictures, with the last 20", to: true)
        let texts = (1...25).map { $0 % 10 == 0 ? "message \($0)\nwith\nlines" : "message \($0)" }
        try page.talk(in: "lobby", as: "Ben", texts)
        try page.bubble("message 25")
        let bubbles = try page.bubbles()
        #expect(bubbles.map(\.text) == Array(texts[5...]))
        let list = try page.list().rect()
        let last = try existing(bubbles.last)
        #expect(last.rect.y >= list.y && last.rect.y + last.rect.height <= list.y + list.height + 1)
        // Rows are as high as their text.
        let high = try existing(bubbles.first { $0.text.contains("lines") })
        #expect(high.rect.height >= last.rect.height + 40)
        try page.set("Over the pictures, with the last 20", to: false)
        try page.bubble("message 1")
        #expect(try page.bubbles().count == 25)
    }

    @Test(.enabled(if: isLongRun, "with --all"))
    func `Row 31: A cut of 5 s and one of 12 s: Connection Interrupted, Connection Lost, and back`() throws {
        let meeting = try Meeting()
        let page = try meeting.join("Anna", denies: true)
        try page.openChat()
        let count = { (text: String) in try page.text().components(separatedBy: text).count - 1 }
        // The time it takes to notice is the engine's; the list shows it.
        try meeting.server.pause()
        try wait("interrupted", within: 10) { try count("Connection Interrupted") > 0 }
        #expect(try count("Connection Lost") == 0)
        try meeting.server.resume()
        try wait("back: \(try page.text())", within: 20) { try count("Connected again") == 1 }
        try meeting.server.pause()
        try wait("lost: \(try page.text())", within: 20) { try count("Connection Lost") > 0 }
        try meeting.server.resume()
        try wait("back: \(try page.text())", within: 30) { try count("Connected again") == 2 }
        try page.say("still here")
        try page.bubble("still here", state: "sent", orBeyond: true)
    }

    @Test(.enabled(if: isLongRun, "with --all"))
    func `Row 32: Message errors are in the list, with what was missed and what waits`() throws {
        let meeting = try Meeting()
        let page = try meeting.join("Anna", denies: true)
        let field = try page.openChat()
        // A flood. The server refuses more than 20 a second, which a slow machine does not reach: the first one is
        // answered so here.
        try page.evaluate(
            """
            {
              const socket = probe.sockets.at(-1), send = socket.send.bind(socket);
              socket.send = (text) => {
                const { type, id } = JSON.parse(text);
                if (type !== 'chat') return send(text);
                delete socket.send;
                const error = { type: 'error', id, code: 429, text: 'Too fast.', limit: 20, missed: 3, retryAfter: 500 };
                socket.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(error) }));
              };
            }
            """)
        for index in 1...40 {
            try page.call("function() { this.value = 'flood \(index)'; this.form.requestSubmit(); }", on: field.node)
        }
        try page.shows(text: "Stream message error 429")
        let line = try page.text().split(separator: "\n").last { $0.contains("error 429") }.map(String.init) ?? ""
        #expect(line.contains(/Missed [1-9]\d*, cached [1-9]\d*/), "\(line)")
        // None is lost, and each is there once.
        try page.bubble("flood 40", state: "sent", orBeyond: true, within: 30)
        #expect(try page.bubbles().map(\.text) == (1...40).map { "flood \($0)" })
        // A channel that is closed.
        try meeting.server.kill()
        try page.say("to nobody")
        try page.shows(text: "Stream message error 0: The server is away. Missed 0, cached 1", within: 30)
    }

    @Test func `Row 37: After a reload the list is the same, by one join and no other request`() throws {
        let meeting = try Meeting()
        let page = try meeting.join("Anna", denies: true)
        try page.openChat()
        try page.talk(in: "lobby", as: "Ben", ["hello", "<b>there</b>"])
        try page.bubble("<b>there</b>")
        try page.say("mine")
        try page.bubble("mine", state: "sent", orBeyond: true)
        let before = try page.bubbles()
        try page.command("Page.reload")
        try wait("the page") { try page.evaluate("window.probe?.sent?.length > 0 && !window.talker") as? Bool == true }
        _ = try page.element("button", "Leave")
        try page.openChat()
        try page.bubble("mine")
        let after = try page.bubbles()
        #expect(after.map(\.text) == before.map(\.text) && after.map(\.time) == before.map(\.time))
        // Own ones are still right: the rectangles are the same.
        #expect(after.map(\.rect.x) == before.map(\.rect.x))
        #expect(try page.count("sent", "join") == 1 && page.count("sent", "history") == 0)
        // The chat was closed and opened: no other join either.
        try page.click("button", "Message")
        try wait("closed") { try !page.has("textbox", "Message") }
        try page.openChat()
        try page.bubble("mine")
        #expect(try page.count("sent", "join") == 1 && page.count("sent", "history") == 0)
    }

    @Test func `Row 38: A chat that is opened again has what came meanwhile, and its button says how many`() throws {
        let meeting = try Meeting()
        let page = try meeting.join("Anna", denies: true)
        try page.openChat()
        try page.talk(in: "lobby", as: "Ben", ["one"])
        try page.bubble("one")
        #expect(try page.element("button", "Message").name == "Message")
        try page.click("button", "Close the chat")
        try wait("closed") { try !page.has("textbox", "Message") }
        for (index, text) in ["two", "three", "four"].enumerated() {
            try page.evaluate("talker.ask({ type: 'chat', id: \(100 + index), key: '\(text)', text: '\(text)' })")
        }
        try wait("a badge") { try page.element("button", "Message").name == "Message, 3 unread" }
        #expect(try page.element("button", "Message").text().contains("3"))
        try page.click("button", "Message")
        try page.bubble("four")
        #expect(try page.bubbles().map(\.text) == ["one", "two", "three", "four"])
        try wait("no badge") { try page.element("button", "Message").name == "Message" }
    }

    @Test(.enabled(if: isLongRun, "with --all"))
    func `A long history: older messages come by a button and by scrolling, and what is read stays in its place`()
        throws
    {
        let meeting = try Meeting()
        let page = try meeting.join("Anna", room: "other", denies: true)
        try page.talk(in: "long", as: "Ben", (1...180).map { "message \($0)" })
        let reader = try meeting.join("Cleo", room: "long", size: (390, 844), denies: true)
        try reader.openChat()
        try reader.bubble("message 180")
        #expect(try reader.bubbles().count == 50)
        try reader.element("button", "Older messages").click()
        try reader.bubble("message 31")
        #expect(try reader.bubbles().count == 150)
        try reader.call("function() { this.scrollTop = 0; }", on: try reader.list().node)
        try reader.bubble("message 1")
        try wait("all") { try reader.bubbles().count == 180 && !reader.has("button", "Older messages") }
        // The message that was first is still in view.
        let (list, first) = (try reader.list().rect(), try reader.bubble("message 31"))
        #expect(first.rect.y < list.y + list.height && first.rect.y + first.rect.height > list.y)
        // Who reads old messages is not torn away by new ones.
        try page.evaluate("talker.ask({ type: 'chat', id: 999, key: 'new', text: 'new' })")
        try wait("1 new: \(try reader.text())") { try reader.text().contains("1 new") }
        #expect(try reader.bubble("message 31").rect.y == first.rect.y)
    }

    @Test(.enabled(if: isLongRun, "with --all"))
    func `Row 42: Messages of another room are not shown`() throws {
        let meeting = try Meeting()
        let anna = try meeting.join("Anna", room: "one", denies: true)
        let ben = try meeting.join("Ben", room: "two", denies: true)
        for page in [anna, ben] { try page.openChat() }
        try anna.say("in one")
        try ben.say("in two")
        try anna.bubble("in one", state: "sent")
        try ben.bubble("in two", state: "sent")
        #expect(try anna.bubbles().map(\.text) == ["in one"] && ben.bubbles().map(\.text) == ["in two"])
        #expect(try anna.count("got", "chat") == 1 && ben.count("got", "chat") == 1)
    }

    @Test(.enabled(if: isLongRun, "with --all"))
    func `Row 47: Who leaves gets no messages any more, and sees none; who comes back sees what was said`() throws {
        let meeting = try Meeting()
        let (anna, ben) = (try meeting.join("Anna", denies: true), try meeting.join("Ben", denies: true))
        for page in [anna, ben] { try page.openChat() }
        try anna.say("before")
        try ben.bubble("before")
        try ben.click("button", "Leave")
        try wait("left") { try !ben.has("textbox", "Message") && ben.has("button", "Join") }
        let count = try ben.count("got", "chat")
        try anna.say("after")
        try anna.bubble("after", state: "sent")
        #expect(try ben.count("got", "chat") == count && !ben.text().contains("after"))
        // The publisher of a room leaves: the chat of the others goes on, that is Rill's room.
        try ben.click("button", "Join")
        _ = try ben.element("button", "Leave")
        try ben.openChat()
        try ben.bubble("after")
        #expect(try ben.errors() == [])
    }
}
