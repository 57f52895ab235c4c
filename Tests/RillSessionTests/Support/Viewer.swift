import RillCore
import RillRTP
import RillReceive
import RillSend
import RillSession
import Testing

/// A call in virtual time in which one end sends a high and a low layer, and the other one shows what it wants of them.
final class LayeredCall {
    let call: Call
    /// High and low: as they are sent, and as they are received.
    let sent: [SendingStreamID]
    private(set) var received: [ReceivingStreamID]
    private let offsets: [RTPTimestamp]
    private(set) var selector = LayerSelector()
    private(set) var shown: [Shown] = []
    private(set) var wants: [(layer: Int?, time: MediaTime)] = []

    /// A picture that was shown.
    struct Shown {
        var layer: Int
        /// When it was captured, as only the test knows.
        var captured: MediaDuration
        /// Its time in the sequence.
        var time: MediaTime
        var shownAt: MediaTime
    }

    init(
        seed: UInt64, over network: String, isPausable: Bool = true,
        _ adjust: (inout RTPSessionSettings) -> Void = { _ in }
    ) throws {
        var settings = RTPSessionSettings(canonicalName: "alice", seed: seed)
        adjust(&settings)
        let (alice, bob) = (Endpoint(settings), Endpoint(seed: seed + 1000))
        let streams = ["h", "l"].enumerated().map { Call.stream(seed: seed * 2 + UInt64($0.offset), named: $0.element) }
        var sent: [SendingStreamID] = []
        var received: [ReceivingStreamID] = []
        for (layer, stream) in streams.enumerated() {
            sent.append(try alice.session.send(stream))
            alice.addCamera(
                sent[layer], every: Endpoint.captureInterval * (layer == 0 ? 1 : 6), byteCount: layer == 0 ? 5000 : 700,
                layer == 0 ? .vga : Resolution(width: 160, height: 120))
            var settings = try Call.receiving(stream, isAnnounced: false)
            settings.isPausable = isPausable
            received.append(try bob.session.receive(settings, at: .zero))
        }
        offsets = streams.map(\.timestampOffset)
        (self.sent, self.received) = (sent, received)
        call = try Call(alice, bob, over: network, seed: seed)
        bob.isLogging = false
        alice.isLogging = false
        bob.decode = { [unowned self] in show($0, $1, at: $2) }
        want(nil)
    }

    /// Receives a layer again, as a new receiver.
    func receiveAgain(_ layer: Int) throws {
        let settings = try #require(call.bob.session.settings(of: received[layer]))
        call.bob.session.remove(received[layer])
        received[layer] = try call.bob.session.receive(settings, at: call.now)
        apply(at: call.now)
    }

    /// Wants a layer from now on.
    func want(_ layer: Int?) {
        selector.want(layer)
        wants.append((layer, call.now))
        apply(at: call.now)
    }

    /// Ticks of a stream since its clock's zero.
    private func captured(_ frame: ReceivedFrame, _ layer: Int) -> MediaDuration {
        let ticks = Int64(frame.rtpTimestamp.rawValue &- offsets[layer].rawValue)
        return MediaDuration(nanoseconds: ticks * 100_000 / 9)
    }

    private func apply(at now: MediaTime) {
        let selector = selector
        call.bob.change(at: now) { session in
            for layer in 0...1 { session.setWanted(selector.needs(layer), of: received[layer], at: now) }
        }
    }

    private func show(_ frame: ReceivedFrame, _ stream: ReceivingStreamID, at now: MediaTime) {
        guard let layer = received.firstIndex(of: stream) else {
            Issue.record("a frame of a stream that nobody has added")
            return
        }
        guard frame.isShown else { return }  // decoded for others that refer to it
        let picture = LayerSelector.Picture(
            captureTime: frame.frame.captureTime,
            wallClock: call.bob.session.senderClock(of: stream)?.wallClock(of: frame.rtpTimestamp),
            playoutTime: frame.playoutTime)
        let current = selector.current
        let time = selector.show(picture, of: layer)
        if selector.awaits(layer) { call.bob.session.expedite(stream, at: now) }
        if selector.current != current { apply(at: now) }
        guard let time else { return }  // of the other layer, or older than what was shown
        shown.append(Shown(layer: layer, captured: captured(frame, layer), time: time, shownAt: now))
    }

    // MARK: What is tried

    /// Wants one layer, the other, or none, at random; half of the changes cross with the ones before.
    func changeItsMind(seed: UInt64, until end: MediaTime) {
        var random = SeededGenerator(seed: seed ^ 0xABCD)
        while call.now < end {
            want([0, 1, nil].randomElement(using: &random) ?? nil)
            let isCrossing = Bool.random(using: &random)
            call.run(for: .milliseconds(Int.random(in: isCrossing ? 1...120 : 400...1500, using: &random)))
        }
        call.run(for: .seconds(1))
    }

    // MARK: What came of it

    /// How long after each change that had the time `bound` a picture of what was wanted was the last one shown; of
    /// `nil` whether nothing was shown after it.
    func latencies(over bound: MediaDuration) -> [MediaDuration] {
        var latencies: [MediaDuration] = []
        for (want, end) in zip(wants, wants.dropFirst().map(\.time) + [call.now]) where end - want.time > bound {
            let seen = shown.filter { $0.shownAt >= want.time && $0.shownAt < end }
            guard let layer = want.layer else {
                #expect(seen.allSatisfy { $0.shownAt == want.time }, "after \(want.time)")
                continue
            }
            let before = shown.last { $0.shownAt < want.time }
            let blank = wants.last { $0.time < want.time && $0.layer == nil }?.time ?? .zero
            let isThere = before.map { $0.layer == layer && $0.shownAt > blank } ?? false
            let first = seen.first { $0.layer == layer }?.shownAt ?? end
            latencies.append(isThere ? .zero : first - want.time)
            #expect(seen.allSatisfy { $0.shownAt < first || $0.layer == layer }, "after \(want.time)")
        }
        return latencies
    }

    /// No picture is shown twice, and none after a later one.
    func expectRisingTimes(_ what: String) {
        #expect(shown.count > 10)
        for (one, next) in zip(shown, shown.dropFirst()) {
            #expect(one.captured < next.captured, "\(what): \(one), \(next)")
            #expect(one.time < next.time, "\(what): \(one), \(next)")
        }
    }

    /// What is known of key frames, of both layers.
    struct KeyFrames {
        var sent = 0
        /// A stream began, or went on because it was asked to.
        var beginnings = 0
        /// The receiver asked for one.
        var asked = 0
        /// Neither that, nor asked for while nothing could be decoded.
        var needless = 0
    }

    var keyFrames: KeyFrames {
        var count = KeyFrames()
        for stream in sent {
            count.sent += call.alice.encodedFrames[stream]?.key ?? 0
            count.beginnings += 1 + (call.alice.resumptions[stream] ?? 0)
        }
        // What else was sent answers a request of somebody who had lost the chain: it is asked for by the jitter buffer
        // alone.
        count.asked = received.map { call.bob.session.statistics(of: $0)?.pliCount ?? 0 }.reduce(0, +)
        count.needless = max(0, count.sent - count.beginnings - count.asked)
        return count
    }

    func framesEncoded(_ layer: Int) -> Int { call.alice.encodedFrames[sent[layer]]?.all ?? 0 }

    func packetsSent(_ layer: Int) -> Int { call.alice.session.statistics(of: sent[layer])?.packetsSent ?? 0 }
}
