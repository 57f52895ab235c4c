import Foundation
import Rill
import RillPeer
import RillTestSupport
import RillWebRTC
import Testing

/// Chromium as the other side of a call.
@Suite(.serialized, .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
struct WebRTCChromiumTests {
    /// Waits in this thread: the pool's may be busy with other tests.
    private func wait(_ seconds: Double, for isTrue: () throws -> Bool) throws -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            if try isTrue() { return true }
            usleep(50_000)
        }
        return try isTrue()
    }

    @Test func `Chromium offers a simulcast, and both layers are decoded`() async throws {
        var media = ChromiumPeer.Media()
        media.isSimulcast = true
        let page = try ChromiumPeer(media)
        let end = try WebRTCEnd(sends: false)
        let peer = try end.port.answer(page.offer(), from: "chromium")
        try end.show(peer)
        try page.accept(peer.localDescription)
        let isShown = try wait(20) {
            (end.pictures[.high]?.count ?? 0) > 60 && (end.pictures[.low]?.count ?? 0) > 10
        }
        let figures = try page.figures()
        #expect(isShown, "\(end.pictures), \(figures), \(peer.connectionState), \(String(describing: peer.failure))")
        note("\(end.pictures) \(figures)")
        peer.close()
        await end.call.end()
    }

    @Test func `Chromium answers an offer, and shows what is sent`() async throws {
        var media = ChromiumPeer.Media()
        media.receives = true
        let page = try ChromiumPeer(media)
        let end = try WebRTCEnd()
        let peer = try end.port.offer(to: "chromium")
        try peer.accept(page.answer(peer.localDescription))
        try end.show(peer)
        let isShown = try wait(20) {
            try (end.pictures[.high]?.count ?? 0) > 60 && (page.figures().received.first?.framesDecoded ?? 0) > 60
        }
        let figures = try page.figures()
        #expect(isShown, "\(end.pictures), \(figures), \(peer.connectionState), \(String(describing: peer.failure))")
        note("\(end.pictures) \(figures)")
        peer.close()
        await end.call.end()
    }
}
