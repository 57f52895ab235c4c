import Glibc
import RillTestSupport
import Testing

/// The gallery of the room's page: rows 14 to 20, 33 and 34.
@Suite(.serialized, .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
struct GalleryTests {
    @Test func `Row 14: alone one fills all`() throws {
        let meeting = try Meeting()
        let anna = try meeting.join("Anna")
        let own = try #require(try anna.tilesAtRest(1).first)
        #expect(try own.rect.matches(anna.stage()) && own.name == "Anna (you)")
        #expect(try anna.video(of: 0).rect.matches(anna.stage()))
        #expect(try anna.video(of: 0).mirrored)
    }

    @Test func `Row 15: of two the other fills, and oneself is at the top right`() throws {
        let meeting = try Meeting()
        let anna = try meeting.join("Anna")
        _ = try meeting.members(["Ben"])
        let found = try anna.tilesAtRest(2)
        let stage = try anna.stage()
        let own = try #require(found.first { $0.name == "Anna (you)" }?.rect)
        let other = try #require(found.first { $0.name == "Ben" }?.rect)
        #expect(other.matches(stage))
        #expect(abs(own.width - stage.width / 4) < 2 && abs(own.width / own.height - 16.0 / 9) < 0.03, "\(own)")
        #expect(stage.contains(own) && stage.width - own.x - own.width <= 16 && own.y - stage.y <= 16, "\(own)")
        #expect(try anna.video(of: 0).rect.matches(own))
    }

    @Test(.enabled(if: isLongRun, "with --all"))
    func `Rows 16, 17 and 18: a grid of at most five, one large by a double click, then back`() throws {
        let meeting = try Meeting(limit: 240)
        let anna = try meeting.join("Anna")
        try anna.click("button", "Message")
        var others = try meeting.members(["Ben", "Cleo"])
        var found = try anna.tilesAtRest(3)
        let stage = try anna.stage()
        func isGrid() -> Bool {
            let first = found[0].rect
            let areEqual = found.allSatisfy {
                abs($0.rect.width - first.width) < 2 && abs($0.rect.height - first.height) < 2
            }
            let pairs = found.indices.flatMap { one in found.indices.filter { $0 > one }.map { (one, $0) } }
            return areEqual && found.allSatisfy { stage.contains($0.rect) }
                && !pairs.contains { found[$0.0].rect.overlaps(found[$0.1].rect) }
        }
        #expect(isGrid(), "\(found)")
        func order() -> [String] {
            found.sorted { ($0.rect.y, $0.rect.x) < ($1.rect.y, $1.rect.x) }.map(\.name)
        }
        #expect(order() == ["Ben", "Cleo", "Anna (you)"])
        others += try meeting.members(["Dora", "Emil"])
        found = try anna.tilesAtRest(5, within: 60)
        #expect(isGrid() && order() == ["Ben", "Cleo", "Dora", "Emil", "Anna (you)"], "\(found)")
        others += try meeting.members(["Finn"])
        // Beside five others one does not see oneself.
        try anna.wait("Finn: \(try anna.tiles())", within: 60) { try anna.tiles().contains { $0.name == "Finn" } }
        found = try anna.tilesAtRest(5, within: 60)
        #expect(isGrid() && !order().contains("Anna (you)"), "\(found)")
        // One large, four small ones to the right.
        let bars = try anna.has("button", "Leave")
        try anna.element("listitem", "Cleo").click(count: 2)
        try anna.wait("Cleo is large: \(try anna.tiles())") {
            (try anna.tiles().first { $0.name == "Cleo" }?.rect.area ?? 0) > stage.area / 2
        }
        found = try anna.tilesAtRest(5, within: 60)
        usleep(400_000)
        #expect(try anna.has("button", "Leave") == bars, "a double click is not a single one")
        let large = try #require(found.first { $0.name == "Cleo" }?.rect)
        let strip = found.filter { $0.name != "Cleo" }.map(\.rect)
        #expect(strip.allSatisfy { $0.x >= large.x + large.width && abs($0.width - strip[0].width) < 2 }, "\(found)")
        // In portrait the strip is at the top.
        try anna.resize(390, 844)
        try anna.wait("a strip at the top: \(try anna.tiles())") {
            let found = try anna.tiles()
            guard let large = found.first(where: { $0.name == "Cleo" })?.rect else { return false }
            return found.filter { $0.name != "Cleo" }.allSatisfy { $0.rect.y + $0.rect.height <= large.y + 1 }
                && large.width > 380
        }
        try anna.resize(1280, 720)
        // Again: back.
        try anna.element("listitem", "Cleo").click(count: 2)
        try anna.wait("a grid: \(try anna.tiles())") {
            found = try anna.tiles()
            return isGrid()
        }
        // The large one leaves: a grid, with oneself again.
        try anna.element("listitem", "Cleo").click(count: 2)
        try anna.wait("Cleo is large") {
            (try anna.tiles().first { $0.name == "Cleo" }?.rect.area ?? 0) > stage.area / 2
        }
        try others.remove(at: 1).click("button", "Leave")
        try anna.wait("a grid of five: \(try anna.tiles())") {
            found = try anna.tiles()
            return found.count == 5 && isGrid() && order().last == "Anna (you)"
        }
        // With fewer than three nobody can be made large.
        try anna.element("listitem", "Ben").click(count: 2)
        for page in others.dropFirst() { try page.click("button", "Leave") }
        found = try anna.tilesAtRest(2)
        #expect(try found.first { $0.name == "Ben" }?.rect.matches(anna.stage()) == true, "\(found)")
        try anna.element("listitem", "Ben").click(count: 2)
        #expect(try anna.tilesAtRest(2).map(\.rect) == found.map(\.rect))
        #expect(try anna.errors() == [])
    }

    @Test func `Row 16: of three all are equal, the others first`() throws {
        let meeting = try Meeting()
        let anna = try meeting.join("Anna")
        _ = try meeting.members(["Ben", "Cleo"])
        let found = try anna.tilesAtRest(3)
        let stage = try anna.stage()
        let first = found[0].rect
        for (_, rect) in found {
            #expect(abs(rect.width - first.width) < 2 && abs(rect.height - first.height) < 2 && stage.contains(rect))
        }
        let order = found.sorted { ($0.rect.y, $0.rect.x) < ($1.rect.y, $1.rect.x) }.map(\.name)
        #expect(order == ["Ben", "Cleo", "Anna (you)"])
        #expect(!found[0].rect.overlaps(found[1].rect) && !found[1].rect.overlaps(found[2].rect))
    }

    @Test func `Row 19: a click hides and shows title, controls and chat, but not while one types`() throws {
        let meeting = try Meeting()
        let anna = try meeting.join("Anna")
        func bars() throws -> [Bool] {
            [try anna.has("heading", "lobby"), try anna.has("button", "Leave"), try anna.has("textbox", "Message")]
        }
        #expect(try bars() == [true, true, true])
        try anna.click(x: 500, y: 300)
        try anna.wait("nothing but tiles") { try bars() == [false, false, false] }
        try anna.click(x: 500, y: 300)
        try anna.wait("all again") { try bars() == [true, true, true] }
        try anna.element("textbox", "Message").focus()
        try anna.type("hi")
        try anna.click(x: 500, y: 300)
        usleep(500_000)
        #expect(try bars() == [true, true, true])
    }

    @Test func `Row 20: every orientation has its places, and a resize moves them`() throws {
        let meeting = try Meeting()
        let anna = try meeting.join("Anna")
        _ = try meeting.members(["Ben"])
        for (width, height) in [(1280, 720), (390, 844), (844, 390), (768, 1024), (1280, 720)] {
            try anna.resize(width, height)
            try anna.wait("\(width)x\(height): \(try anna.tiles())") {
                let (found, stage) = (try anna.tiles(), try anna.stage())
                let own = found.first { $0.name == "Anna (you)" }?.rect ?? Rect()
                return found.first { $0.name == "Ben" }?.rect.matches(stage) == true && stage.contains(own)
                    && abs(own.width - stage.width / 4) < 2 && stage.width <= Double(width)
            }
            // Nothing is cut off.
            let view = try anna.view()
            #expect(view.width == Double(width))
            for button in try anna.all("button") {
                let rect = try button.rect()
                guard try anna.element("heading", "lobby").name == "lobby", rect.width > 0 else { continue }
                #expect(view.contains(rect), "\(button.name) at \(width)x\(height): \(rect)")
            }
        }
    }

    @Test func `Row 33: a tile appears with its first picture, and again after a return`() throws {
        let meeting = try Meeting()
        let anna = try meeting.join("Anna")
        // In each frame of the page: a tile of Ben's that can be seen has a picture.
        try anna.evaluate(
            """
            probe.empty = 0;
            probe.appeared = 0;
            (function look() {
              for (const tile of document.querySelectorAll('[aria-label^="Ben"]')) {
                const video = tile.querySelector('video');
                if (!video || !tile.checkVisibility({visibilityProperty: true}) || tile.getBoundingClientRect().width < 2) continue;
                if (video.readyState < 2 || !video.videoWidth) probe.empty += 1; else probe.appeared += 1;
              }
              requestAnimationFrame(look);
            })()
            """)
        for _ in 0..<2 {
            let before = try anna.read("probe.appeared", as: Int.self)
            let ben = try meeting.lobby("room=lobby&name=Ben", size: (320, 240), scripts: Probe.small)
            try ben.click("button", "Join")
            try anna.wait("Ben: \(try anna.text())") { try anna.read("probe.appeared", as: Int.self) > before }
            #expect(try anna.read("probe.empty", as: Int.self) == 0)
            try ben.click("button", "Leave")
            try anna.wait("Ben is gone") { try anna.tiles().count == 1 }
            try ben.close()
        }
        #expect(try anna.read("probe.empty", as: Int.self) == 0)
    }

    @Test func `Row 34: a tile goes with who leaves, or becomes a viewer`() throws {
        let meeting = try Meeting()
        let anna = try meeting.join("Anna", "&role=host")
        var others = try meeting.members(["Ben", "Cleo"])
        _ = try anna.tilesAtRest(3)
        try others.remove(at: 0).click("button", "Leave")
        _ = try anna.tilesAtRest(2)
        // A host makes a viewer of Cleo.
        let uid = try anna.read(
            "probe.got.filter((one) => one.type === 'joined' && one.name === 'Cleo')[0].uid", as: Int.self)
        try anna.evaluate(
            "probe.sockets.at(-1).send(JSON.stringify({type: 'role', id: 999999, uid: \(uid), role: 'viewer'}))")
        _ = try anna.tilesAtRest(1)
        let reasons = "probe.got.filter((one) => one.type === 'offline').map((one) => one.reason)"
        #expect(try anna.read(reasons) == ["quit", "becameViewer"])
    }

    @Test(.enabled(if: isLongRun, "with --all"))
    func `Row 34: a tile goes with who is silent for 15 s`() throws {
        let meeting = try Meeting()
        let anna = try meeting.join("Anna")
        let dora = try meeting.members(["Dora"])[0]
        _ = try anna.tilesAtRest(2)
        try dora.crash()
        try anna.wait("one tile", within: 30) { try anna.tiles().count == 1 }
    }
}
