import RillCore
import RillLink
import RillRTP
import RillSession
import RillTestSupport
import Testing

/// What is wanted comes, soon, and nothing else: streams that are paused and resumed by RFC 7728.
@Suite struct WantedLayerTests {
    /// There and back.
    private static let roundTrip = MediaDuration.milliseconds(40)

    @Test func `The last wanted layer is shown, whatever is lost or reordered`() throws {
        var latencies: [MediaDuration] = []
        var (sent, asked) = (0, 0)
        for seed in UInt64(1)...50 {
            let test = try LayeredCall(seed: seed, over: "delay=20ms,loss=5%")
            test.call.run(for: .seconds(1))
            test.changeItsMind(seed: seed, until: .seconds(60))
            latencies += test.latencies(over: Self.roundTrip + .milliseconds(300))
            test.expectRisingTimes("seed \(seed)")
            let keyFrames = test.keyFrames
            #expect(keyFrames.needless == 0, "seed \(seed): \(keyFrames)")
            (sent, asked) = (sent + keyFrames.sent, asked + keyFrames.asked)
        }
        latencies.sort()
        #expect(latencies.count > 1000)
        note(
            "\(latencies.count) changes: \(latencies[latencies.count / 2]) in the middle, p95 "
                + "\(latencies[latencies.count * 95 / 100]), \(latencies[latencies.count - 1]) at the most; "
                + "\(sent) key frames, \(asked) of them asked for")
        #expect(asked * 20 < sent, "\(asked) key frames were asked for, of \(sent)")
        #expect(latencies[latencies.count - 1] <= Self.roundTrip + .milliseconds(300))
    }

    @Test func `Without loss each return of a layer costs one key frame`() throws {
        for seed in UInt64(1)...10 {
            let test = try LayeredCall(seed: seed, over: "delay=20ms")
            test.call.run(for: .seconds(1))
            test.changeItsMind(seed: seed, until: .seconds(30))
            let keyFrames = test.keyFrames
            // One that was taken back before the next picture costs none.
            #expect(keyFrames.sent <= keyFrames.beginnings && keyFrames.asked == 0, "seed \(seed): \(keyFrames)")
            #expect(keyFrames.beginnings > 10)
        }
    }

    @Test func `An unwanted layer is not encoded, and no packet of it is sent`() throws {
        let test = try LayeredCall(seed: 3, over: "delay=20ms")
        test.want(1)
        test.call.run(for: .seconds(2))
        let (frames, packets) = (test.framesEncoded(0), test.packetsSent(0))
        test.call.run(for: .seconds(10))
        #expect(test.framesEncoded(0) == frames && test.packetsSent(0) == packets)
        #expect(test.framesEncoded(1) > 50)
        test.want(nil)
        test.call.run(for: .seconds(1))
        let bytes = test.call.alice.session.statistics.transport.bytesSent
        test.call.run(for: .seconds(10))
        // Reports go on.
        #expect(test.call.alice.session.statistics.transport.bytesSent - bytes < 10 * 300)
        #expect(test.shown.allSatisfy { $0.layer == 1 })
    }

    @Test func `If the sender takes no requests, unwanted packets are dropped, and a key frame is requested`() throws {
        let test = try LayeredCall(seed: 4, over: "delay=20ms", isPausable: false)
        test.want(0)
        test.call.run(for: .seconds(2))
        let before = test.keyFrames.sent
        test.want(1)
        test.call.run(for: .seconds(2))
        #expect(test.shown.last?.layer == 1)
        test.want(0)
        test.call.run(for: .seconds(1))
        #expect(test.shown.last?.layer == 0)
        #expect(test.keyFrames.sent <= before + 3)
        #expect(test.latencies(over: .milliseconds(340)).allSatisfy { $0 < .milliseconds(340) })
        test.expectRisingTimes("")
    }
}
