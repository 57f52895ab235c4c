import Foundation
import Rill
import RillLab
import RillLink
import RillPeer
import RillTestSupport
import Testing

/// Chromium behind networks that lose, delay, and change its address.
@Suite(.serialized, .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
struct WebRTCNetworkTests {
    /// Our description as the other side sees it behind a relay, whose port stands for ours.
    private func relayed(_ text: String, from port: UInt16, to relay: UInt16) -> String {
        text.replacingOccurrences(of: " \(port) ", with: " \(relay) ")
    }

    /// The other side's description without its addresses, so that only the relay leads there.
    private func hidden(_ text: String) -> String {
        text.split(separator: "\r\n").filter { !$0.hasPrefix("a=candidate:") }.joined(separator: "\r\n") + "\r\n"
    }

    private func relay(to port: UInt16, _ network: String) throws -> LiveRelay {
        var settings = RelaySettings(network: try LinkSettings(notation: network))
        settings.addPair(listen: UDPAddress(.loopback, port: 0), to: UDPAddress(.loopback, port: port))
        return try LiveRelay(settings)
    }

    /// Chromium offers, behind a port that stands for ours.
    private func connect(_ page: ChromiumPeer, to end: WebRTCEnd, through relay: UInt16) throws -> WebRTCPeer {
        let peer = try end.port.answer(hidden(page.offer()), from: "chromium")
        try end.show(peer)
        try page.accept(relayed(peer.localDescription, from: end.port.localAddress.port, to: relay))
        return peer
    }

    @Test func `Both sides fill 1.5 Mbit per second that lose 2 percent, and no more`() async throws {
        var media = ChromiumPeer.Media()
        media.receives = true
        let page = try ChromiumPeer(media)
        let end = try WebRTCEnd(bitrate: .megabits(2))
        let relay = try relay(to: end.port.localAddress.port, "rate=1500k,loss=2%,delay=20ms,queue=300ms")
        let peer = try connect(page, to: end, through: relay.settings.pairs[0].listen.port)
        usleep(UInt32(isLongRun ? 20 : 8) * 1_000_000)
        let (figures, pictures) = (try page.figures(), end.pictures)
        let statistics = try existing(peer.participant).statistics.session
        let congestion = try existing(statistics.congestion)
        let received = try existing(figures.received.first)
        note(
            """
            1.5 Mbit/s, 2 %: sent \(statistics.sending.map(\.stream.framesSent)), decoded there \(received.framesDecoded ?? 0), \
            freezes \(received.freezeCount ?? 0), lost \(received.packetsLost ?? 0), shown here \(pictures), \
            may send \(congestion.availableOutgoingBitrate / 1000) kbit/s, SRTP \(figures.srtp ?? ""); \(congestion)
            """)
        note("\(end.call.statistics.layers)")
        // How much depends on how busy the machine is; that it is not given up, and that what is sent is seen, does
        // not.
        let sent = statistics.sending.map(\.stream.framesSent).reduce(0, +)
        let (decoded, shown) = (received.framesDecoded ?? 0, pictures.values.map(\.count).max() ?? 0)
        #expect((250_000...1_700_000).contains(congestion.availableOutgoingBitrate), "\(congestion)")
        #expect(sent > 60 && 10 * decoded > 8 * sent && shown > 40, "\(sent) sent, \(received), \(pictures)")
        if isLongRun {
            #expect(congestion.availableOutgoingBitrate > 600_000 && decoded > 500 && shown > 350)
        }
        peer.close()
        relay.stop()
        await end.call.end()
    }

    @Test func `Connected within three round trips and 60 ms of the answer`() async throws {
        let page = try ChromiumPeer(ChromiumPeer.Media())
        var times: [Double] = []
        for _ in 0..<(isLongRun ? 15 : 5) {
            let end = try WebRTCEnd(sends: false)
            let relay = try relay(to: end.port.localAddress.port, "delay=10ms")
            try page.begin()
            let peer = try connect(page, to: end, through: relay.settings.pairs[0].listen.port)
            while try page.state() != "connected" { usleep(5000) }
            times.append(try existing(page.figures().connected))
            peer.close()
            relay.stop()
            await end.call.end()
        }
        note("connected after \(times.map { Int($0) }) ms")
        // Among other tests, a time says nothing.
        #expect(!isLongRun || times.sorted()[times.count / 2] <= 3 * 20 + 60, "\(times)")
    }

    @Test func `Chromium comes back with another port, after eight seconds away, and by its restart of ICE`()
        async throws
    {
        let page = try ChromiumPeer(ChromiumPeer.Media())
        let end = try WebRTCEnd(sends: false)
        let relay = try RebindingRelay(to: end.port.localAddress.port)
        func run(_ seconds: Double, until isDone: () throws -> Bool = { false }) throws {
            let end = ContinuousClock.now + .seconds(seconds)
            while ContinuousClock.now < end, try !isDone() {
                for _ in 0..<20 {
                    try relay.forward()
                    usleep(1000)
                }
            }
        }
        func shown() -> Int { end.pictures[.high]?.count ?? 0 }
        let peer = try connect(page, to: end, through: relay.port)
        try run(20) { shown() > 30 }
        #expect(shown() > 30, "\(peer.connectionState)")

        try relay.rebind()
        var before = shown()
        try run(10) { shown() > before + 30 }
        #expect(shown() > before + 30, "after another port")

        relay.isBlocked = true
        try run(8)
        relay.isBlocked = false
        before = shown()
        try run(15) { shown() > before + 30 }
        #expect(shown() > before + 30, "after eight seconds away")

        let offer = try page.offer(restartsICE: true)
        let answer = try peer.answer(hidden(offer))
        try page.accept(relayed(answer, from: end.port.localAddress.port, to: relay.port))
        before = shown()
        try run(10) { shown() > before + 60 }
        #expect(shown() > before + 60 && peer.connectionState == .connected, "after a restart of ICE")
        peer.close()
        await end.call.end()
    }
}
