import RillCore
import RillLab
import RillMediaSupport
import RillTestSupport
import Testing

@testable import Rill

/// Layers that the machine or the bitrate does not suffice for, in virtual time.
struct AdaptationTests {
    private let resolution = Resolution(width: 320, height: 240)

    private func report(
        _ change: (inout LoopbackSettings) -> Void, frameCount: Int = 450
    ) throws -> LoopbackReport.Layer {
        var settings = LoopbackSettings(layers: [.high(resolution, bitrate: .kilobits(300))])
        settings.adaptation?.window = .seconds(1)
        change(&settings)
        let pictures = try LoopedPictures(resolution, frameCount: frameCount)
        let report = try Loopback(settings) { LoopedPictures(pictures) }.runInVirtualTime()
        return try #require(report.layers.first)
    }

    @Test func `A slow machine reduces the size to keep the rate if requested`() throws {
        let layer = try report {
            $0.encodeTime = .milliseconds(40)
            $0.adaptation?.preference = .maintainFramerate
        }
        // In virtual time a smaller picture takes as long: it goes down to the smallest.
        #expect(layer.sent.qualityLimitationReason == "cpu")
        #expect(layer.sent.qualityLimitationResolutionChanges >= 2 && layer.sent.resolution == "160x120")
        // Each step begins with a key frame, and all of them can be decoded and are compared at the layer's own size.
        #expect(layer.sent.keyFramesEncoded == 1 + layer.sent.qualityLimitationResolutionChanges)
        #expect(layer.received.framesShown == layer.sent.framesEncoded)
        #expect(layer.quality?.frames == layer.sent.framesEncoded)
    }

    @Test func `A slow machine reduces the rate to keep the size if requested`() throws {
        let layer = try report {
            $0.encodeTime = .milliseconds(40)
            $0.adaptation?.preference = .maintainResolution
        }
        #expect(layer.sent.resolution == "320x240" && layer.sent.qualityLimitationResolutionChanges == 0)
        // 20 a second need 80 % of the time: that can be carried.
        #expect((19...23).contains(layer.sent.framesPerSecond), "\(layer.sent.framesPerSecond)")
    }

    @Test func `Too few bits make smaller pictures`() throws {
        let layer = try report {
            $0.layers[0].bitrate = .kilobits(25)
            $0.adaptation?.preference = .maintainFramerate
        }
        #expect(layer.sent.qualityLimitationReason == "bandwidth")
        #expect(layer.sent.qualityLimitationResolutionChanges > 0)
    }

    @Test func `Nothing is reduced without need, or without permission`() throws {
        let well = try report({ $0.encodeTime = .milliseconds(10) }, frameCount: 150)
        #expect(well.sent.qualityLimitationReason == "none" && well.sent.resolution == "320x240")
        let unwanted = try report(
            {
                $0.encodeTime = .milliseconds(40)
                $0.adaptation = nil
            }, frameCount: 150)
        #expect(unwanted.sent.resolution == "320x240" && unwanted.sent.qualityLimitationReason == "none")
        #expect(unwanted.sent.framesDropped > 20)
    }

    @Test func `A total is split among the layers from the low one up`() throws {
        let pictures = try LoopedPictures(resolution, frameCount: 360)
        let pipeline = try SendPipeline(
            SendSettings(layers: [.high(resolution, bitrate: .kilobits(300)), .low], seed: 1))
        var kilobits = [0.0, 0.0]
        var counted = [0, 0]
        func send(_ count: Int) throws {
            let before = pipeline.statistics
            for _ in 0..<count {
                guard case .frame(let frame) = pictures.next() else { break }
                try pipeline.encode(frame, at: frame.captureTime)
            }
            for (index, after) in pipeline.statistics.enumerated() {
                let bytes = after.encoder.bytesEncoded - before[index].encoder.bytesEncoded
                kilobits[index] = Double(bytes) * 8 * 30 / Double(count) / 1000
                counted[index] = after.encoder.framesEncoded - before[index].encoder.framesEncoded
            }
        }
        try send(120)
        #expect(counted == [120, 20])
        pipeline.setTotalBitrate(.kilobits(60))
        try send(60)
        #expect(counted == [0, 10], "the high layer needs 75 kbit/s beside the low one's 45")
        pipeline.setTotalBitrate(.kilobits(200))
        try send(90)
        #expect(counted == [90, 15])
        #expect(kilobits[0] < 230, "\(kilobits)")
        #expect(pipeline.statistics[0].encoder.keyFramesEncoded == 2, "it came back with a key frame")
        pipeline.setTotalBitrate(nil)
        try send(90)
        #expect(kilobits[0] > 230, "\(kilobits)")
    }
}
