import Foundation
import RillTestSupport
import Testing

/// How messages look: rows 43, 44, 65, 67 and 68, and 69.
@Suite(.enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
struct BubbleTests {
    private static let long = String(repeating: "words that go on and on ", count: 10)

    /// A host on a wide screen, and somebody on a telephone, who write.
    private func conversation(_ options: [String] = []) throws -> (Meeting, host: Page, guest: Page) {
        let meeting = try Meeting(options)
        let host = try meeting.join("Anna", "&role=host", denies: true)
        let guest = try meeting.join("Ben", size: (390, 844), denies: true)
        for page in [host, guest] { try page.openChat() }
        return (meeting, host, guest)
    }

    @Test func `Row 43: A bubble has author, time with seconds and wrapped text, and 80 % of the width`() throws {
        let (_, host, guest) = try conversation()
        try host.say(Self.long)
        for page in [host, guest] {
            let text = Self.long.trimmingCharacters(in: .whitespaces)
            let bubble = try page.bubble(text)
            let list = try page.list().rect()
            #expect(bubble.author == "Anna")
            #expect(bubble.time.wholeMatch(of: /\d{1,2}:\d\d:\d\d(\s[AP]M)?/) != nil, "\(bubble.time)")
            #expect(bubble.rect.width <= list.width * 0.8 + 1 && bubble.rect.width > list.width * 0.6)
            #expect(bubble.rect.height > 3 * 20 && bubble.textWidth <= bubble.rect.width)
            #expect(list.contains(Rect(x: bubble.rect.x, y: list.y, width: bubble.rect.width, height: 1)))
        }
    }

    @Test func `Row 44: Own messages are right, others left; the name of a host has another color`() throws {
        let (_, host, guest) = try conversation()
        try host.say("from the host")
        try guest.bubble("from the host")
        try guest.say("from the guest")
        for (page, own, other) in [
            (host, "from the host", "from the guest"), (guest, "from the guest", "from the host"),
        ] {
            let (mine, theirs, list) = (try page.bubble(own), try page.bubble(other), try page.list().rect())
            #expect(list.x + list.width - mine.rect.x - mine.rect.width < 24 && mine.rect.x - list.x > 60)
            #expect(theirs.rect.x - list.x < 72 && mine.rect.x > theirs.rect.x)
            let (anna, ben) = (try page.bubble("from the host"), try page.bubble("from the guest"))
            #expect(anna.author == "Anna" && ben.author == "Ben")
            #expect(anna.authorColor != ben.authorColor)
        }
    }

    @Test func `Row 65: Incoming: an avatar and no status; outgoing: mirrored, no avatar, the status right`() throws {
        let (_, host, guest) = try conversation()
        try host.say("hello")
        let own = try host.bubble("hello", state: "read")
        let incoming = try guest.bubble("hello")
        let avatar = try existing(incoming.avatar)
        #expect(own.avatar == nil && incoming.state == "")
        #expect(incoming.initials == "A" && avatar.x + avatar.width <= incoming.rect.x)
        #expect(abs(avatar.y + avatar.height - incoming.rect.y - incoming.rect.height) < 24)
        // Mirrored: the corners change sides when there is a run, see row 67; the text stays readable.
        #expect(own.rect.x > incoming.rect.x)
        let list = try host.list().rect()
        let state = try existing(try host.place(of: "read"))
        #expect(list.x + list.width - state.x - state.width < 28 && state.y >= own.rect.y + own.rect.height - 2)
    }

    @Test(.enabled(if: isLongRun, "with --all"))
    func `Row 65: An avatar of the server is shown; one of another server is not even asked for`() throws {
        let (meeting, host, _) = try conversation()
        for (name, url) in [("Cleo", meeting.server.url("rill.svg")), ("Dan", "http://localhost:1/dan.png")] {
            let page = try meeting.lobby("room=lobby&name=Nobody", denies: true)
            try page.talk(in: "lobby", as: name, avatar: url, ["hello of \(name)"])
            try host.bubble("hello of \(name)")
        }
        #expect(try host.bubble("hello of Dan").initials == "D")
        let loaded = "[...document.images].filter((one) => one.naturalWidth > 0).map((one) => one.src)"
        try wait("an avatar: \(try host.errors())") {
            try host.read(loaded, as: [String].self).contains(meeting.server.url("rill.svg"))
        }
        #expect(try host.read("[...document.images].some((one) => one.src.includes('dan'))") == false)
        #expect(try host.errors() == [])
    }

    @Test func `Row 67: The corners tell the place in a run: single, first, middle, last`() throws {
        let (_, host, guest) = try conversation()
        for text in ["one", "two", "three"] { try host.say(text) }
        try guest.bubble("three")
        try guest.say("alone")
        for page in [host, guest] {
            try page.bubble("alone")
            let found = try ["one", "two", "three", "alone"].map { text in
                let bubble = try page.bubble(text)
                // Small corners on the author's side, where another bubble of the run is.
                return bubble.radii.map { $0 < 8 }
            }
            let isHost = page === host
            func corners(_ top: Bool, _ bottom: Bool, isRight: Bool) -> [Bool] {
                isRight ? [false, top, bottom, false] : [top, false, false, bottom]
            }
            #expect(
                found == [
                    corners(false, true, isRight: isHost), corners(true, true, isRight: isHost),
                    corners(true, false, isRight: isHost), corners(false, false, isRight: !isHost),
                ])
        }
        // Only the last of a run has the avatar.
        #expect(try ["one", "two", "three"].map { try guest.bubble($0).avatar != nil } == [false, false, true])
        #expect(try ["one", "two", "three"].map { try guest.bubble($0).author != nil } == [true, false, false])
    }

    @Test(.enabled(if: isLongRun, "with --all"), arguments: [(390, 844), (768, 1024), (1280, 720)])
    func `Row 68: The width of texts is bounded by a constant or by the screen`(_ size: (Int, Int)) throws {
        let meeting = try Meeting()
        let page = try meeting.join("Anna", size: size, denies: true)
        try page.openChat()
        let word = String(repeating: "m", count: 250)
        try page.say(word)
        let bubble = try page.bubble(word)
        let list = try page.list().rect()
        #expect(bubble.rect.width <= min(480, list.width * 0.8) + 1)
        #expect(bubble.textWidth <= bubble.rect.width && list.x + list.width <= Double(size.0) + 1)
        #expect(try page.read("document.documentElement.scrollWidth <= innerWidth") == true)
    }

    @Test(arguments: isLongRun ? [0, 1, 2, 3] : [0, 1])
    func `Row 69: Images are proportional, and their place is the same before they are loaded`(_ index: Int) throws {
        // max · h / w, rounded down, with a longer side of 220.
        let (width, height, shownWidth, shownHeight) = [
            (400, 300, 220.0, 165.0), (1, 2000, 1, 220), (300, 400, 165, 220), (300, 300, 220, 220),
        ][index]
        let folder = TemporaryFolder()
        let (_, host, guest) = try conversation(["--data", folder.path("data")])
        try host.paste("harbor.png", "image/png", Page.image(width, height))
        try host.shows(text: "harbor.png")
        // The other one's image comes late.
        try guest.command("Network.enable")
        try guest.command(
            "Network.emulateNetworkConditions",
            ["offline": false, "latency": 1500, "downloadThroughput": -1, "uploadThroughput": -1])
        try host.say("harbor")
        try host.bubble("harbor", state: "sent", orBeyond: true)
        let early = try guest.bubble("harbor", within: 30)
        for bubble in [early, try host.bubble("harbor")] {
            let image = try existing(bubble.image)
            #expect(image.width == shownWidth && image.height == shownHeight, "\(image)")
        }
        try wait("pixels") { try guest.bubble("harbor").isLoaded == true }
        let late = try guest.bubble("harbor")
        #expect(late.rect == early.rect && late.image == early.image)
        #expect(try host.errors() == [] && guest.errors() == [])
    }
}

extension Page {
    /// The place of the only text of that name in the list.
    func place(of text: String) throws -> Rect? {
        let script = """
            function() {
              const walker = document.createTreeWalker(this, NodeFilter.SHOW_TEXT);
              while (walker.nextNode()) if (walker.currentNode.data === \(literal(text))) {
                const range = document.createRange();
                range.selectNodeContents(walker.currentNode);
                const { x, y, width, height } = range.getBoundingClientRect();
                return JSON.stringify({ x, y, width, height });
              }
            }
            """
        guard let text = try call(script, on: try list().node) as? String else { return nil }
        return try read(text)
    }

    /// Waits until a message has a state, or one beyond it.
    func bubble(_ text: String, state: String, orBeyond: Bool, within seconds: Double = 15) throws {
        let states = ["sending …", "sent", "delivered", "read"]
        let beyond = states.drop { $0 != state }
        try wait("\(text) \(state): \(try bubbles())", within: seconds) {
            try bubbles().last { $0.text == text }.map { beyond.contains($0.state) } ?? false
        }
    }

    /// Somebody else in a room, without its page: joins by WebSocket from this one, and sends chat messages.
    func talk(in room: String, as name: String, role: String = "viewer", avatar: String? = nil, _ texts: [String])
        throws
    {
        let join =
            "{ type: 'join', id: 1, room: \(literal(room)), name: \(literal(name)), role: \(literal(role)), avatar: \(avatar.map(literal) ?? "undefined") }"
        try evaluate(
            """
            (async () => {
              const socket = new WebSocket(`ws://${location.host}/rooms`);
              const answers = new Map();
              socket.addEventListener('message', ({ data }) => {
                const message = JSON.parse(data);
                answers.get(message.id)?.(message);
              });
              await new Promise((resolve) => socket.addEventListener('open', resolve));
              let count = 0;
              const ask = (message) => new Promise((resolve) => {
                answers.set(message.id, resolve);
                socket.send(JSON.stringify(message));
              });
              window.talker = { socket, ask, welcome: await ask(\(join)) };
              setInterval(() => socket.readyState === 1 && socket.send('{"type":"alive","number":0,"count":0}'), 1000);
              for (const [index, text] of \(texts).entries()) {
                await ask({ type: 'chat', id: index + 2, key: `${Math.random()}`, text });
                // At most 20 a second are taken.
                await new Promise((resolve) => setTimeout(resolve, 60));
              }
            })()
            """)
    }
}
