import Rill
import RillCore
import RillFiles
import RillMediaSupport
import RillRTP
import RillTestSupport
import Testing

@testable import RillLab

struct FileInspectionTests {
    @Test func `Packets of a lossy link are counted`() throws {
        let folder = TemporaryFolder()
        let path = folder.path("packets.rtpdump")
        let sender = try PacketSender(
            SendSettings(layers: [.high(.vga, bitrate: .kilobits(800)), .low], seed: 3))
        let writer = try RTPDumpWriter(path: path)
        var count = 0
        // Every tenth packet is missing, the 25th comes twice, the 33rd after the 34th.
        var held: [UInt8]?
        let packets = PacketTap { packet, time in
            guard PacketKind(of: packet) == .rtp, let header = try? RTPPacket(parsing: packet).header,
                header.ssrc == sender.ssrc(of: .high)
            else { return writer.send(packet, at: time) }
            count += 1
            if count % 10 == 0 { return }
            if count == 33 {
                held = packet.array
                return
            }
            writer.send(packet, at: time)
            if count == 25 { writer.send(packet, at: time) }
            if count == 34, let held { writer.send(held.span, at: time) }
        }
        let source = try LoopedPictures(.vga, frameCount: 60)
        while case .frame(let frame) = source.next() {
            try sender.send(frame, at: frame.captureTime, to: packets)
            sender.sendReports(at: frame.captureTime, to: packets)
        }
        try writer.finish()

        let inspection = try FileInspection(of: path)
        #expect(inspection.format == "rtpDump" && inspection.damage == nil && inspection.streams.count == 2)
        let high = try #require(inspection.streams.first { $0.ssrc == sender.ssrc(of: .high).description })
        let low = try #require(inspection.streams.first { $0.ssrc == sender.ssrc(of: .low).description })
        // The last one missing shows only if another came after it.
        let missing = count % 10 == 0 ? count / 10 - 1 : count / 10
        #expect(high.packets?.lost == missing)
        #expect(high.packets?.duplicated == 1 && high.packets?.reordered == 1)
        #expect(high.packets?.count == count - count / 10 + 1)
        #expect(high.packets?.rtcp == 3)
        #expect(low.frames == 10 && low.keyFrames == 1 && low.packets?.lost == 0)
        #expect(low.resolution == "160x120" && low.codec == "VP8")
        #expect(abs((low.frameRate ?? 0) - 5) < 0.1)
    }

    /// vpxenc writes VP8's alternate references as frames of their own, and VP9's with the next frame.
    @Test(
        .enabled(if: Peer.vpxenc.isInstalled && Peer.ffmpeg.isInstalled, "vpxenc or ffmpeg is not installed"),
        arguments: [VideoCodec.vp8, .vp9])
    func `Hidden frames are counted apart`(codec: VideoCodec) throws {
        let folder = TemporaryFolder()
        let (pictures, path) = (folder.path("pictures.y4m"), folder.path("hidden.ivf"))
        try Peer.ffmpeg.run(
            "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=30:duration=5", "-pix_fmt", "yuv420p",
            pictures)
        try Peer.vpxenc.run(
            "--codec=\(codec.rawValue.lowercased())", "--ivf", "--passes=2", "--auto-alt-ref=1", "--lag-in-frames=25",
            "--cpu-used=4", "--target-bitrate=100", "-o", path, pictures)
        let stream = try #require(try FileInspection(of: path).streams.first)
        #expect(stream.frames == 150 && (stream.hiddenFrames ?? 0 > 0) == (codec == .vp8))
        #expect(abs(stream.duration - 5) < 0.001 && abs((stream.frameRate ?? 0) - 30) < 0.01)

        // The same with one timestamp: no rate follows from it.
        var bytes = try read(path)
        var position = 32
        while position < bytes.count {
            let count = (0..<4).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
            for offset in 4..<12 { bytes[position + offset] = offset == 4 ? 7 : 0 }
            position += 12 + count
        }
        let equal = folder.path("equal.ivf")
        try write(bytes, to: equal)
        let still = try #require(try FileInspection(of: equal).streams.first)
        #expect(still.frames == 150 && still.duration == 0 && still.frameRate == nil && still.bitrate == nil)
    }

    @Test func `A foreign file is refused by name`() throws {
        let folder = TemporaryFolder()
        let path = folder.path("x.bin")
        try PNGWriter.write(TestPictures(.qqvga).picture(0), to: path)
        #expect(throws: FileError.self) { try FileInspection(of: path) }
    }

    @Test func `A dump may hold as many sources as packets`() throws {
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
