import RillCore
import RillTestSupport
import Testing

@testable import RillFiles

/// Other programs as judges: what they write we read, what we write they read, to the byte.
@Suite struct FilePeerTests {
    let folder = TemporaryFolder()

    private func clip(_ resolution: Resolution, frames count: Int = 10) throws -> (path: String, frames: [[UInt8]]) {
        let path = folder.path("clip.y4m")
        let frames = try noiseFrames(count, resolution)
        let writer = try Y4MWriter(path: path, resolution: resolution, frameRate: FrameRate(30000, per: 1001))
        for frame in frames { try writer.consume(frame) }
        try writer.finish()
        return (path, frames.map(samples(of:)))
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"), arguments: interestingSizes)
    func `FFmpeg reads and writes our clips`(resolution: Resolution) throws {
        let (path, frames) = try clip(resolution)
        let raw = try Peer.ffmpeg.run("-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "yuv420p", "-")
        #expect(raw == frames.flatMap(\.self))

        let copy = folder.path("copy.y4m")
        try Peer.ffmpeg.run("-v", "error", "-i", path, "-f", "yuv4mpegpipe", copy)
        let reader = try Y4MReader(path: copy)
        #expect(reader.header.frameRate == FrameRate(30000, per: 1001))
        #expect(reader.format.frameCount == frames.count)
        #expect(Playback(of: reader).frames == frames)
    }

    @Test(
        .enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"),
        arguments: [("yuv422p", "422"), ("yuv444p", "444"), ("gray", "mono"), ("yuv420p10", "420p10")])
    func `FFmpeg's other formats are refused by name`(pixelFormat: String, name: String) throws {
        let path = folder.path("other.y4m")
        try Peer.ffmpeg.run(
            "-v", "error", "-f", "lavfi", "-i", "testsrc=size=32x32:rate=5:duration=1", "-pix_fmt", pixelFormat,
            "-strict", "-1", path)
        #expect(throws: FileError.unsupportedFormat(path: path, format: "Y4M of color format \"\(name)\"")) {
            try Y4MReader(path: path)
        }
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"), arguments: ["pc", "tv"])
    func `FFmpeg's color range is understood`(range: String) throws {
        let path = folder.path("range.y4m")
        try Peer.ffmpeg.run(
            "-v", "error", "-f", "lavfi", "-i", "testsrc=size=32x32:rate=5:duration=1,format=yuv420p", "-color_range",
            range, path)
        #expect(try Y4MReader(path: path).header.range == (range == "pc" ? .full : .limited))
    }

    @Test(
        .enabled(if: Peer.vpxenc.isInstalled && Peer.vpxdec.isInstalled, "vpxenc and vpxdec are not installed"),
        arguments: [VideoCodec.vp8, .vp9])
    func `vpxenc's files are read and written to the byte`(codec: VideoCodec) throws {
        let (path, frames) = try clip(Resolution(width: 177, height: 145))
        let (theirs, ours) = (folder.path("theirs.ivf"), folder.path("ours.ivf"))
        try Peer.vpxenc.run("--codec=\(codec.rawValue.lowercased())", "--ivf", "--rt", "-o", theirs, path)
        let reader = try IVFReader(path: theirs)
        #expect(reader.header.codec == codec)
        #expect(reader.header.resolution == Resolution(width: 177, height: 145))
        #expect(reader.header.frameCount == frames.count)

        let writer = try IVFWriter(
            path: ours, codec: codec, resolution: Resolution(width: 177, height: 145), timeBase: reader.header.timeBase)
        var payload: [UInt8] = []
        var number: Int64 = 0
        while let frame = try reader.next(into: &payload) {
            let encoded = EncodedFrame(
                codec: codec, layer: StreamLayer(rid: .high), number: number, references: FrameReferences(),
                isKey: number == 0, resolution: Resolution(width: 177, height: 145), captureTime: frame.time,
                byteCount: payload.count)
            try writer.consume(encoded, payload: payload.span)
            number += 1
        }
        try writer.finish()
        #expect(try read(ours) == read(theirs))

        let decoded = folder.path("decoded.y4m")
        try Peer.vpxdec.run("-o", decoded, ours)
        let playback = Playback(of: try Y4MReader(path: decoded))
        #expect(playback.error == nil)
        #expect(playback.frames.flatMap(\.self) == (try Peer.vpxdec.run("--i420", "-o", "-", theirs)))
        #expect(playback.frames.count == frames.count)
    }
}
