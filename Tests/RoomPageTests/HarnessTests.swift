import RillTestSupport
import Testing

/// What the other suites stand on.
@Suite(.enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
struct HarnessTests {
    @Test func `Two pages of one browser meet, and see each other's numbers`() throws {
        let meeting = try Meeting()
        let (anna, ben) = (try meeting.join("Anna"), try meeting.join("Ben"))
        for page in [anna, ben] {
            try page.shows([0, 1])
            #expect(try page.errors() == [])
        }
        let first = try anna.video(of: 1)
        try wait("frames go on") { try anna.video(of: 1).frame != first.frame }
        #expect(try anna.video(of: 0).mirrored && !first.mirrored)
    }
}
