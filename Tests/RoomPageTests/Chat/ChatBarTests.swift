import RillTestSupport
import Testing

/// Where one writes: rows 27, 28, 40 and 70.
@Suite(.enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
struct ChatBarTests {
    /// Whether the field has the focus.
    private func hasFocus(_ page: Page) throws -> Bool {
        try page.element("textbox", "Message").has("focused")
    }

    @Test
    func `Row 27: The message button opens and closes the chat, blue while it is open, and so does its own button`()
        throws
    {
        let meeting = try Meeting()
        let page = try meeting.join("Anna", size: (390, 844), denies: true, scripts: [keyboard])
        if try page.has("textbox", "Message") { try page.click("button", "Message") }
        try wait("closed") { try !page.has("textbox", "Message") }
        let button = try page.element("button", "Message")
        #expect(!button.has("expanded"))
        let color = try button.style("backgroundColor")
        try button.click()
        let field = try page.element("textbox", "Message")
        #expect(try page.element("button", "Message").has("expanded"))
        let blue = try button.style("backgroundColor")
        let channels = blue.split { !$0.isNumber && $0 != "." }.compactMap { Double($0) }
        #expect(
            blue != color && channels.count >= 3 && channels[2] > channels[0] + 40 && channels[2] > channels[1],
            "\(blue)")
        // The field is what one wants to use.
        #expect(try hasFocus(page))
        // A keyboard comes: it covers 300 pixels of the view.
        try page.evaluate("window.visualViewport.show(544)")
        try wait("above the keyboard: \(try field.rect())") {
            let rect = try field.rect()
            return rect.y > 0 && rect.y + rect.height <= 544
        }
        try page.evaluate("window.visualViewport.show(844)")
        try page.click("button", "Close the chat")
        try wait("closed") { try !page.has("textbox", "Message") && !page.element("button", "Message").has("expanded") }
        #expect(try !page.has("list", "Messages"))
        #expect(try page.errors() == [])
    }

    @Test func `Row 28: Return sends what is not empty, empties the field, which stays, and lists the message`() throws
    {
        let meeting = try Meeting()
        let page = try meeting.join("Anna", denies: true)
        let field = try page.openChat()
        try page.set("Over the pictures, with the last 20", to: true)
        for text in ["", " ", "\u{3000}"] {
            try page.say(text)
            #expect(try field.current() == text, "nothing is sent, so it stays")
            try field.fill("")
        }
        #expect(try page.count("sent", "chat") == 0)
        try page.say("first")
        try page.bubble("first")
        #expect(try field.current() == "" && hasFocus(page))
        // Shift and Return: a new line.
        try page.type("one")
        try page.press("Enter", shift: true)
        try page.type("two")
        try page.press("Enter")
        try page.bubble("one\ntwo")
        #expect(try page.bubbles().map(\.text) == ["first", "one\ntwo"] && hasFocus(page))
    }

    @Test func `Row 40: A field with a placeholder, left after sending; 300 characters become 255, whole ones`() throws
    {
        let meeting = try Meeting()
        let (anna, ben) = (try meeting.join("Anna", denies: true), try meeting.join("Ben", denies: true))
        for page in [anna, ben] { try page.openChat() }
        let field = try anna.element("textbox", "Message")
        #expect(try anna.call("function() { return this.placeholder; }", on: field.node) as? String == "Message")
        // Each is one character of seven code points.
        let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}"
        try field.focus()
        try anna.insert(String(repeating: family, count: 300))
        let cut = String(repeating: family, count: 255)
        try wait("the rest is cut") { try field.current() == cut }
        try anna.shows(text: "the rest was cut")
        try anna.click("button", "Send")
        for page in [anna, ben] { try page.bubble(cut) }
        #expect(try field.current() == "" && !hasFocus(anna))
        // As a setting, it is not left.
        try anna.set("Stay in the field after sending", to: true)
        try anna.say("here")
        try anna.bubble("here")
        #expect(try hasFocus(anna))
    }

    @Test func `Row 70: The bar grows with its lines, and shrinks again`() throws {
        let meeting = try Meeting()
        let page = try meeting.join("Anna", size: (390, 844), denies: true)
        let field = try page.openChat()
        let one = try field.rect()
        try field.focus()
        try page.insert("one\ntwo\nthree\nfour\nfive")
        try wait("five lines: \(try field.rect())") { try field.rect().height >= one.height + 4 * 20 }
        let five = try field.rect()
        // All five can be seen, and the list makes room.
        #expect(
            try page.call("function() { return this.scrollHeight <= this.clientHeight; }", on: field.node) as? Bool
                == true)
        #expect(abs(five.y + five.height - one.y - one.height) <= 2)
        let list = try page.list().rect()
        #expect(list.y + list.height <= five.y)
        try page.press("Enter")
        try page.bubble("one\ntwo\nthree\nfour\nfive")
        #expect(try field.rect() == one)
    }

    @Test(
        arguments: isLongRun
            ? [("image/png", "dot.png"), ("image/jpeg", "dot.jpg"), ("image/webp", "dot.webp")]
            : [("image/jpeg", "dot.jpg")])
    func `Row 70: PNG, JPEG and WebP are sent; an SVG and 50 MB are refused by name before they are uploaded`(
        _ type: String, _ name: String
    ) throws {
        let folder = TemporaryFolder()
        let meeting = try Meeting(["--data", folder.path("data")])
        let page = try meeting.join("Anna", denies: true)
        let field = try page.openChat()
        try page.evaluate(
            "window.posts = []; { const get = fetch; window.fetch = (url, options) => { if (options?.method) posts.push(`${url}`); return get(url, options); }; }"
        )
        let svg = "new Blob(['<svg xmlns=\"http://www.w3.org/2000/svg\"/>'])"
        for (file, kind, content, reason) in [
            ("logo.svg", "image/svg+xml", svg, "logo.svg is an SVG"),
            // A name and a type that are not true.
            ("logo.png", "image/png", svg, "logo.png is an SVG"),
            ("notes.txt", "text/plain", "new Blob(['hello'])", "notes.txt is not an image"),
            (
                "large.png", "image/png", "(async () => new Blob([await \(Page.image(8, 8)), new Uint8Array(50e6)]))()",
                "large.png has 47.7 MB"
            ),
        ] {
            try page.paste(file, kind, content)
            try page.shows(text: reason)
        }
        #expect(try page.read("posts") == [String]())
        try page.paste(name, type, Page.image(40, 30, type))
        try page.shows(text: name)
        try field.focus()
        try page.insert("a dot")
        try page.press("Enter")
        try page.bubble("a dot", state: "sent", orBeyond: true)
        try wait("pixels") { try page.bubble("a dot").isLoaded == true }
        #expect(try page.read("posts.length") == 1)
        #expect(try page.errors() == [])
    }

    @Test(.enabled(if: isLongRun, "with --all"))
    func `Row 70: The server refuses an SVG too, and an image dropped or chosen is sent`() throws {
        let folder = TemporaryFolder()
        let meeting = try Meeting(["--data", folder.path("data")])
        let page = try meeting.join("Anna", denies: true)
        try page.openChat()
        try page.talk(in: "lobby", as: "Ben", [])
        let post = { (content: String) in
            """
            (async () => {
              const response = await fetch('/rooms/images', { method: 'POST', body: await \(content),
                headers: { Authorization: `Bearer ${talker.welcome.session}` } });
              return [response.status, (await response.json()).error];
            })()
            """
        }
        struct Answer: Decodable, Equatable {
            var status: Int
            var error: String
            init(_ status: Int, _ error: String) { (self.status, self.error) = (status, error) }
            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                (status, error) = (try list.decode(Int.self), try list.decode(String.self))
            }
        }
        #expect(
            try page.read(post("new Blob(['<svg xmlns=\"http://www.w3.org/2000/svg\"/>'])"))
                == Answer(415, "unknown-format"))
        // One of 50 MB is refused before its body is read: ImageRequestTests.
        // Dropped on the list.
        try page.call(
            """
            async function() {
              const data = new DataTransfer();
              data.items.add(new File([await \(Page.image(30, 40))], 'dropped.png', { type: 'image/png' }));
              this.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
            }
            """, on: try page.list().node)
        try page.shows(text: "dropped.png")
        try page.press("Enter")
        try wait("the image: \(try page.bubbles())") { try page.bubbles().last?.isLoaded == true }
        #expect(try page.bubbles().last?.image.map { [$0.width, $0.height] } == [165, 220])
    }
}

/// A keyboard on the screen, which headless browsers do not have.
private let keyboard = """
    {
      const view = new EventTarget();
      Object.assign(view, { height: innerHeight, width: innerWidth, offsetTop: 0, offsetLeft: 0, scale: 1 });
      view.show = (height) => { view.height = height; view.dispatchEvent(new Event('resize')); };
      Object.defineProperty(window, 'visualViewport', { value: view, configurable: true });
    }
    """
