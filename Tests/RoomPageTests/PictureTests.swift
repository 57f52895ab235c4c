import Foundation
import RillTestSupport
import Testing

/// Pictures of every view, in three widths and two schemes: they are written to the folder of `RILL_SHOTS`.
@Suite(.serialized, .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
struct PictureTests {
    private static let folder = ProcessInfo.processInfo.environment["RILL_SHOTS"]
    private static let sizes = [(1280, 720), (768, 1024), (390, 844)]

    private func take(_ page: Page, _ name: String) throws {
        let folder = try #require(Self.folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (width, height) in Self.sizes {
            for scheme in ["light", "dark"] {
                try page.prefer(["prefers-color-scheme": scheme])
                try page.resize(width, height)
                usleep(600_000)
                try Data(page.screenshot()).write(to: URL(fileURLWithPath: "\(folder)/\(name)-\(width)-\(scheme).png"))
            }
        }
        try page.resize(1280, 720)
    }

    @Test(.enabled(if: folder != nil, "RILL_SHOTS names no folder"))
    func `Pictures of all views`() throws {
        let meeting = try Meeting(limit: 300)
        let anna = try meeting.lobby("room=Monday&name=Anna")
        _ = try anna.video(of: 0)
        try take(anna, "lobby")
        try anna.click("button", "640×360")
        try take(anna, "profiles")
        try anna.press("Escape")
        try anna.click("button", "Join")
        _ = try anna.element("button", "Leave")
        try take(anna, "alone")
        let bots = try meeting.bots(1, room: "Monday")
        try anna.wait("a bot") { try anna.all("listitem").filter { !$0.name.isEmpty }.count >= 2 }
        usleep(2_000_000)
        try take(anna, "two")
        let more = try meeting.bots(3, room: "Monday", ["--name", "Guest of the long name"])
        try anna.wait("bots") { try anna.all("listitem").filter { !$0.name.isEmpty }.count >= 5 }
        usleep(2_000_000)
        try anna.click("button", "Statistics")
        usleep(2_500_000)
        try take(anna, "gallery")
        try anna.click("button", "Statistics")
        try anna.click("button", "People")
        try take(anna, "people")
        try anna.click("button", "People")
        try anna.all("listitem").filter { !$0.name.isEmpty }[0].click(count: 2)
        usleep(800_000)
        try take(anna, "large")
        let ben = try meeting.join("Ben", room: "Monday", "&view=grid")
        usleep(3_000_000)
        try take(ben, "grid")
        let cleo = try meeting.join("Cleo", room: "Monday", "&view=speaker")
        usleep(3_000_000)
        try take(cleo, "speaker")
        try cleo.click("button", "Settings")
        try take(cleo, "settings")
        bots.interrupt()
        more.interrupt()
    }
}
