import Foundation
import Rill
import RillPeer
import RillTestSupport
import Testing

/// Others as the other side of a call, live: the table of who understands whom.
@Suite(.serialized) struct WebRTCTableTests {
    /// How long media flows in each cell, in seconds.
    private static let seconds = isLongRun ? 20 : 2

    @Test(
        .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"),
        arguments: WebRTCCell.chromium.filter { isLongRun || $0.codec == .vp8 })
    func `Chromium understands, and is understood`(cell: WebRTCCell) async throws { try await run(cell) }

    @Test(
        .enabled(if: PythonPeer.aiortc != nil, "aiortc is not installed"), arguments: WebRTCCell.aiortc)
    func `aiortc understands, and is understood`(cell: WebRTCCell) async throws { try await run(cell) }

    @Test(
        .enabled(if: PythonPeer.gstreamer != nil, "GStreamer's webrtcbin is not installed"),
        arguments: WebRTCCell.webrtcbin)
    func `webrtcbin understands, and is understood`(cell: WebRTCCell) async throws { try await run(cell) }

    @Test(arguments: WebRTCCell.rill.filter { isLongRun || $0.codec == .vp8 })
    func `Rill understands itself`(cell: WebRTCCell) async throws { try await run(cell) }

    private func run(_ cell: WebRTCCell) async throws {
        let other = try cell.makeOther(Self.seconds)
        let end = try WebRTCEnd(codec: cell.codec, sends: cell.sends)
        let peer: WebRTCPeer
        let start: ContinuousClock.Instant
        if cell.offers {
            peer = try end.port.offer(to: "other", cell.settings)
            let answer = try other.answer(peer.localDescription)
            start = .now
            try peer.accept(answer)
        } else {
            peer = try end.port.answer(other.offer(), from: "other", cell.settings)
            start = .now
            try other.accept(peer.localDescription)
        }
        try end.show(peer)
        while peer.connectionState == .connecting || peer.connectionState == .new,
            ContinuousClock.now - start < .seconds(20)
        {
            usleep(1000)
        }
        let connected = (ContinuousClock.now - start).milliseconds
        #expect(peer.connectionState == .connected, "\(cell): \(String(describing: peer.failure))")
        // Media flows from the first picture on.
        let isFlowing = try wait(20) {
            try end.pictures.count >= cell.received && other.count().decoded.count { $0 > 0 } >= cell.arriving
        }
        let first = end.pictures.values.map(\.time).min().map { ($0 - start).milliseconds }
        usleep(UInt32(Self.seconds) * 1_000_000)
        let counts = try other.count()
        let statistics = try existing(peer.participant).statistics
        let sent = statistics.session.sending.map(\.stream.framesSent)
        let received = statistics.session.receiving.map(\.stream.framesReceived)
        let shown = end.pictures.sorted { $0.key.description < $1.key.description }.map {
            "\($0.key) \($0.value.size) \($0.value.count)"
        }
        func text(_ list: [Int]?) -> String { list.map { $0.map(String.init).joined(separator: "+") } ?? "?" }
        note(
            """
            \(cell) | sent \(text(sent)), decoded there \(text(counts.decoded)) | sent there \(text(counts.sent)), received \
            \(text(received)), shown \(shown.joined(separator: ", ")) | connected \(Int(connected)) ms, first picture \
            \(first.map { Int($0) }.map(String.init) ?? "-") ms, there \(counts.firstPicture.map { Int($0) }.map(String.init) ?? "-") ms | \
            \(counts.srtp ?? peer.statistics?.transport.srtpCipher ?? "?")
            """)
        #expect(isFlowing, "\(cell): \(counts), \(end.pictures), \(statistics)")
        // Most of what is sent is seen, however busy the machine is. (Some send before there is a connection.)
        let (theirs, ours) = ((counts.sent ?? []).reduce(0, +), sent.reduce(0, +))
        let (seen, decoded) = (end.pictures.values.map(\.count).reduce(0, +), counts.decoded.reduce(0, +))
        #expect(cell.received == 0 || 2 * seen > theirs, "\(cell): \(seen) of \(theirs)")
        #expect(cell.arriving == 0 || 2 * decoded > ours, "\(cell): \(decoded) of \(ours)")
        if case .chromium(let media) = cell.other, media.isSimulcast { try askForKeyFrames(cell, peer, end, other) }
        guard isLongRun else { return try await finish(cell, peer, end, other, counts) }
        // Five frames a second of a low layer, and half of the frames of a high one.
        for layer in end.pictures.values {
            #expect(layer.count > (layer.size.width > 300 ? 12 : 3) * Self.seconds, "\(cell): \(end.pictures)")
        }
        for count in counts.decoded.prefix(cell.arriving) { #expect(count > 3 * Self.seconds, "\(cell): \(counts)") }
        try await finish(cell, peer, end, other, counts)
    }

    /// A layer that is shown again is asked for a key frame, and the other is not.
    private func askForKeyFrames(
        _ cell: WebRTCCell, _ peer: WebRTCPeer, _ end: WebRTCEnd, _ other: any WebRTCOther
    ) throws {
        let participant = try existing(peer.participant)
        for layer in participant.layers {
            let before = try existing(other.count().keyFramesAsked)
            let shown = end.pictures[layer]?.count ?? 0
            participant.hide(layer)
            usleep(500_000)
            try end.show(layer, of: participant)
            var after = before
            let isAsked = try wait(10) {
                after = try existing(other.count().keyFramesAsked)
                return after[layer.description] ?? 0 > before[layer.description] ?? 0
                    && end.pictures[layer]?.count ?? 0 > shown + 3
            }
            #expect(isAsked, "\(cell), \(layer): \(before), then \(after)")
            after[layer.description] = before[layer.description]
            #expect(after == before, "\(cell): \(layer) was shown again, and others were asked for key frames")
        }
    }

    private func finish(
        _ cell: WebRTCCell, _ peer: WebRTCPeer, _ end: WebRTCEnd, _ other: any WebRTCOther, _ counts: OtherCounts
    ) async throws {
        #expect(counts.state == "connected" && peer.connectionState == .connected)
        peer.close()
        await end.call.end()
        await other.end()
    }
}

extension Duration {
    var milliseconds: Double { Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15 }
}
