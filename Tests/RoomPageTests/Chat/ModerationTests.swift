import RillTestSupport
import Testing

/// What hosts and readers do about messages: rows 39, 41, 45 and 46, and edits, deletes and answers.
@Suite(.enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
struct ModerationTests {
    private func meeting(_ size: (Int, Int) = (1280, 720)) throws -> (Meeting, host: Page, guest: Page) {
        let meeting = try Meeting()
        let host = try meeting.join("Anna", "&role=host", denies: true)
        let guest = try meeting.join("Ben", size: size, denies: true)
        for page in [host, guest] { try page.openChat() }
        return (meeting, host, guest)
    }

    @Test func `Row 39: A chat that is off has no list, field and button, and says so; live both ways within 500 ms`()
        throws
    {
        let (_, host, guest) = try meeting()
        try guest.say("before")
        try host.bubble("before")
        for round in 1...2 {
            try host.click("button", "Settings of the chat")
            try host.element("checkbox", "People may write").click()
            for page in [host, guest] {
                let time = try wait("off: \(try page.text())", within: 5) {
                    try page.text().contains("Chat is disabled by the streamer")
                }
                note("\(time) until it is off")
                #expect(
                    try !page.has("list", "Messages") && !page.has("textbox", "Message") && !page.has("button", "Send"))
            }
            try host.element("checkbox", "People may write").click()
            for page in [host, guest] {
                try wait("on: \(try page.text())", within: 5) {
                    try !page.text().contains("Chat is disabled by the streamer")
                }
            }
            try host.click("button", "Close")
            #expect(try guest.has("button", "Send") && guest.has("textbox", "Message"))
            try guest.say("again \(round)")
            try host.bubble("again \(round)")
        }
        #expect(try guest.bubbles().map(\.text) == ["before", "again 1", "again 2"])
    }

    @Test func `Row 41: Who is blocked is told and keeps the text; others see nothing; it ends with the block`() throws
    {
        let (_, host, guest) = try meeting()
        try guest.say("first")
        try host.bubble("first")
        try host.choose("Block", of: "Ben")
        try guest.shows(text: "A host has blocked you")
        try guest.say("what I think")
        #expect(try guest.element("textbox", "Message").current() == "what I think")
        try host.say("quiet now")
        try guest.bubble("quiet now")
        #expect(try host.bubbles().map(\.text) == ["first", "quiet now"])
        try host.choose("Unblock", of: "Ben")
        try wait("told: \(try guest.text())") { try !guest.text().contains("A host has blocked you") }
        try guest.element("textbox", "Message").focus()
        try guest.press("Enter")
        try host.bubble("what I think")
    }

    @Test func `Row 45: A click on somebody else's message offers Report and Cancel; one's own does nothing`() throws {
        let (_, host, guest) = try meeting((390, 844))
        try host.say("of the host")
        try guest.bubble("of the host")
        try guest.say("my own")
        try guest.click(try guest.bubble("my own"))
        #expect(try !guest.has("dialog") && !guest.has("button", "Report"))
        try guest.click(try guest.bubble("of the host"))
        let (report, cancel) = (try guest.element("button", "Report"), try guest.element("button", "Cancel"))
        #expect(try guest.view().contains(report.rect()) && guest.view().contains(cancel.rect()))
        try cancel.click()
        try wait("closed") { try !guest.has("dialog") }
        // By the keyboard alone: the actions of the last message are one stop, arrows go to the others.
        try guest.element("textbox", "Message").focus()
        try wait("the actions") {
            try guest.press("Tab", shift: true)
            return try guest.evaluate("document.activeElement.ariaLabel?.startsWith('Actions for the message of')")
                as? Bool == true
        }
        try guest.press("ArrowUp")
        try guest.press("Enter")
        _ = try guest.element("button", "Report")
        try guest.press("Escape")
        try wait("closed") { try !guest.has("dialog") }
        #expect(try guest.count("sent", "report") == 0)
    }

    @Test func `Row 46: A report has one of six reasons and a text of at most 255; hosts see it with the message`()
        throws
    {
        let (_, host, guest) = try meeting((390, 844))
        try host.say("of the host")
        try guest.bubble("of the host")
        let open = {
            try guest.click(try guest.bubble("of the host"))
            try guest.click("button", "Report")
            return try guest.element("dialog", "Report a message")
        }
        _ = try open()
        #expect(
            try guest.all("radio").map(\.name) == [
                "Racism", "Homophobia", "Sexism", "Bullying", "Intellectual property", "Other",
            ])
        // The X sends nothing.
        try guest.click("button", "Close")
        try wait("closed") { try !guest.has("dialog") }
        #expect(try guest.count("sent", "report") == 0)
        _ = try open()
        try guest.element("radio", "Bullying").click()
        let field = try guest.element("textbox", "What happened (optional)")
        try field.focus()
        try guest.insert(String(repeating: "é", count: 300))
        try wait("cut") { try field.current() == String(repeating: "é", count: 255) }
        #expect(try guest.view().contains(guest.element("button", "Send report").rect()))
        try guest.click("button", "Send report")
        try guest.shows(text: "The hosts have your report")
        try host.click("button", "Reports (1)")
        let text = try host.element("dialog", "Reports").text()
        for part in ["Bullying by Ben", "Anna: of the host", String(repeating: "é", count: 255)] {
            #expect(text.contains(part), "\(text)")
        }
        try host.click("button", "Delete the message")
        try guest.bubble("deleted")
        #expect(try !guest.has("button", "Reports"))
    }

    @Test(
        .enabled(if: isLongRun, "with --all"),
        arguments: ["Racism", "Homophobia", "Sexism", "Bullying", "Intellectual property", "Other"])
    func `Row 46: Each reason arrives, without a text too`(_ reason: String) throws {
        let (_, host, guest) = try meeting()
        try host.say("hello")
        try guest.bubble("hello")
        try guest.choose("Report", of: "Anna")
        try guest.element("radio", reason).click()
        try guest.click("button", "Send report")
        try host.click("button", "Reports (1)")
        #expect(try host.element("dialog", "Reports").text().contains("\(reason) by Ben"))
    }

    @Test(.enabled(if: isLongRun, "with --all"))
    func `Messages are edited, deleted and answered, and others see who is typing`() throws {
        let (_, host, guest) = try meeting()
        try guest.say("helo")
        try guest.bubble("helo", state: "read")
        try guest.choose("Edit", of: "Ben")
        let field = try guest.element("textbox", "Message")
        #expect(try field.current() == "helo")
        try field.fill("hello")
        try host.shows(text: "Ben is typing …")
        try guest.press("Enter")
        for page in [host, guest] {
            try page.bubble("hello")
            try page.shows(text: "edited")
        }
        try host.choose("Answer", of: "Ben")
        try host.shows(text: "Answer to Ben: hello")
        try host.press("Escape")
        try host.choose("Answer", of: "Ben")
        try host.say("welcome")
        #expect(try guest.bubble("welcome").quote == "Ben: hello")
        try guest.bubble("hello", state: "read")
        try guest.choose("Delete", of: "Ben")
        for page in [host, guest] { try page.bubble("deleted") }
        #expect(try guest.bubble("welcome").quote == "Ben: deleted")
        // A host may delete what others wrote.
        try guest.say("spam")
        try host.bubble("spam")
        try host.choose("Delete", of: "Ben")
        try wait("deleted") { try guest.bubbles().count { $0.text == "deleted" } == 2 }
        #expect(try guest.bubbles().map(\.text) == ["deleted", "welcome", "deleted"])
    }
}
