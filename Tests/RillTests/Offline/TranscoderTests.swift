import Glibc
import RillTestSupport
import Testing

@testable import Rill

struct TranscoderTests {
    private let resolution = Resolution(width: 160, height: 128)

    private var layers: [LayerSettings] {
        var low = LayerSettings.low
        low.resolution = Resolution(width: 80, height: 60)
        return [.high(resolution, bitrate: .kilobits(200)), low]
    }

    @Test func itGivesTheBytesOfTheSimulcastEncoderEachTime() throws {
        let expected = CodedRecording()
        let encoder = try SimulcastEncoder(layers: layers)
        let source = try LoopedPictures(resolution, frameCount: 60)
        while case .frame(let frame) = source.next() {
            try encoder.encode(frame) { expected.consume($0, payload: $1) }
        }
        for _ in 0..<3 {
            let recording = CodedRecording()
            let report = try Transcoder(
                source: try LoopedPictures(resolution, frameCount: 60),
                outputs: layers.map { .encoded($0, recording) }
            ).run()
            #expect(recording.frames(of: .high) == expected.frames(of: .high))
            #expect(recording.frames(of: .low) == expected.frames(of: .low))
            #expect(report.framesRead == 60 && report.outputs.map(\.framesWritten) == [60, 10])
        }
    }

    @Test func picturesAreScaledAndThinnedOutButNotCoded() throws {
        let pictures = PictureRecording()
        let whole = PictureRecording()
        let report = try Transcoder(
            source: try LoopedPictures(resolution, frameCount: 60),
            outputs: [.pictures(layers[0], whole), .pictures(layers[1], pictures)]
        ).run()
        #expect(report.outputs.map(\.framesWritten) == [60, 10])
        let source = try LoopedPictures(resolution, frameCount: 60)
        var expected: [UInt64] = []
        while case .frame(let frame) = source.next() { expected.append(checksum(frame)) }
        #expect(whole.checksums == expected)
        #expect(pictures.checksums.count == 10 && pictures.isFinished)
    }

    @Test func aSinkThatFailsEndsTheWorkWithItsError() throws {
        struct DiskFull: Error {}
        final class FullDisk: FrameSink {
            func consume(_ frame: VideoFrame) throws { throw DiskFull() }
            func finish() {}
        }
        let other = PictureRecording()
        #expect(throws: DiskFull.self) {
            try Transcoder(
                source: try LoopedPictures(resolution, frameCount: 500),
                outputs: [.pictures(layers[0], FullDisk()), .pictures(layers[1], other)]
            ).run()
        }
        // The other output was finished all the same.
        #expect(other.isFinished)
    }

    @Test func anIVFFileDecodesToTheEncodersOwnPictures() throws {
        let folder = TemporaryFolder()
        let path = folder.path("clip.ivf")
        let coded = CodedRecording()
        let file = try IVFWriter(path: path, codec: .vp8, resolution: resolution)
        let encoder = try SimulcastEncoder(layers: [layers[0]])
        let source = try LoopedPictures(resolution, frameCount: 30)
        while case .frame(let frame) = source.next() {
            try encoder.encode(frame) { frame, payload in
                coded.consume(frame, payload: payload)
                try file.consume(frame, payload: payload)
            }
        }
        try file.finish()

        let pictures = PictureRecording()
        let clip = try Clip.open(path)
        #expect(clip.format.frameRate == 30 && clip.format.frameCount == 30 && clip.format.resolution == resolution)
        _ = try Transcoder(source: clip, outputs: [.pictures(layers[0], pictures)]).run()
        let decoder = try VPXDecoder()
        let expected = try coded.frames(of: .high).map { bytes -> UInt64 in
            guard case .picture(let picture) = try decoder.decode(bytes.span, captureTime: .zero) else { return 0 }
            return checksum(picture)
        }
        #expect(pictures.checksums == expected)
    }

    @Test func aClipThatEndsEarlyIsWrittenThatFarAndSaysSo() throws {
        let folder = TemporaryFolder()
        let path = folder.path("cut.y4m")
        let writer = try Y4MWriter(path: path, resolution: resolution, frameRate: 30)
        let source = try LoopedPictures(resolution, frameCount: 10)
        while case .frame(let frame) = source.next() { try writer.consume(frame) }
        try writer.finish()
        let size = 10 * (resolution.pixelCount * 3 / 2 + 6)
        #expect(unsafe truncate(path, size - 5000) == 0)

        let pictures = PictureRecording()
        let report = try Transcoder(
            source: try Clip.open(path), outputs: [.pictures(layers[0], pictures)]
        ).run()
        #expect(pictures.checksums.count == 9 && report.framesRead == 9)
        #expect(report.sourceFailure is FileError)
    }
}

struct FileInspectionTests {
    @Test func packetsOfALossyLinkAreCounted() throws {
        let folder = TemporaryFolder()
        let path = folder.path("packets.rtpdump")
        let pipeline = try SendPipeline(
            SendSettings(layers: [.high(.vga, bitrate: .kilobits(800)), .low], seed: 3))
        let writer = try RTPDumpWriter(path: path)
        var count = 0
        // Every tenth packet is missing, the 25th comes twice, the 33rd after the 34th.
        var held: [UInt8]?
        let packets = PacketTap { packet, time in
            guard PacketKind(of: packet) == .rtp, let header = try? RTPPacket(parsing: packet).header,
                header.ssrc == pipeline.layers[0].ssrc
            else { return writer.send(packet, at: time) }
            count += 1
            if count % 10 == 0 { return }
            if count == 33 {
                held = Array(copying: packet)
                return
            }
            writer.send(packet, at: time)
            if count == 25 { writer.send(packet, at: time) }
            if count == 34, let held { writer.send(held.span, at: time) }
        }
        let source = try LoopedPictures(.vga, frameCount: 60)
        while case .frame(let frame) = source.next() {
            try pipeline.send(frame, at: frame.captureTime, to: packets)
            pipeline.sendReports(at: frame.captureTime, to: packets)
        }
        try writer.finish()

        let inspection = try FileInspection(of: path)
        #expect(inspection.format == "rtpDump" && inspection.damage == nil && inspection.streams.count == 2)
        let high = try #require(inspection.streams.first { $0.ssrc == pipeline.layers[0].ssrc.description })
        let low = try #require(inspection.streams.first { $0.ssrc == pipeline.layers[1].ssrc.description })
        // The last one missing shows only if another came after it.
        let missing = count % 10 == 0 ? count / 10 - 1 : count / 10
        #expect(high.packets?.lost == missing)
        #expect(high.packets?.duplicated == 1 && high.packets?.reordered == 1)
        #expect(high.packets?.count == count - count / 10 + 1)
        #expect(high.packets?.rtcp == 2)
        #expect(low.frames == 10 && low.keyFrames == 1 && low.packets?.lost == 0)
        #expect(low.resolution == "160x120" && low.codec == "VP8")
        #expect(abs((low.frameRate ?? 0) - 5) < 0.1)
    }

    @Test func aForeignFileIsRefusedByName() throws {
        let folder = TemporaryFolder()
        let path = folder.path("x.bin")
        try PNGWriter.write(TestPictures(.qqvga).picture(0), to: path)
        #expect(throws: FileError.self) { try FileInspection(of: path) }
    }

    @Test func aDumpMayHoldAsManySourcesAsPackets() throws {
        let folder = TemporaryFolder()
        let path = folder.path("sources.rtpdump")
        let writer = try RTPDumpWriter(path: path)
        for source in 1...UInt8(200) {
            let packet: [UInt8] = [0x80, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, source, 0x10, 0x00]
            writer.send(packet.span, at: .zero)
            writer.send(packet.span, at: .zero)
        }
        // An RTP packet whose header extension is cut off: neither RTP of the stream nor RTCP.
        let cut: [UInt8] = [0x90, 96, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0xBE]
        writer.send(cut.span, at: .zero)
        try writer.finish()

        let inspection = try FileInspection(of: path)
        #expect(inspection.streams.map(\.ssrc) == (1...200).map { SSRC(UInt32($0)).description })
        #expect(inspection.streams.allSatisfy { $0.packets?.count == 2 && $0.packets?.duplicated == 1 })
        #expect(inspection.streams.allSatisfy { $0.packets?.rtcp == 0 })
    }
}

struct SendTapsTests {
    @Test func everySinkIsFinishedThoughOneFails() throws {
        struct DiskFull: Error {}
        final class FullDisk: FrameSink {
            func consume(_ frame: VideoFrame) {}
            func finish() throws { throw DiskFull() }
        }
        let preview = PictureRecording()
        let pipeline = try SendPipeline(
            SendSettings(layers: [.low], seed: 1), taps: SendTaps(captured: FullDisk(), preprocessed: preview))
        #expect(throws: DiskFull.self) { try pipeline.finish() }
        #expect(preview.isFinished)
    }
}
