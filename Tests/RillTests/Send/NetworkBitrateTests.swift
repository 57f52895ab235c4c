import RillCodec
import RillCore
import RillMediaSupport
import RillSession
import RillTestSupport
import Testing

@testable import Rill

/// Layers that follow what a network carries.
struct NetworkBitrateTests {
    private static let resolution = Resolution(width: 640, height: 360)

    /// A pipeline whose frames are counted.
    private final class Sender {
        let pipeline: SendPipeline
        private let pictures: LoopedPictures
        private(set) var count = 0

        init(_ bitrate: Bitrate = .kilobits(1500), change: (inout SendSettings) -> Void = { _ in }) throws {
            var settings = SendSettings(
                layers: [.high(NetworkBitrateTests.resolution, bitrate: bitrate), .low], seed: 1)
            change(&settings)
            pipeline = try SendPipeline(settings)
            pictures = try LoopedPictures(NetworkBitrateTests.resolution, frameCount: 3000)
        }

        /// Sends frames, and returns how many each layer encoded; `before` runs before each.
        @discardableResult
        func send(_ frameCount: Int, before: (Int) -> Void = { _ in }) throws -> [Int] {
            let start = pipeline.statistics.map(\.encoder.framesEncoded)
            for index in 0..<frameCount {
                before(index)
                guard case .frame(let frame) = pictures.next() else { throw TestFailure("the pictures have ended") }
                try pipeline.encode(frame, at: frame.captureTime)
                count += 1
            }
            return zip(pipeline.statistics, start).map { $0.encoder.framesEncoded - $1 }
        }

        var high: SendStatistics { pipeline.statistics[0] }
        var low: SendStatistics { pipeline.statistics[1] }
    }

    @Test(arguments: [25, 60, 80])
    func `The low layer keeps its five frames per second`(kilobits: Int) throws {
        let sender = try Sender()
        try sender.send(60)
        sender.pipeline.setNetworkBitrate(.kilobits(kilobits))
        let counts = try sender.send(90)
        #expect(counts == [0, 15])
        #expect(sender.high.targetBitrate == 0 && sender.low.targetBitrate == min(kilobits, 45) * 1000)
        #expect(sender.high.qualityLimitationReason == .bandwidth)
        #expect(abs(sender.high.qualityLimitationDurations.bandwidth.seconds - 3) < 0.1)
        #expect(abs(sender.high.qualityLimitationDurations.none.seconds - 2) < 0.1)
    }

    @Test func `A deep cut makes pictures smaller within a second, and they come back in time`() throws {
        let sender = try Sender()
        try sender.send(90)
        sender.pipeline.setNetworkBitrate(.kilobits(1500))
        try sender.send(30)
        #expect(sender.high.resolution == Self.resolution && sender.high.qualityLimitationReason == .none)
        sender.pipeline.setNetworkBitrate(.kilobits(90))
        // A frame of libvpx's coarsest quantizer takes more than these pictures have at full size.
        let counts = try sender.send(30)
        #expect(sender.high.resolution.pixelCount < Self.resolution.pixelCount, "\(sender.high.resolution)")
        #expect(
            sender.high.qualityLimitationReason == .bandwidth && sender.high.qualityLimitationResolutionChanges == 1)
        #expect(counts[0] >= 10 && counts[1] == 5, "\(counts)")
        #expect(sender.high.targetBitrate == 45_000)
        sender.pipeline.setNetworkBitrate(.kilobits(1500))
        try sender.send(300)
        #expect(sender.high.resolution == Self.resolution && sender.high.qualityLimitationReason == .none)
        #expect(sender.high.encoder.keyFramesEncoded <= 4, "\(sender.high.encoder)")
    }

    @Test func `A layer that was off returns with a key frame once its bitrate is steady`() throws {
        let sender = try Sender()
        sender.pipeline.setNetworkBitrate(.kilobits(50))
        try sender.send(60)
        #expect(sender.high.encoder.framesEncoded == 0)
        let counts = try sender.send(120) { index in
            // 200 kbit/s are enough, but not at once: the estimate comes and goes for a second.
            sender.pipeline.setNetworkBitrate(.kilobits(index < 30 && index % 10 < 5 ? 50 : 200))
        }
        #expect((1...45).contains(counts[0]) && sender.high.encoder.keyFramesEncoded == 1, "\(counts)")
    }

    @Test func `Packets that wait make frames smaller, and switch nothing off`() throws {
        let sender = try Sender()
        sender.pipeline.setNetworkBitrate(.kilobits(600))
        try sender.send(60)
        let before = sender.high.encoder.bytesEncoded
        let counts = try sender.send(60) { _ in
            // Behind a key frame nearly all is reserved, far less than the high layer needs.
            sender.pipeline.setNetworkBitrate(.kilobits(600), next: .kilobits(60))
        }
        #expect(counts == [60, 10])
        #expect(sender.high.resolution == Self.resolution && sender.high.encoder.keyFramesEncoded == 1)
        // 30 % of its share.
        #expect(sender.high.targetBitrate == 166_500, "\(sender.high.targetBitrate)")
        let reduced = sender.high.encoder.bytesEncoded - before
        #expect(reduced < before * 2 / 3, "\(before) and then \(reduced) bytes")
    }

    @Test func `What is reserved is taken from the largest layer first`() throws {
        let sender = try Sender()
        sender.pipeline.setNetworkBitrate(.kilobits(600), next: .kilobits(500))
        #expect(sender.high.targetBitrate == 455_000 && sender.low.targetBitrate == 45_000)
        sender.pipeline.setNetworkBitrate(.kilobits(600), next: .kilobits(700))
        #expect(sender.high.targetBitrate == 555_000, "\(sender.high.targetBitrate)")
    }

    @Test(arguments: [100, 150, 300, 600])
    func `An estimate that ripples by a tenth does not toggle layers or sizes`(kilobits: Int) throws {
        let sender = try Sender()
        func ripple(_ index: Int) {
            let share = index / 8 % 2 == 0 ? 110 : 90
            sender.pipeline.setNetworkBitrate(Bitrate(bitsPerSecond: kilobits * 10 * share))
        }
        try sender.send(300, before: ripple)
        let steady = sender.high
        let counts = try sender.send(300, before: ripple)
        #expect(sender.high.resolution == steady.resolution)
        #expect(sender.high.encoder.keyFramesEncoded == steady.encoder.keyFramesEncoded)
        #expect(counts[1] == 50)
    }

    @Test func `A screen that rests is not encoded again for each estimate`() throws {
        var layer = LayerSettings.high(Self.resolution, bitrate: .kilobits(1500))
        layer.encoder.content = .screen
        let pipeline = try SendPipeline(SendSettings(layers: [layer], seed: 1))
        let picture = try TestPictures(Self.resolution).picture(0)
        for index in 0..<150 {
            var frame = picture
            frame.captureTime = FrameRate(30).time(ofFrame: index)
            pipeline.setNetworkBitrate(.kilobits(1000 + index))
            try pipeline.encode(frame, at: frame.captureTime)
        }
        #expect(pipeline.statistics[0].framesUnchanged > 60, "\(pipeline.statistics[0])")
    }

    @Test func `Without adaptation layers keep size and rate`() throws {
        let sender = try Sender { $0.adaptation = nil }
        sender.pipeline.setNetworkBitrate(.kilobits(600))
        let counts = try sender.send(90)
        #expect(counts == [90, 15] && sender.high.resolution == Self.resolution)
    }

    @Test func `Without a network everything is as before`() throws {
        let sender = try Sender()
        let before = sender.pipeline.state.withLock { $0.decisions.plan.effectiveSettings(layer: 0) }
        sender.pipeline.setNetworkBitrate(.kilobits(120))
        try sender.send(60)
        sender.pipeline.setNetworkBitrate(nil)
        try sender.send(1)
        #expect(sender.pipeline.state.withLock { $0.decisions.plan.effectiveSettings(layer: 0) } == before)
        #expect(sender.high.resolution == Self.resolution && sender.high.qualityLimitationReason == .none)
    }

    @Test func `Frames that are left out are counted by their reason`() throws {
        let sender = try Sender()
        let counts = try sender.send(60) { index in
            if index % 10 == 3 { sender.pipeline.skipNextFrame(.high, because: .queueFull) }
            if index == 45 { sender.pipeline.skipNextFrame(.high, because: .windowFull) }
            // The low layer encodes frames 0, 6, 12 …: it takes 13 instead of 12.
            if index == 12 { sender.pipeline.skipNextFrame(.low, because: .windowFull) }
        }
        #expect(counts == [53, 10])
        #expect(sender.high.framesSkipped.queueFull == 6 && sender.high.framesSkipped.windowFull == 1)
        #expect(sender.low.framesSkipped.queueFull == 0 && sender.low.framesSkipped.windowFull == 1)
    }

    /// What a network allows, always the same.
    private final class Budget: SendingBudget {
        private let allowance: SendingAllowance

        init(_ bitrate: Bitrate, _ obstacle: SendingAllowance.Obstacle? = nil) {
            allowance = SendingAllowance(
                bitrate: bitrate, frameBitrate: bitrate, nextFrameBitrate: bitrate, obstacle: obstacle)
        }

        func allowance(at now: MediaTime) -> SendingAllowance? { allowance }
    }

    @Test func `A dip of less than a second, or while nothing leaves, switches no layer off`() throws {
        let sender = try Sender()
        let wide = Budget(.megabits(2))
        func count(_ budget: Budget, _ frames: Int) throws -> Int {
            try withExtendedLifetime(budget) {
                sender.pipeline.follow(budget)
                return try sender.send(frames)[0]
            }
        }
        #expect(try count(wide, 90) == 90)
        // Size and rate may be reduced meanwhile, but the layer goes on.
        #expect(try count(Budget(.kilobits(60)), 20) > 5)
        #expect(try count(wide, 10) > 3)
        #expect(try count(wide, 180) > 90)
        #expect(try count(Budget(.kilobits(60), .queueFull), 120) == 0)
        // One that was off would return after two seconds.
        #expect(try count(wide, 30) > 4)
        // For longer it is switched off.
        _ = try count(Budget(.kilobits(60)), 60)
        #expect(try count(Budget(.kilobits(60)), 30) == 0)
    }

    @Test func `Fewer bytes are taken from the layer with the highest bitrate`() throws {
        let sender = try Sender()
        sender.pipeline.setNetworkBitrate(.kilobits(800))
        try sender.send(90)
        func bytes(_ count: Int) throws -> [Int] {
            let start = sender.pipeline.statistics.map(\.encoder.bytesEncoded)
            try sender.send(count)
            return zip(sender.pipeline.statistics, start).map { $0.encoder.bytesEncoded - $1 }
        }
        let before = try bytes(1)
        sender.pipeline.reduceNextFrames(by: 1_000_000)
        let after = try bytes(1)
        #expect(after[0] < before[0] * 6 / 10, "\(before) and then \(after)")
    }

    @Test func `A key frame can leave out the frames that wait for the encoder`() throws {
        let sender = try Sender()
        try sender.send(30)
        let pipeline = sender.pipeline
        let pictures = try TestPictures(Self.resolution)
        var jobs: [LayerJob] = []
        func admit(_ index: Int) throws {
            try pipeline.admit(pictures.picture(index)) {
                .zero
            } put: { layer, job in
                if layer == 0 { jobs.append(job) }
                return nil
            }
        }
        try admit(30)
        try admit(31)
        pipeline.requestKeyFrame(.high, discardingOlder: true)
        try admit(32)
        let before = sender.high.encoder
        for job in jobs {
            try pipeline.carryOut(job, layer: 0) {
                .zero
            } duration: {
                .zero
            }
        }
        #expect(jobs.count == 3 && sender.high.framesSkipped.outdated == 2)
        #expect(sender.high.encoder.framesEncoded == before.framesEncoded + 1)
        #expect(sender.high.encoder.keyFramesEncoded == before.keyFramesEncoded + 1)
    }
}
