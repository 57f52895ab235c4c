import RillCodec
import RillCore
import RillLink
import RillMediaSupport
import RillTestSupport
import Testing

@testable import RillLab

@Suite struct TimelineTests {
    private static let size = Resolution(width: 320, height: 240)

    private func loopback(
        _ network: String, frameCount: Int, isRecorded: Bool = true, isRepaired: Bool = false
    ) throws -> Loopback {
        var settings = LoopbackSettings(
            layers: [.high(Self.size, bitrate: .kilobits(300)), .low], network: try LinkSettings(notation: network))
        settings.measuresQuality = false
        settings.isRecorded = isRecorded
        settings.usesNACK = isRepaired
        return try Loopback(settings) { try LoopedPictures(Self.size, frameCount: frameCount) }
    }

    @Test(arguments: ["delay=20ms,seed=3", "loss=5%,delay=40ms,jitter=20ms,seed=4"], [false, true])
    func `The timeline adds up to the report`(network: String, isRepaired: Bool) throws {
        let loopback = try loopback(network, frameCount: 150, isRepaired: isRepaired)
        let report = try loopback.runInVirtualTime()
        let timelines = try loopback.timelines()
        #expect(timelines.map(\.rid.description) == report.layers.map(\.rid))
        for (timeline, layer) in zip(timelines, report.layers) {
            let sum = TimelineInterval(sumOf: timeline.intervals)
            #expect(Int(sum.packetsSent) == layer.sent.packetsSent)
            let received = layer.received.packetsReceived + layer.received.retransmittedPacketsReceived
            #expect(Int(sum.packetsSent - sum.packetsLost) == received)
            #expect(sum.bytesSent == Int64(layer.sent.bytesSent + layer.sent.headerBytesSent))
            #expect(Int(sum.packetRequests) == layer.received.nackCount)
            #expect(Int(sum.framesRepaired) <= layer.received.framesRepaired)
            #expect(Int(sum.framesSent) == layer.sent.framesEncoded)
            #expect(Int(sum.keyFramesSent) == layer.sent.keyFramesEncoded)
            #expect(Int(sum.framesShown) == layer.received.framesShown)
            #expect(Int(sum.keyFramesRequested) == layer.received.pliCount)
            #expect(Int(sum.framesDecodedOnly) == layer.received.framesDecodedOnly)
            #expect(Int(sum.bufferDelay.count) == layer.received.jitterBufferEmittedCount)
            #expect(abs((sum.bufferDelay.mean ?? 0) - layer.received.jitterBufferDelay) < 0.01)
            #expect(timeline.freezes.count(where: \.isFreeze) == layer.received.freezeCount)
            #expect(timeline.freezes.count(where: \.isLongGap) == layer.received.longFreezeCount)
            let whole = try #require(layer.latencies.last)
            #expect(abs(Double(sum.frameDelay.maximum) - whole.maximum) < 0.1)
        }
        let isLossy = network.contains("loss")
        let sum = TimelineInterval(sumOf: timelines[0].intervals)
        #expect((sum.packetsLost > 0) == isLossy && (sum.framesRepaired > 0) == (isLossy && isRepaired))
        #expect((sum.retransmittedBytes > 0) == (isLossy && isRepaired))
        #expect(isRepaired || timelines[0].freezes.isEmpty != isLossy, "the seed shows nothing")
    }

    /// What repairs is told apart from what it repairs, on a stream of its own or not.
    @Test(arguments: [true, false], [0, 20])
    func `Retransmitted packets and FEC packets are counted separately`(usesRTX: Bool, percent: Int) throws {
        var settings = LoopbackSettings(
            layers: [.high(Self.size, bitrate: .kilobits(300))],
            network: try LinkSettings(notation: "loss=5%,delay=40ms,seed=4"))
        settings.measuresQuality = false
        settings.isRecorded = true
        settings.usesRetransmissionStream = usesRTX
        settings.fec = FECSettings(
            percentage: .percent(percent), payloadType: PayloadType(101), redPayloadType: PayloadType(100))
        let loopback = try Loopback(settings) { try LoopedPictures(Self.size, frameCount: 300) }
        let sent = try #require(try loopback.runInVirtualTime().layers.first).sent
        let sum = TimelineInterval(sumOf: try loopback.timelines()[0].intervals)
        // Each packet has a header and some payload; the means of all of a kind lie between those of a datagram.
        for (bytes, count) in [
            (sum.retransmittedBytes, sent.retransmittedPacketsSent), (sum.fecBytes, sent.fecPacketsSent),
        ] {
            #expect((count > 0) == (bytes > 0))
            #expect(bytes >= 30 * Int64(count) && bytes <= 1500 * Int64(count), "\(bytes) bytes of \(count)")
        }
        // FEC packets leave little to ask for.
        #expect(percent > 0 ? sent.fecPacketsSent > 20 : sent.retransmittedPacketsSent > 5, "the seed shows nothing")
        #expect((sent.fecPacketsSent > 0) == (percent > 0))
        #expect(sum.bytesSent == Int64(sent.bytesSent + sent.headerBytesSent))
    }

    @Test func `Around each freeze the picture that stood and the one that ended it are kept`() throws {
        let loopback = try loopback("loss=10%,delay=40ms,seed=4", frameCount: 150)
        _ = try loopback.runInVirtualTime()
        let timeline = try loopback.timelines()[0]
        #expect(!timeline.freezes.isEmpty, "the seed shows nothing")
        #expect(timeline.picturedFreezes.count == min(timeline.freezes.count, FreezeGallery.capacity))
        for pictured in timeline.picturedFreezes {
            #expect(pictured.before.time == pictured.freeze.start && pictured.after.time == pictured.freeze.end)
            for thumbnail in [pictured.before, pictured.after] {
                #expect(thumbnail.resolution == Resolution(width: 160, height: 120))
                let header = try VP8FrameHeader(parsing: thumbnail.webP.span.extracting(20...))
                #expect(header.keyFrame?.width == 160 && header.keyFrame?.height == 120 && header.isShown)
            }
            #expect(pictured.before.webP != pictured.after.webP)
        }
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
    func `FFmpeg decodes a thumbnail as WebP`() throws {
        let loopback = try loopback("loss=10%,delay=40ms,seed=4", frameCount: 150)
        _ = try loopback.runInVirtualTime()
        let thumbnail = try #require(try loopback.timelines()[0].picturedFreezes.first?.after)
        let folder = TemporaryFolder()
        try write(thumbnail.webP, to: folder.path("a.webp"))
        let raw = try Peer.ffmpeg.run(
            "-v", "error", "-i", folder.path("a.webp"), "-f", "rawvideo", "-pix_fmt", "yuv420p", "-")
        #expect(raw.count == 160 * 120 * 3 / 2)
        // A test picture has no plane of one value.
        #expect(Set(raw.prefix(160 * 120)).count > 20)
    }

    @Test func `A session that is not recorded has no timeline, and the same report`() throws {
        let plain = try loopback("loss=5%,delay=40ms,seed=4", frameCount: 60, isRecorded: false)
        let recorded = try loopback("loss=5%,delay=40ms,seed=4", frameCount: 60)
        let (first, second) = (try plain.runInVirtualTime(), try recorded.runInVirtualTime())
        #expect(try plain.timelines().isEmpty)
        #expect(first.layers.map(\.received.framesShown) == second.layers.map(\.received.framesShown))
        #expect(first.layers.map(\.latencies) == second.layers.map(\.latencies))
    }

    @Test func `A live session is recorded, too`() throws {
        let loopback = try loopback("delay=20ms,seed=2", frameCount: 20)
        let report = try loopback.runLive()
        for (timeline, layer) in zip(try loopback.timelines(), report.layers) {
            let sum = TimelineInterval(sumOf: timeline.intervals)
            #expect(Int(sum.packetsSent) == layer.sent.packetsSent)
            #expect(Int(sum.framesShown) == layer.received.framesShown)
            #expect(Int(sum.framesSent) == layer.sent.framesEncoded)
            #expect(layer.latencies.allSatisfy { $0.count == layer.received.framesShown })
            #expect(sum.bytesReceived > 0 && sum.bufferDelay.count > 0)
        }
    }
}

@Suite struct LayerRecorderTests {
    private func picture(_ pictures: TestPictures, at time: MediaTime) -> VideoFrame {
        var picture = pictures.picture(Int(time.nanoseconds % 7))
        picture.timestamps[.shown] = time
        return picture
    }

    @Test func `Of very many freezes the longest stay, and the others are counted`() throws {
        let recorder = LayerRecorder(.low)
        let pictures = try TestPictures(.qqvga, capacity: 1)
        var now = MediaTime.zero
        for index in 0..<700 {
            recorder.shown(picture(pictures, at: now))
            now = now + .milliseconds(600 + index)
        }
        recorder.shown(picture(pictures, at: now))
        let timeline = try recorder.timeline()
        #expect(timeline.freezes.count == LayerRecorder.freezeCapacity)
        #expect(timeline.omittedFreezes == 700 - LayerRecorder.freezeCapacity)
        #expect(timeline.freezes.allSatisfy { $0.isLongGap && $0.duration >= .milliseconds(600 + 188) })
        #expect(timeline.picturedFreezes.map(\.freeze.duration) == (688..<700).map { .milliseconds(600 + $0) })
        #expect(zip(timeline.freezes, timeline.freezes.dropFirst()).allSatisfy { $0.end <= $1.start })
    }

    @Test(arguments: [
        (Resolution.vga, Resolution(width: 160, height: 120)), (.hd720, Resolution(width: 160, height: 90)),
        (Resolution(width: 480, height: 640), Resolution(width: 120, height: 160)), (.qqvga, .qqvga),
        (Resolution(width: 64, height: 48), Resolution(width: 64, height: 48)),
        (Resolution(width: 8000, height: 2), Resolution(width: 160, height: 2)),
    ])
    func `Thumbnails keep the shape of the picture`(picture: Resolution, thumbnail: Resolution) {
        #expect(FreezeGallery.resolution(for: picture) == thumbnail)
    }
}
