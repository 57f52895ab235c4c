import Glibc
import RillTestSupport
import Testing

/// The grid of squares of the room's page: rows 48 to 56.
@Suite(.serialized, .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
struct GridTests {
    @Test(arguments: isLongRun ? ["640×360", "640×480"] : ["640×360"])
    func `Row 48: the low stream has 160 pixels, 5 frames and 45 kbit a second`(profile: String) throws {
        let meeting = try Meeting()
        let anna = try meeting.lobby("room=lobby&name=Anna&view=grid")
        try anna.click("button", "640×360")
        try anna.click("radio", profile)
        try anna.click("button", "OK")
        try anna.click("button", "Join")
        _ = try meeting.join("Ben", "&role=viewer")
        var low: Page.Stats?
        try anna.wait("low: \(String(describing: low))", within: 25) {
            low = try anna.stats("outbound-rtp", "video").first { $0.rid == "low" && ($0.framesSent ?? 0) > 10 }
            return low != nil
        }
        let before = try #require(low)
        #expect(before.frameWidth == 160 && before.frameHeight == (profile == "640×360" ? 90 : 120), "\(before)")
        usleep(3_000_000)
        let after = try #require(try anna.stats("outbound-rtp", "video").first { $0.rid == "low" })
        let frames = (after.framesSent ?? 0) - (before.framesSent ?? 0)
        let kilobits = Double((after.bytesSent ?? 0) - (before.bytesSent ?? 0)) * 8 / 3000
        note("low: \(frames) frames in 3 s, \(kilobits) kbit/s")
        #expect(frames <= 18 && kilobits < 60)
    }

    @Test func `What nobody looks at is not encoded, and is back at once for who comes`() throws {
        let meeting = try Meeting()
        let anna = try meeting.join("Anna")
        func sent(_ rid: String) throws -> Int {
            try anna.stats("outbound-rtp", "video").first { $0.rid == rid }?.framesSent ?? 0
        }
        func rests() throws -> Bool {
            let before = (try sent("high"), try sent("low"))
            usleep(2_000_000)
            return try before.0 > 0 && sent("high") == before.0 && sent("low") > before.1
        }
        try anna.wait("alone she sends the small layer only", within: 40) { try rests() }
        let ben = try meeting.join("Ben")
        try ben.wait("a large picture: \(try ben.videos())", within: 20) {
            try ben.videos().contains { $0.clip == 0 && $0.width == 640 }
        }
        try ben.click("button", "Leave")
        try anna.wait("again", within: 40) { try rests() }
        // After a cut it is told again what rests.
        _ = try anna.read("(probe.sockets.at(-1).close(), true)", as: Bool.self)
        try anna.wait("still", within: 40) { try rests() }
        #expect(try anna.errors() == [])
    }

    @Test func `Rows 49 and 50: a viewer has a number and no tile, and cannot publish`() throws {
        let meeting = try Meeting()
        let anna = try meeting.join("Anna", "&view=grid")
        let ben = try meeting.join("Ben", "&view=grid&role=viewer")
        try ben.shows([0], within: 30)
        #expect(try anna.tiles().map(\.name) == ["Anna (you)"] && ben.tiles().map(\.name) == ["Anna"])
        let own = "probe.got.find((one) => one.type === 'welcome').uid"
        let numbers = [try anna.read(own, as: Int.self), try ben.read(own, as: Int.self)]
        #expect(numbers[0] > 0 && numbers[1] > 0 && numbers[0] != numbers[1])
        #expect(try !ben.has("button", "Camera") && !ben.has("button", "Microphone"))
        let publish = "{type: 'publish', id: 999999, kind: 'video', mid: '0'}"
        try ben.evaluate("probe.sockets.at(-1).send(JSON.stringify(\(publish)))")
        try ben.wait("a refusal") { try ben.messages("error", where: "one.id === 999999 && one.code === 403") == 1 }
    }

    @Test func `Rows 51 and 56: muted three times from below the grid it is one tile`() throws {
        let meeting = try Meeting()
        let (anna, ben) = (try meeting.join("Anna", "&view=grid"), try meeting.join("Ben", "&view=grid"))
        try ben.shows([0, 1], within: 30)
        let (stage, camera) = (try anna.stage(), try anna.element("button", "Camera"))
        for button in [camera, try anna.element("button", "Microphone")] {
            #expect(try button.rect().y >= stage.y + stage.height)
        }
        for _ in 0..<3 {
            try anna.click("button", "Camera")
            try ben.shows([1])
            #expect(try ben.tiles().map(\.name) == ["Anna", "Ben (you)"])
            try anna.click("button", "Camera")
            try ben.shows([0, 1])
            #expect(try ben.tiles().map(\.name) == ["Anna", "Ben (you)"])
        }
        try anna.click("button", "Microphone")
        try ben.wait("muted") { try ben.messages("muted", where: "one.kind === 'sound'") == 1 }
    }

    @Test(arguments: isLongRun ? [(1280, 720), (390, 844)] : [(1280, 720)])
    func `Row 52: squares in two columns, in the order of arrival, that scroll`(width: Int, height: Int) throws {
        let meeting = try Meeting()
        let anna = try meeting.join("Anna", "&view=grid", size: (width, height))
        var others = try meeting.members(["Ben", "Cleo", "Dora"])
        func check(_ names: [String]) throws {
            let found = try anna.tilesAtRest(names.count)
            #expect(found.map(\.name) == names)
            let first = found[0].rect
            for (index, tile) in found.enumerated() {
                let (row, column) = (Double(index / 2), Double(index % 2))
                #expect(
                    abs(tile.rect.width - tile.rect.height) < 2 && abs(tile.rect.width - first.width) < 2, "\(tile)")
                #expect(abs(tile.rect.x - first.x - column * (first.width + 8)) < 2, "\(tile)")
                #expect(abs(tile.rect.y - first.y - row * (first.height + 8)) < 2, "\(tile)")
            }
        }
        try check(["Anna (you)", "Ben", "Cleo", "Dora"])
        try others.remove(at: 0).click("button", "Leave")
        try check(["Anna (you)", "Cleo", "Dora"])
        others += try meeting.members(["Ben"])
        try check(["Anna (you)", "Cleo", "Dora", "Ben"])
        let stage = try anna.stage()
        #expect(try anna.element("button", "Leave").rect().y >= stage.y + stage.height)
        if width == 1280 {
            let last = try anna.element("listitem", "Ben")
            #expect(try !stage.contains(last.rect()))
            try last.click()
            #expect(try anna.element("listitem", "Ben").rect().y < stage.y + stage.height)
        }
    }

    /// The layers that arrive, by what the server has said of each slot, and those whose tiles can be seen.
    private func layers(_ page: Page) throws -> [String: Int] {
        try page.read(
            """
            (() => {
              const slots = {};
              for (const one of probe.got) {
                if (one.type === 'welcome') for (const slot of one.slots ?? []) slots[slot.mid] = slot;
                if (one.type === 'slot') slots[one.mid] = one;
              }
              const counts = {high: 0, low: 0};
              for (const {kind, paused, layer} of Object.values(slots)) {
                if (kind === 'video' && !paused && layer) counts[layer] += 1;
              }
              return counts;
            })()
            """)
    }

    @Test(.enabled(if: isLongRun, "with --all"), arguments: [(1280, 720), (390, 844)])
    func `Row 53: with 17 at most four are large, the visible ones`(width: Int, height: Int) throws {
        let meeting = try Meeting(limit: 240)
        let bots = try meeting.bots(16)
        let anna = try meeting.join("Anna", "&view=grid", size: (width, height))
        try anna.wait("17 tiles: \(try anna.tiles().count)", within: 90) { try anna.tiles().count == 17 }
        try anna.wait("4 high and 12 low: \(try layers(anna))", within: 40) {
            try layers(anna) == ["high": 4, "low": 12]
        }
        // At the end others are large.
        let names = try anna.tiles().map(\.name)
        let last = try anna.element("listitem", names[16])
        let widths = { try anna.videos().filter { $0.label.hasPrefix(names[16]) }.map(\.width) }
        #expect(try widths() == [160])
        try last.call("function() { this.scrollIntoView({block: 'end', behavior: 'instant'}); }")
        let time = try anna.wait("a large last one: \(try widths())") { try (widths().first ?? 0) > 160 }
        note("\(width)x\(height): a large picture \(time) after scrolling")
        #expect(try (layers(anna)["high"] ?? 0) <= 4)
        bots.interrupt()
    }

    @Test(.enabled(if: isLongRun, "with --all"))
    func `Row 54: who leaves has no tile at once, and the others keep their pictures`() throws {
        let meeting = try Meeting()
        let anna = try meeting.join("Anna", "&view=grid", size: (390, 844))
        var bots = try (0..<16).map { try meeting.bots(1, ["--name", "bot\($0)"]) }
        try anna.wait("all: \(try anna.tiles().count)", within: 90) { try anna.tiles().count == bots.count + 1 }
        while !bots.isEmpty {
            bots.remove(at: Int.random(in: bots.indices)).interrupt()
            try anna.wait("one less") { try anna.tiles().count == bots.count + 1 }
            let shown = try anna.videos().count { $0.width > 0 }
            #expect(shown == bots.count + 1)
        }
    }

    @Test(.enabled(if: isLongRun, "with --all"))
    func `Row 55: leaving clears all, and joining again gives the same room`() throws {
        let meeting = try Meeting(limit: 240)
        let ben = try meeting.members(["Ben"])[0]
        let anna = try meeting.lobby("room=lobby&name=Anna&view=grid")
        let count = 10
        var nodes: [Int] = []
        for _ in 0..<count {
            try anna.click("button", "Join")
            try anna.shows([0, 1], within: 30)
            try anna.click("button", "Leave")
            try anna.wait("nothing") {
                try anna.has("button", "Join") && anna.tiles().isEmpty && !anna.has("button", "Leave")
            }
            #expect(try anna.read("probe.tracks.every((one) => one.readyState === 'ended')", as: Bool.self))
            #expect(try anna.read("probe.sockets.every((one) => one.readyState >= 2)", as: Bool.self))
            try ben.wait("one is gone") { try ben.tiles().count == 1 }
            // What the test itself remembers is no leak of the page.
            try anna.evaluate("for (const name of ['peers', 'sockets', 'tracks', 'got', 'sent']) probe[name] = []")
            try anna.command("HeapProfiler.collectGarbage")
            nodes.append(try anna.command("Memory.getDOMCounters")["nodes"] as? Int ?? 0)
        }
        note("nodes after each: \(nodes)")
        #expect(try ben.messages("joined", where: "one.name === 'Anna'") == count)
        #expect((nodes.last ?? 0) <= (nodes.dropFirst().first ?? 0) + 60, "\(nodes)")
    }
}
