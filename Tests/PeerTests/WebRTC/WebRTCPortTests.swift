import Foundation
import Rill
import RillPeer
import RillTestSupport
import Testing

/// Several browsers at one port.
@Suite(.serialized, .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
struct WebRTCPortTests {
    @Test func `Three pages share a port; one is killed, and one says that it goes`() async throws {
        var media = ChromiumPeer.Media()
        (media.receives, media.hasOthers) = (true, true)
        var settings = WebRTCSettings()
        // Chromium checks the path every 2.5 s.
        settings.ice.disconnectedTimeout = .seconds(6)
        let end = try WebRTCEnd(bitrate: .kilobits(300))
        var pages: [ChromiumPeer] = []
        var peers: [WebRTCPeer] = []
        for number in 0..<3 {
            media.isSimulcast = number == 1
            let page = try ChromiumPeer(media)
            let peer = try end.port.answer(page.offer(), from: "page \(number)", settings)
            try page.accept(peer.localDescription)
            pages.append(page)
            peers.append(peer)
        }
        /// How many pictures each page has decoded.
        func decoded() throws -> [Int] {
            try pages.map { page in try page.figures().received.compactMap(\.framesDecoded).max() ?? 0 }
        }
        /// Waits until each page that is still there has more pictures than before, and they are seen here.
        func flows() throws -> Bool {
            let before = try decoded()
            let received = peers.map { framesReceived($0) }
            return try wait(
                20,
                for: {
                    zip(try decoded(), before).allSatisfy { $0 > $1 + 20 }
                        && zip(peers, received).allSatisfy { framesReceived($0) > $1 + 20 }
                })
        }
        let isFlowing = try flows()
        var counts = try (decoded(), peers.map { framesReceived($0) })
        #expect(isFlowing, "\(counts) \(peers.map(\.connectionState))")
        let simulcast = try existing(peers[1].participant)
        #expect(simulcast.layers.map(\.description) == ["h", "l"] && end.call.participants.count == 3)

        // A page that closes its connection ends it by DTLS.
        let leaving = peers.removeLast()
        try pages.removeLast().browser.evaluate("pc.close(); 0")
        #expect(try wait(10) { leaving.connectionState == .closed }, "\(leaving.connectionState)")

        // A browser that is gone is noticed, and disturbs nobody. It may come back with another port for 30 s.
        let lost = peers.removeFirst()
        try pages.removeFirst().browser.kill()
        #expect(try wait(15) { lost.connectionState == .disconnected }, "\(lost.connectionState)")
        let flowsOn = try flows()
        counts = try (decoded(), peers.map { framesReceived($0) })
        #expect(flowsOn, "\(counts)")
        lost.close()
        #expect(try wait(5) { end.call.participants.count == 1 }, "\(end.call.participants.count)")
        await end.call.end()
    }

    private func framesReceived(_ peer: WebRTCPeer) -> Int {
        peer.participant?.statistics.session.receiving.map(\.stream.framesReceived).max() ?? 0
    }
}
