import Rill
import RillMediaSupport
import RillTestSupport
import RillWebRTC
import Testing

/// Two calls of one process meet as WebRTC peers do: by offer and answer, ICE and DTLS.
@Suite struct WebRTCCallTests {
    @Test func `Both layers go both ways, are negotiated again, and end`() async throws {
        let (one, two) = try (End(), End())
        var offering = WebRTCSettings()
        // A name belongs to one direction (RFC 8851 §10).
        offering.wantedLayers = ["x", "y"]
        let two1 = try one.port.offer(to: "two", offering)
        let one2 = try two.port.answer(two1.localDescription, from: "one")
        try two1.accept(one2.localDescription)
        try one.show(two1)
        try two.show(one2)
        #expect(try existing(two1.participant).layers.map(\.description) == ["x", "y"])
        #expect(try existing(one2.participant).layers == [.high, .low])
        #expect(
            try await eventually {
                [one, two].allSatisfy { end in end.counts.count == 2 && end.counts.values.allSatisfy { $0 > 5 } }
            }, "\(one.counts) \(two.counts) \(two1.connectionState) \(String(describing: two1.failure))")
        #expect(two1.connectionState == .connected && one2.connectionState == .connected)
        let statistics = try existing(two1.statistics)
        #expect(statistics.transport.dtlsState == "connected" && statistics.inbound.count == 2)

        // A restart of ICE, and descriptions that change nothing: pictures go on.
        let before = two.counts
        try two1.accept(one2.answer(two1.offer(restartsICE: true)))
        #expect(
            try await eventually { two.counts.allSatisfy { $0.value > (before[$0.key] ?? 0) + 5 } }, "\(two.counts)")
        #expect(two1.connectionState == .connected && two1.failure == nil)

        two1.close()
        #expect(try await eventually { one2.connectionState == .closed })
        for await state in one2.states { if state == .closed { break } }
        #expect(throws: PeerError.closed) { _ = try two1.offer() }
        await one.call.end()
        await two.call.end()
    }

    @Test func `A peer that takes no simulcast gets one layer at a time`() async throws {
        let (one, two) = try (End(), End(sends: false))
        var settings = WebRTCSettings()
        settings.isLite = true
        // The viewer offers a section that only receives.
        let one2 = try two.port.offer(to: "one")
        let two1 = try one.port.answer(one2.localDescription, from: "two", settings)
        try one2.accept(two1.localDescription)
        try two.show(one2)
        let them = try existing(two1.participant)
        #expect(try await eventually { two.sizes.last == End.high }, "\(two.sizes) \(String(describing: one2.failure))")
        try them.send(.low)
        #expect(try await eventually { two.sizes.last == End.low })
        #expect(try await eventually { one.call.statistics.layers[1].encoder.framesEncoded > 3 })
        try them.send(.high)
        #expect(try await eventually { two.sizes.last == End.high })
        // Sizes change when they are asked to, and no picture goes back in time.
        #expect(two.sizes == [End.high, End.low, End.high] && two.stepsBack == 0, "\(two.sizes)")
        await one.call.end()
        // A call that ends says so by DTLS.
        #expect(try await eventually { one2.connectionState == .closed }, "\(one2.connectionState)")
        #expect(two1.connectionState == .closed)
        await two.call.end()
    }

    @Test func `A connection lives without the app's reference to the peer, and ends with the call`() async throws {
        let (one, two) = try (End(), End(sends: false))
        weak var dropped: WebRTCPeer?
        let viewer = try two.port.offer(to: "one")
        do {
            let peer = try one.port.answer(viewer.localDescription, from: "two")
            try viewer.accept(peer.localDescription)
            dropped = peer
        }
        try two.show(viewer)
        #expect(try await eventually { !two.sizes.isEmpty }, "\(viewer.connectionState)")
        await one.call.end()
        #expect(try await eventually { dropped == nil && viewer.connectionState == .closed })
        #expect(throws: CallError.isOver) { _ = try one.port.offer() }
        await two.call.end()
    }

    /// A call with two layers, or one that only watches, at a port for WebRTC peers.
    fileprivate final class End: Sendable {
        static let high = Resolution(width: 320, height: 240)
        static let low = LayerSettings.low.resolution

        let call: VideoCall
        let port: WebRTCPort
        private let shown = Monitor(Shown())

        fileprivate struct Shown {
            var counts: [StreamLayer.RID: Int] = [:]
            var sizes: [Resolution] = []
            var last: [StreamLayer.RID: MediaTime] = [:]
            var stepsBack = 0
        }

        init(sends: Bool = true) throws {
            let layers = [LayerSettings.high(End.high, bitrate: .kilobits(300)), .low]
            let source = try LoopedPictures(End.high, frameCount: 30 * 120)
            call = try VideoCall(VideoCallSettings(layers: layers), source: sends ? source : nil)
            port = try WebRTCPort(for: call, announcing: [.loopback])
        }

        func show(_ peer: WebRTCPeer) throws {
            let participant = try existing(peer.participant)
            for layer in participant.layers {
                try participant.show(layer, on: FrameTap { [shown] frame in shown.withLock { $0.note(frame, layer) } })
            }
        }

        var counts: [StreamLayer.RID: Int] { shown.withLock { $0.counts } }
        var sizes: [Resolution] { shown.withLock { $0.sizes } }
        var stepsBack: Int { shown.withLock { $0.stepsBack } }
    }
}

extension WebRTCCallTests.End.Shown {
    fileprivate mutating func note(_ frame: VideoFrame, _ layer: StreamLayer.RID) {
        counts[layer, default: 0] += 1
        if sizes.last != frame.resolution { sizes.append(frame.resolution) }
        if let before = last[layer], frame.captureTime <= before { stepsBack += 1 }
        last[layer] = frame.captureTime
    }
}
