import Rill
import RillCodec
import RillCore
import RillTestSupport
import Testing

@testable import RillLab

/// The text of a trace: what is written comes back, and what is damaged is refused by its line.
struct SendTraceTests {
    let folder = TemporaryFolder()

    /// Settings of which no value is the default.
    private var unusual: LayerSettings {
        var settings = LayerSettings(
            rid: .high, resolution: Resolution(width: 642, height: 358), frameRate: FrameRate(30000, per: 1001),
            bitrate: Bitrate(bitsPerSecond: 765_432), encoder: EncoderSettings(.vp9))
        settings.aspect = .letterbox
        settings.skipsUnchangedFrames = true
        settings.takesEveryFrame = true
        settings.encoder.content = .screen
        settings.encoder.quality = 17
        settings.encoder.lagInFrames = 11
        settings.encoder.quantizers = 7...41
        settings.encoder.threadCount = 3
        settings.encoder.speed = 6
        settings.encoder.temporalPattern = .l1t3
        settings.encoder.maximumKeyFrameInterval = 450
        settings.encoder.staticThreshold = 12
        settings.encoder.isDenoising = true
        settings.encoder.skipsStillBlocks = true
        settings.encoder.maximumKeyFramePercentage = 900
        settings.encoder.dropThreshold = 30
        settings.encoder.undershootPercentage = 44
        settings.encoder.overshootPercentage = 55
        settings.encoder.bufferSize = .milliseconds(1234)
        settings.encoder.initialBufferLevel = MediaDuration(nanoseconds: 456_789_123)
        settings.encoder.optimalBufferLevel = .milliseconds(789)
        settings.encoder.burstLimit = .milliseconds(135)
        return settings
    }

    @Test func `Every setting round-trips`() throws {
        let text = LayerSettingsNotation.text(of: unusual)
        guard case .settings(let settings) = LayerSettingsNotation.parse(text.split(separator: " "), rid: .high) else {
            Issue.record("refused: \(text)")
            return
        }
        #expect(settings == unusual)
        // A setting that is added one day and not written would be lost without a word.
        let (layer, encoder) = (Mirror(reflecting: unusual), Mirror(reflecting: unusual.encoder))
        let ownCount = layer.children.count - ["rid", "encoder"].count
        #expect(text.split(separator: " ").count == ownCount + encoder.children.count)
        let defaults = Mirror(reflecting: EncoderSettings(.vp9))
        // Effort allows no temporal layers: it has settings of its own.
        var good = unusual
        good.encoder = .good(.vp9)
        #expect(LayerSettingsNotation.text(of: good).contains(" effort=good "))
        guard
            case .settings(good) = LayerSettingsNotation.parse(
                LayerSettingsNotation.text(of: good).split(separator: " "), rid: .high)
        else {
            Issue.record("refused or changed: \(LayerSettingsNotation.text(of: good))")
            return
        }
        for (mine, usual) in zip(encoder.children, defaults.children) where !["codec", "effort"].contains(mine.label) {
            #expect("\(mine.value)" != "\(usual.value)", "\(mine.label ?? "") is at its default: it proves nothing")
        }
    }

    @Test func `A trace round-trips`() throws {
        let path = folder.path("call.trace")
        let writer = try SendTraceWriter(path: path)
        // The smaller layer is the first that is heard of, as chance may have it.
        writer.begin([.high, .low, "idle"])
        try writer.record(.dropped(frame: 5), of: .low)
        var first = LayerTask(settings: unusual, frame: 0)
        first.content = 1
        var second = LayerTask(settings: unusual, frame: 3)
        (second.isKeyFrameRequested, second.byteLimit) = (true, 1234)
        var third = second
        (third.frame, third.isRestartRequested) = (4, true)
        third.settings.bitrate = .kilobits(50)
        try writer.record(.frame(captureTime: MediaTime(nanoseconds: -5), task: first), of: .high)
        try writer.record(.frame(captureTime: .zero, task: LayerTask(settings: .low)), of: .low)
        try writer.record(.dropped(frame: 1), of: .high)
        try writer.record(.adapted(.init(degradation: .none.smaller, reason: .encodeTime)), of: .high)
        try writer.record(.frame(captureTime: .zero + .seconds(1), task: second), of: .high)
        try writer.record(.frame(captureTime: .zero + .seconds(2), task: third), of: .high)
        try writer.finish()

        let trace = try SendTrace(path: path)
        #expect(trace.layers.map(\.rid) == [.high, .low, "idle"] && trace.layers[2].initialSettings == nil)
        let high = trace.layers[0]
        #expect(high.frameCount == 3 && high.framesDropped == 1 && high.adaptations == 1)
        #expect((0..<3).map { high[$0].task } == [first, second, third])
        #expect((0..<3).map { high[$0].captureTime.nanoseconds } == [-5, 1_000_000_000, 2_000_000_000])
        #expect(trace.layers[1][0].task == LayerTask(settings: .low))
    }

    @Test func `Faces round-trip`() throws {
        let path = folder.path("faces.trace")
        let writer = try SendTraceWriter(path: path)
        writer.begin([.high])
        try writer.record(cascade: nil)
        try writer.record(beauty: .natural, at: .full, fromFrame: 0)
        try writer.record(
            givenFaces: [FaceRegion(x: -5, y: 6, side: 70), FaceRegion(x: 8, y: 9, side: 10)], fromFrame: 3)
        try writer.record(givenFaces: [], fromFrame: 5)
        try writer.finish()
        let trace = try SendTrace(path: path)
        #expect(trace.cascade == nil && trace.beauty.count == 1)
        #expect(
            trace.givenFaces == [
                SendTrace.GivenFaces(
                    frame: 3, faces: [FaceRegion(x: -5, y: 6, side: 70), FaceRegion(x: 8, y: 9, side: 10)]),
                SendTrace.GivenFaces(frame: 5, faces: []),
            ])
        // Sixteen digits, also of a small number.
        let small = "GOOD* cascade 0000000000000abc\n".replacing("GOOD", with: good)
        #expect(try SendTrace(parsing: Array(small.utf8).span).cascade == 0xabc)
    }

    private var good: String {
        "rill-trace 1\nlayers high low\nhigh set \(LayerSettingsNotation.text(of: unusual))\nhigh frame 2 at 7 key\nhigh drop 3\n"
    }

    @Test(
        arguments: [
            ("", 1), ("rill-trace 2\n", 1), ("rill-trace 1\n", nil), ("high frame 2 at 7\n", 1),
            ("rill-trace 1\nhigh frame 2 at 7\n", 2), ("rill-trace 1\nlayers a b a\n", 2),
            ("rill-trace 1\nlayers\n", 2), ("GOODhigh frame 2 at 8\n", 6), ("GOODhigh frame 4 at x\n", 6),
            ("GOODhigh frame 4 at 9 now\n", 6), ("GOODhigh frame 4 at 9 limit=0\n", 6), ("GOODlow frame 4 at 9\n", 6),
            ("GOODhigh fly 4 at\n", 6),
            ("GOOD?! frame 4 at 9\n", 6), ("GOODother drop 4\n", 6), ("GOODhigh set codec=VP8\n", 6),
            ("GOODhigh frame 4 at 9223372036854775807\n", 6), ("GOOD* beauty 0 natural\n", 6),
            ("GOOD* beauty 3 natural full\n", 6), ("GOOD* beauty 0 lovely full\n", 6),
            ("GOOD* cascade 12\n", 6), ("GOOD* cascade 00000000000000zz\n", 6), ("GOOD* cascade\n", 6),
            ("GOOD* fly\n", 6),
            ("GOOD* cascade 0123456789abcdef\n* cascade 0123456789abcdef\n", 7),
            ("GOOD* beauty 0 off full\n* cascade none\n", 7), ("GOOD*\n", 6),
            ("GOOD* faces\n", 6), ("GOOD* faces 1 2,3\n", 6), ("GOOD* faces 1 2,3,x\n", 6),
            ("GOOD* faces 1 1,1,1 1,1,1 1,1,1 1,1,1 1,1,1\n", 6), ("GOOD* faces 2\n* faces 1\n", 7),
            ("GOOD* beauty 0 off full\n* beauty 9 natural full\n* beauty 8 natural full\n", 8),
        ] as [(String, Int?)])
    func `A damaged line is refused by its number`(text: String, line: Int?) {
        let text = text.replacing("GOOD", with: good)
        do throws(TraceError) {
            let trace = try SendTrace(parsing: Array(text.utf8).span)
            #expect(line == nil && trace.layers.isEmpty, "\(text)")
        } catch {
            guard case .damaged(_, let found, let reason) = error else {
                Issue.record("\(text): \(error)")
                return
            }
            #expect(found == line && !reason.isEmpty, "\(text): \(error)")
        }
    }

    @Test func `No bytes bring the reader down`() throws {
        let seeds = [
            good, good + "* cascade 0123456789abcdef\n* beauty 0 natural full\n* faces 3 1,2,3 4,5,6\n",
            good + "low set \(LayerSettingsNotation.text(of: .low))\nlow frame 0 at 0 restart content=3\n",
        ]
        var read = 0
        for bytes in MutatedInputs(
            of: seeds.map { Array($0.utf8) }, count: 40_000, using: SeededGenerator(seed: 5))
        {
            // A typed error is as good an answer as a trace.
            guard let trace = try? SendTrace(parsing: bytes.span) else { continue }
            read += 1
            for layer in trace.layers {
                // What was taken can be encoded with, as far as settings go.
                for index in 0..<layer.frameCount { try layer[index].task.settings.validate() }
            }
        }
        #expect(read > 100 && read < 39_000, "\(read)")
    }
}
