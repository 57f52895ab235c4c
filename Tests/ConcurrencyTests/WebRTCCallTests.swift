import Rill
import RillPeer
import RillTestSupport
import Testing

/// Two calls of one process meet as WebRTC peers do: by offer and answer, ICE and DTLS.
@Suite struct WebRTCCallTests {
    @Test func `Both layers go both ways, are negotiated again, and end`() async throws {
        let (one, two) = try (WebRTCCallEnd(), WebRTCCallEnd())
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
        let (one, two) = try (WebRTCCallEnd(), WebRTCCallEnd(sends: false))
        // The viewer offers a section that only receives.
        let one2 = try two.port.offer(to: "one")
        let two1 = try one.port.answer(one2.localDescription, from: "two")
        try one2.accept(two1.localDescription)
        try two.show(one2)
        let them = try existing(two1.participant)
        #expect(
            try await eventually { two.sizes.last == WebRTCCallEnd.high },
            "\(two.sizes) \(String(describing: one2.failure))")
        try them.send(.low)
        #expect(try await eventually { two.sizes.last == WebRTCCallEnd.low })
        #expect(try await eventually { one.call.statistics.layers[1].encoder.framesEncoded > 3 })
        try them.send(.high)
        #expect(try await eventually { two.sizes.last == WebRTCCallEnd.high })
        // Sizes change when they are asked to, and no picture goes back in time.
        #expect(
            two.sizes == [WebRTCCallEnd.high, WebRTCCallEnd.low, WebRTCCallEnd.high] && two.stepsBack == 0,
            "\(two.sizes)")
        await one.call.end()
        // A call that ends says so by DTLS.
        #expect(try await eventually { one2.connectionState == .closed }, "\(one2.connectionState)")
        #expect(two1.connectionState == .closed)
        await two.call.end()
    }

    @Test func `Another peer takes over: other credentials, another certificate, other keys`() async throws {
        let (one, first, second) = try (
            WebRTCCallEnd(), WebRTCCallEnd(sends: false), WebRTCCallEnd(sends: false)
        )
        let viewer = try first.port.offer(to: "one")
        let peer = try one.port.answer(viewer.localDescription, from: "viewer")
        try viewer.accept(peer.localDescription)
        try first.show(viewer)
        #expect(try await eventually { !first.sizes.isEmpty }, "\(viewer.connectionState)")

        let heir = try second.port.offer(to: "one")
        try heir.accept(peer.answer(heir.localDescription))
        try second.show(heir)
        #expect(
            try await eventually { (second.counts.values.max() ?? 0) > 10 },
            "\(heir.connectionState) \(peer.connectionState) \(String(describing: peer.failure))")
        #expect(heir.connectionState == .connected && peer.connectionState == .connected && peer.failure == nil)
        for end in [one, first, second] { await end.call.end() }
    }

    @Test func `An answer that takes nothing of an offer is an error at once`() async throws {
        let (one, two) = try (WebRTCCallEnd(), WebRTCCallEnd())
        let peer = try one.port.offer(to: "two")
        let other = try two.port.answer(peer.localDescription, from: "one")
        let answer = other.localDescription.replacing(/m=video \d+/, with: "m=video 0")
        let rejection = SectionRejection(index: 0, mid: "0", reason: .rejectedByPeer)
        #expect(throws: PeerError.nothingAccepted([rejection])) { try peer.accept(answer) }
        #expect(peer.participant == nil && peer.connectionState == .closed)
        for end in [one, two] { await end.call.end() }
    }

    @Test func `Peers meet over IPv6`() async throws {
        let (one, two) = try (WebRTCCallEnd(at: .loopbackV6), WebRTCCallEnd(sends: false, at: .loopbackV6))
        let viewer = try two.port.offer(to: "one")
        let peer = try one.port.answer(viewer.localDescription, from: "two")
        try viewer.accept(peer.localDescription)
        try two.show(viewer)
        #expect(try await eventually { (two.counts.values.max() ?? 0) > 10 }, "\(viewer.connectionState)")
        let path = try existing(viewer.statistics?.candidatePairs.first { $0.state == "succeeded" })
        #expect(path.nominated, "\(path)")
        for end in [one, two] { await end.call.end() }
    }

    @Test func `A connection lives without the app's reference to the peer, and ends with the call`() async throws {
        let (one, two) = try (WebRTCCallEnd(), WebRTCCallEnd(sends: false))
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
}
