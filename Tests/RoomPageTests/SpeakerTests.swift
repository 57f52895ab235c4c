import Foundation
import Glibc
import RillTestSupport
import Testing

/// The speaker view of the room's page: rows 57 to 64.
@Suite(.serialized, .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
struct SpeakerTests {
    private static let waiting = "Waiting for others"

    @Test func `Row 57: an empty name and a refused token are shown`() throws {
        let folder = TemporaryFolder()
        try String(repeating: "s", count: 40).write(toFile: folder.path("secret"), atomically: true, encoding: .utf8)
        let meeting = try Meeting(["--secret-file", folder.path("secret"), "--host", "127.0.0.1"])
        let anna = try meeting.browser.open(
            meeting.server.url("room?view=speaker#token=bad"), scripts: [Probe.script(clip: 0)])
        try anna.click("button", "Join")
        try anna.wait("a hint") { try anna.text().contains("Type the room’s name first.") }
        try anna.element("textbox", "Room").fill("1234")
        try anna.press("Enter")
        try anna.wait("the code: \(try anna.text())") { try anna.text().contains("Join channel failed: 401") }
    }

    @Test func `Rows 58, 59, 61 and 62: waiting, then who comes first, as video or avatar; all are listed`() throws {
        let meeting = try Meeting()
        let anna = try meeting.join("Anna", "&view=speaker")
        #expect(try anna.text().contains(Self.waiting))
        let ben = try meeting.members(["Ben"])[0]
        try anna.shows([1], within: 30)
        #expect(try !anna.text().contains(Self.waiting))
        let stage = try anna.stage()
        #expect(try anna.video(of: 1).rect.matches(stage))
        // Of Ben and Cleo one is shown.
        let cleo = try meeting.members(["Cleo"])[0]
        try cleo.resize(390, 844)
        try cleo.click("button", "More")
        try cleo.click("button", "People")
        // Who comes late sees all.
        let list = try cleo.element("complementary", "People")
        try cleo.wait("all: \(try list.text())") {
            let text = try list.text()
            return ["People (3)", "Anna", "Ben", "Cleo (you)"].allSatisfy { text.contains($0) }
        }
        try anna.wait("one of them: \(try anna.tiles())") {
            try anna.tiles().filter { $0.name != "Anna (you)" }.count == 1 && anna.pictures().count == 1
        }
        let first = "probe.got.find((one) => ['joined', 'published'].includes(one.type) && one.number > 1).type"
        #expect(["joined", "published"].contains(try anna.read(first, as: String.self)))
        let order = "probe.got.filter((one) => one.uid === \(try anna.uid(of: "Ben"))).map((one) => one.type)"
        #expect(try anna.read(order, as: [String].self).first == "joined")
        // Video, or an avatar.
        try cleo.click("button", "Leave")
        try anna.shows([1])
        try ben.click("button", "Camera")
        try anna.wait("an avatar: \(try anna.videos())") {
            try anna.pictures().isEmpty && anna.tiles().contains { $0.name == "Ben" }
        }
        #expect(try anna.element("listitem", "Ben").text().hasPrefix("B"))
        try ben.click("button", "Camera")
        try anna.shows([1])
        try ben.click("button", "Leave")
        try anna.wait("alone: \(try anna.text()) \(try anna.videos())\n\(try ben.text())") {
            try anna.text().contains(Self.waiting) && anna.pictures().isEmpty
        }
        #expect(try anna.errors() == [])
    }

    @Test func `Row 60: one joins muted, is mirrored for oneself alone, and the speaker is on`() throws {
        let meeting = try Meeting()
        let (anna, ben) = (try meeting.join("Anna", "&view=speaker"), try meeting.join("Ben"))
        for name in ["Microphone", "Camera"] {
            try anna.wait(name) { try anna.element("button", name).properties["pressed"] == "false" }
        }
        #expect(try anna.element("button", "Speaker").properties["pressed"] == "true")
        #expect(try ben.read("probe.loudest()", as: Double.self) < 0.001)
        try anna.click("button", "Camera")
        let own = try anna.video(of: 0)
        #expect(own.mirrored && own.fit == "cover")
        try anna.shows([0, 1])
        let other = try ben.video(of: 0)
        #expect(!other.mirrored)
    }

    @Test func `Rows 63 and 64: who speaks is shown, not who clicks, and the next one when that leaves`() throws {
        let meeting = try Meeting()
        let anna = try meeting.join("Anna", "&view=speaker")
        let (ben, cleo) = (try meeting.members(["Ben"])[0], try meeting.members(["Cleo"])[0])
        func speak(_ one: Page, not other: Page, clip: Int) throws {
            try other.evaluate("probe.loudness(0)")
            try one.evaluate("probe.loudness(.4)")
            let time = try anna.wait("clip \(clip): \(try anna.videos())", within: 20) {
                try anna.pictures().map(\.clip) == [clip]
            }
            note("shown \(time) after the tone began")
        }
        try speak(ben, not: cleo, clip: 1)
        try speak(cleo, not: ben, clip: 2)
        try speak(ben, not: cleo, clip: 1)
        usleep(2_500_000)
        // A click of 100 ms.
        let changes = try anna.messages("speakerChanged")
        try cleo.evaluate("probe.pulse(.1)")
        for _ in 0..<20 {
            usleep(100_000)
            #expect(try anna.pictures().allSatisfy { $0.clip == 1 })
        }
        #expect(try anna.messages("speakerChanged") == changes)
        try ben.click("button", "Leave")
        try anna.shows([2])
    }
}
