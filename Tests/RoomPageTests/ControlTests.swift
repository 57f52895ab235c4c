import Glibc
import RillTestSupport
import Testing

/// The controls of the room's page: rows 2, 21 to 26, and 35.
@Suite(.serialized, .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
struct ControlTests {
    private func pair() throws -> (meeting: Meeting, anna: Page, ben: Page) {
        let meeting = try Meeting()
        let (anna, ben) = (try meeting.join("Anna"), try meeting.join("Ben"))
        for page in [anna, ben] { try page.shows([0, 1], within: 30) }
        return (meeting, anna, ben)
    }

    @Test func `Row 2: behind another page one hears and is heard`() throws {
        let (_, anna, ben) = try pair()
        try anna.hide()
        try anna.wait("hidden") { try anna.evaluate("document.hidden") as? Bool == true }
        for page in [anna, ben] {
            let before = try energy(page)
            try page.wait("sound goes on") { try energy(page) > before + 0.05 }
        }
    }

    private func energy(_ page: Page) throws -> Double {
        try page.stats("inbound-rtp", "audio").compactMap(\.totalAudioEnergy).reduce(0, +)
    }

    @Test func `Row 21: a muted microphone has an icon, is not heard, and others see it once`() throws {
        let (_, anna, ben) = try pair()
        let uid = try ben.uid(of: "Anna")
        let levels = "probe.got.findLast((one) => one.type === 'levels')?.levels"
        let level = "\(levels)?.find((one) => one.uid === \(uid))?.level ?? 127"
        try ben.wait("a level") { try ben.read(level, as: Int.self) < 60 }
        try ben.wait("a tone") { try ben.read("probe.loudest()", as: Double.self) > 0.05 }
        try anna.click("button", "Microphone")
        let time = try ben.wait("level 127") { try ben.read(level, as: Int.self) == 127 }
        note("level 127 after \(time)")
        try ben.wait("silence") { try ben.read("probe.loudest()", as: Double.self) < 0.001 }
        #expect(try anna.element("button", "Microphone").properties["pressed"] == "false")
        #expect(try ben.all("listitem", "Anna").first?.name.contains("microphone off") == true)
        #expect(try ben.messages("muted", where: "one.kind === 'sound'") == 1)
        try anna.click("button", "Microphone")
        try ben.wait("a tone again") { try ben.read("probe.loudest()", as: Double.self) > 0.05 }
        #expect(try anna.element("button", "Microphone").properties["pressed"] == "true")
    }

    @Test func `Row 22: a muted camera has icons and a placeholder, sends nothing, and comes back with one key frame`()
        throws
    {
        let (_, anna, ben) = try pair()
        #expect(try anna.has("button", "Switch camera") && !anna.has("button", "Speaker"))
        try anna.click("button", "Camera")
        try ben.shows([1])
        #expect(try ben.all("listitem", "Anna").first?.name.contains("camera off") == true)
        // With two, one's own tile is hidden.
        try anna.wait("no own tile") { try !anna.has("listitem", "Anna (you)") }
        #expect(try !anna.has("button", "Switch camera") && anna.has("button", "Speaker"))
        #expect(try anna.element("button", "Camera").properties["pressed"] == "false")
        let sent = { try anna.stats("outbound-rtp", "video").compactMap(\.framesSent).reduce(0, +) }
        usleep(300_000)
        let before = (try sent(), try ben.stats("inbound-rtp", "video").compactMap(\.keyFramesDecoded).reduce(0, +))
        usleep(700_000)
        #expect(try sent() == before.0)
        #expect(try ben.messages("muted", where: "one.kind === 'video'") == 1)
        try anna.click("button", "Camera")
        let time = try ben.wait("a picture") { try ben.pictures().map(\.clip).contains(0) }
        note("a picture \(time) after unmuting")
        usleep(500_000)
        let keys = try ben.stats("inbound-rtp", "video").compactMap(\.keyFramesDecoded).reduce(0, +) - before.1
        #expect(keys == 1)
        #expect(try anna.has("button", "Switch camera") && !anna.has("button", "Speaker"))
    }

    @Test func `Row 23: the speaker is on at first, and turns all sound off and on`() throws {
        let (_, anna, ben) = try pair()
        try anna.click("button", "Camera")
        #expect(try anna.element("button", "Speaker").properties["pressed"] == "true")
        try anna.wait("a tone") { try anna.read("probe.loudest()", as: Double.self) > 0.05 }
        try anna.click("button", "Speaker")
        #expect(try anna.element("button", "Speaker").properties["pressed"] == "false")
        #expect(try anna.read("probe.loudest()", as: Double.self) == 0)
        try anna.click("button", "Speaker")
        try anna.wait("a tone again") { try anna.read("probe.loudest()", as: Double.self) > 0.05 }
        _ = ben
    }

    @Test func `Row 24: another camera is sent without an offer, and nobody sees black`() throws {
        let (_, anna, ben) = try pair()
        let offers = try anna.read("probe.offers", as: Int.self)
        try ben.evaluate(
            """
            probe.longest = 0;
            probe.black = performance.now();
            probe.watch = setInterval(() => {
              const seen = probe.videos().some((one) => one.clip === 0 || one.clip === 8);
              const now = performance.now();
              if (seen) probe.black = now;
              probe.longest = Math.max(probe.longest, now - probe.black);
            }, 30)
            """)
        try anna.click("button", "Switch camera")
        try ben.shows([8, 1])
        try anna.shows([8, 1])
        let black = try ben.read("(clearInterval(probe.watch), probe.longest)", as: Double.self)
        note("without a picture for \(black) ms")
        #expect(black < (isLongRun ? 500 : 3000))
        #expect(try anna.read("probe.offers", as: Int.self) == offers)
        let live = "probe.tracks.filter((one) => one.kind === 'video' && one.readyState === 'live').length"
        #expect(try anna.read(live) == 1)
        try anna.click("button", "Switch camera")
        try ben.shows([0, 1])
    }

    @Test func `Row 25: the filter changes what others see, has an icon, and is off after leaving`() throws {
        let (_, anna, ben) = try pair()
        let plain = try ben.video(of: 0).color
        func distance() throws -> Int {
            guard let color = try ben.pictures().first(where: { $0.clip == 0 })?.color else { return 0 }
            return zip(color, plain).map { abs($0 - $1) }.reduce(0, +)
        }
        try anna.click("button", "Beauty")
        #expect(try anna.element("button", "Beauty").properties["pressed"] == "true")
        try ben.wait("another picture: \(try distance())") { try distance() > 9 }
        try anna.click("button", "Beauty")
        try ben.wait("the same picture: \(try distance())") { try distance() < 6 }
        #expect(try anna.element("button", "Beauty").properties["pressed"] == "false")
        try anna.click("button", "Beauty")
        try anna.click("button", "Leave")
        try anna.click("button", "Join")
        #expect(try anna.element("button", "Beauty").properties["pressed"] == "false")
    }

    @Test func `Row 26: after leaving nothing is left: no tiles, no camera, and others get "quit"`() throws {
        let (_, anna, ben) = try pair()
        try anna.click("button", "Leave")
        try anna.wait("the main page") { try anna.has("button", "Join") && !anna.has("button", "Leave") }
        #expect(try anna.videos().isEmpty || anna.pictures().isEmpty)
        #expect(try anna.read("probe.tracks.every((one) => one.readyState === 'ended')", as: Bool.self))
        #expect(try anna.read("probe.peers.every((one) => one.connectionState === 'closed')", as: Bool.self))
        try ben.wait("quit") { try ben.messages("offline", where: "one.reason === 'quit'") == 1 }
        try ben.shows([1])
    }

    @Test func `Row 35: each tile has its size, frames and kbit a second; one's own those of the profile`() throws {
        let (_, anna, _) = try pair()
        #expect(try !anna.text().contains(" fps"))
        try anna.click("button", "Statistics")
        try anna.wait("one's own: \(try anna.text())") { try anna.text().contains("640×360, 15 fps, 400 kbit/s") }
        var (label, stats) = ("", Page.Stats?.none)
        try anna.wait("figures: \(label) \(String(describing: stats))") {
            label = try anna.element("listitem", "Ben").text()
            stats = try anna.stats("inbound-rtp", "video").first { ($0.frameWidth ?? 0) > 0 }
            let numbers = label.split { !$0.isNumber }.compactMap { Int($0) }
            guard let stats, numbers.count >= 4, let fps = stats.framesPerSecond, label.contains("fps (") else {
                return false
            }
            return numbers[0] == stats.frameWidth && numbers[1] == stats.frameHeight && abs(numbers[2] - Int(fps)) <= 1
                && numbers[3] > 0
        }
        try anna.click("button", "Statistics")
        try anna.wait("none") { try !anna.text().contains(" fps") }
    }

    @Test func `A screen is shown large beside the camera, whole, and ends by the browser's own bar too`() throws {
        let (_, anna, ben) = try pair()
        for ends in ["document.title", "probe.screen.stop(), probe.screen.dispatchEvent(new Event('ended'))"] {
            try anna.click("button", "Share screen")
            let shown = try ben.video(of: 15)
            #expect(shown.fit == "contain")
            try ben.wait("large: \(try ben.videos())") { try ben.video(of: 15).rect.area > ben.stage().area / 2 }
            #expect(try anna.element("button", "Share screen").properties["pressed"] == "true")
            if ends == "document.title" { try anna.click("button", "Share screen") } else { try anna.evaluate(ends) }
            try ben.wait("no screen: \(try ben.videos())") { try !ben.pictures().contains { $0.clip == 15 } }
        }
    }
}
