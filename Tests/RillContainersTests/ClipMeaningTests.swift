import RillContainers
import RillCore
import RillFiles
import RillRTP
import RillTestSupport
import Testing

/// What a file means besides its samples: which way up, the shape of pixels, colors, the right track, its last moment.
@Suite(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
struct ClipMeaningTests {
    private let folder = TemporaryFolder()

    private func clip(_ name: String, _ options: [String], scene: String = "testsrc2=size=64x48:rate=10:duration=0.3")
        throws -> String
    {
        let path = folder.path(name)
        try Peer.ffmpeg.run(["-v", "error", "-y", "-f", "lavfi", "-i", scene] + options + [path])
        return path
    }

    private func copy(_ source: String, _ name: String, _ options: String...) throws -> String {
        let path = folder.path(name)
        try Peer.ffmpeg.run(["-v", "error", "-y", "-i", source, "-c", "copy"] + options + [path])
        return path
    }

    private func samples(_ path: String) throws -> [UInt8] {
        let source = try ContainerSource(path: path)
        var samples: [UInt8] = []
        while case .frame(let frame) = try source.next() { samples += frame.samples }
        return samples
    }

    private func reference(_ path: String, input: [String] = [], _ options: String...) throws -> [UInt8] {
        try Peer.ffmpeg.run(
            ["-v", "error"] + input + ["-i", path, "-map", "0:0", "-pix_fmt", "yuv420p", "-fps_mode", "passthrough"]
                + options
                + ["-f", "rawvideo", "-"])
    }

    /// The eight of ISO/IEC 14496-12, 6.2.2: a point (x, y) is shown at (ax + cy, bx + dy).
    @Test(
        arguments: [
            ([1, 0, 0, 1], []), ([0, 1, -1, 0], ["rotated by 90 degrees"]),
            ([-1, 0, 0, -1], ["rotated by 180 degrees"]),
            ([0, -1, 1, 0], ["rotated by 270 degrees"]), ([-1, 0, 0, 1], ["mirrored"]),
            ([1, 0, 0, -1], ["rotated by 180 degrees and mirrored"]),
            ([0, 1, 1, 0], ["rotated by 90 degrees and mirrored"]),
            ([0, -1, -1, 0], ["rotated by 270 degrees and mirrored"]),
        ] as [([Int32], [String])])
    func `Every orientation of a display matrix is shown upright`(matrix: [Int32], changes: [String]) throws {
        let lying = try clip("lying.mp4", ["-c:v", "libx264", "-qp", "20", "-pix_fmt", "yuv420p"])
        var bytes = try read(lying)
        let header = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("tkhd".utf8)) })
        let numbers = [matrix[0] << 16, matrix[1] << 16, 0, matrix[2] << 16, matrix[3] << 16, 0, 0, 0, 1 << 30]
        for (index, number) in numbers.enumerated() {
            for byte in 0..<4 {
                bytes[header + 44 + 4 * index + byte] = UInt8(truncatingIfNeeded: number >> Int32(24 - 8 * byte))
            }
        }
        let path = folder.path("turned.mp4")
        try write(bytes, to: path)
        let source = try ContainerSource(path: path)
        #expect(source.changes == changes)
        #expect(source.format.resolution.width == (matrix[0] == 0 ? 48 : 64))
        let isEqual = try samples(path) == reference(path)
        #expect(isEqual)
    }

    /// The message turns anticlockwise, after the flips (ITU-T H.264, D.2.27).
    @Test(arguments: [
        (0, "horizontal", "hflip"), (90, "", "transpose=cclock"), (90, "vertical", "transpose=clock_flip"),
        (180, "", "hflip,vflip"), (270, "horizontal", "transpose=clock_flip"),
    ])
    func `So is that of the message in H.264`(angle: Int, flip: String, filter: String) throws {
        let lying = try clip("lying.mp4", ["-c:v", "libx264", "-qp", "20", "-pix_fmt", "yuv420p"])
        let message = "rotate=\(angle)" + (flip.isEmpty ? "" : ":flip=\(flip)")
        let path = try copy(
            lying, "turned.h264", "-bsf:v", "h264_mp4toannexb,h264_metadata=display_orientation=insert:\(message)")
        #expect(try ContainerSource(path: path).changes.count == 1)
        let isEqual = try samples(path) == reference(path, input: ["-noautorotate"], "-vf", filter)
        #expect(isEqual)
    }

    @Test(
        arguments: [
            ("a.ts", ["-vf", "setsar=16/11", "-c:v", "libx264"], PixelAspect(width: 16, height: 11)),
            ("b.h264", ["-vf", "setsar=16/11", "-c:v", "libx264"], PixelAspect(width: 16, height: 11)),
            ("c.flv", ["-vf", "setsar=16/11", "-c:v", "libx264"], PixelAspect(width: 16, height: 11)),
            ("d.3gp", ["-vf", "scale=176:144,setsar=12/11", "-c:v", "h263"], PixelAspect(width: 12, height: 11)),
            ("e.mkv", ["-vf", "setsar=16/11", "-c:v", "ffv1"], PixelAspect(width: 16, height: 11)),
            ("f.mkv", ["-c:v", "ffv1"], .square),
        ] as [(String, [String], PixelAspect)])
    func `Pixels have their shape, also where only the bitstream says it`(
        name: String, options: [String], aspect: PixelAspect
    ) throws {
        #expect(try ContainerSource(path: clip(name, options + ["-pix_fmt", "yuv420p"])).pixelAspect == aspect)
    }

    @Test(arguments: [
        ("bt2020nc", 9, "smpte2084", 16, "bt2020", 9), ("bt2020nc", 9, "arib-std-b67", 18, "bt2020", 9),
        ("smpte240m", 7, "smpte240m", 7, "smpte240m", 7), ("smpte170m", 6, "gamma28", 5, "bt470bg", 5),
        ("bt709", 1, "bt709", 1, "bt709", 1),
    ])
    func `Colors come out of a WebM again`(
        matrix: String, _: Int, transfer: String, transferNumber: UInt8, primaries: String, primariesNumber: UInt8
    ) throws {
        let path = try clip(
            "a.mkv",
            [
                "-c:v", "ffv1", "-pix_fmt", "yuv420p10le", "-colorspace", matrix, "-color_trc", transfer,
                "-color_primaries", primaries,
            ])
        let source = try ContainerSource(path: path)
        #expect(source.colors.transfer == transferNumber && source.colors.primaries == primariesNumber)
        let isConverted = ["bt2020nc", "smpte240m"].contains(matrix)
        #expect(source.colors.matrix == (isConverted || matrix == "bt709" ? 1 : 6))
        let coded = try CodedClip(.vp8, count: 2, in: folder)
        var video = coded.video
        video.colorSpace.matrix = source.colorSpace.matrix
        video.colors = source.colors
        let written = folder.path("a.webm")
        try coded.write(to: ContainerWriter(path: written, format: .webm, video: video))
        #expect(
            try FFmpegReport.rows(written, "stream=color_space,color_transfer,color_primaries")
                == ["\(isConverted ? "bt709" : matrix),\(transfer == "gamma28" ? "bt470bg" : transfer),\(primaries)"])
    }

    @Test(arguments: [("ycgco", 8), ("ictcp", 14), ("bt2020c", 10)])
    func `A matrix that cannot be converted is rejected by name`(matrix: String, number: Int) throws {
        let path = try clip("a.mkv", ["-c:v", "ffv1", "-pix_fmt", "yuv444p", "-colorspace", matrix])
        #expect(throws: ContainerError.unsupportedMatrix(path: path, number: number)) {
            try ContainerSource(path: path)
        }
    }

    @Test func `The alpha of an AVIF sequence is not taken for its pictures`() throws {
        let path = folder.path("alpha.avif")
        let scene = "testsrc2=size=64x48:rate=10:duration=0.3"
        try Peer.ffmpeg.run(
            "-v", "error", "-f", "lavfi", "-i", scene, "-f", "lavfi", "-i", scene + ",format=gray", "-map", "0", "-map",
            "1",
            "-c:v", "libaom-av1", "-cpu-used", "8", "-usage", "realtime", "-pix_fmt:0", "yuv420p", path)
        let source = try ContainerSource(path: path)
        #expect(source.changes == ["alpha dropped"] && source.unusedContent.isEmpty)
        let isEqual = try samples(path) == reference(path)
        #expect(isEqual)
    }

    /// A superframe with a shown frame for each layer: libavcodec's decoder puts out each of them.
    @Test func `Spatial layers of VP9 are one picture`() throws {
        let layers = try [32, 64].map { width in
            let path = try clip(
                "\(width).ivf",
                ["-c:v", "libvpx-vp9", "-g", "1", "-lag-in-frames", "0", "-pix_fmt", "yuv420p"],
                scene: "testsrc2=size=\(width)x\(width):rate=10:duration=0.5")
            let reader = try IVFReader(path: path)
            var (frames, payload): ([[UInt8]], [UInt8]) = ([], [])
            while try reader.next(into: &payload) != nil { frames.append(payload) }
            return frames
        }
        let path = folder.path("layers.ivf")
        let writer = try IVFWriter(path: path, codec: .vp9, resolution: Resolution(width: 64, height: 64))
        for (index, pair) in zip(layers[0], layers[1]).enumerated() {
            let sizes = [pair.0.count, pair.1.count]
            let tail = [UInt8](capacity: 34) { VP9Superframe.writeIndex(sizes: sizes.span, into: &$0) }
            let payload = pair.0 + pair.1 + tail
            let frame = EncodedFrame(
                codec: .vp9, layer: StreamLayer(rid: .high), number: Int64(index), references: FrameReferences(),
                isKey: true, resolution: Resolution(width: 64, height: 64),
                captureTime: .zero + .milliseconds(100 * index), byteCount: payload.count)
            try writer.consume(frame, payload: payload.span)
        }
        try writer.finish()
        let container = try copy(path, "layers.webm")
        let frames = try ShownFrame.all(of: ContainerSource(path: container))
        #expect(frames.count == layers[1].count)
        #expect(frames.allSatisfy { $0.resolution == Resolution(width: 64, height: 64) })
        // As the upper layer alone.
        let alone = try ShownFrame.all(of: ContainerSource(path: folder.path("64.ivf")))
        #expect(frames.map(\.checksum) == alone.map(\.checksum))
    }

    @Test func `The last picture of a GIF has its own duration`() throws {
        let path = try clip("a.gif", ["-vf", "setpts='if(lt(N,2),N,5)/TB/10'", "-final_delay", "150"])
        let source = try ContainerSource(path: path)
        let frames = try ShownFrame.all(of: source)
        let last = try #require(frames.last)
        #expect(source.endTime == last.time + .milliseconds(1500))
        #expect(source.missingDuration == nil)
    }

    @Test func `Content that is neither picture nor sound is named`() throws {
        let (subtitles, chapters) = (folder.path("a.srt"), folder.path("a.txt"))
        try write(Array("1\n00:00:00,000 --> 00:00:01,000\nHello\n".utf8), to: subtitles)
        try write(
            Array(";FFMETADATA1\ntitle=T\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=100\n".utf8), to: chapters)
        let plain = try clip("plain.mkv", ["-c:v", "ffv1"])
        let path = folder.path("all.mkv")
        try Peer.ffmpeg.run(
            "-v", "error", "-i", plain, "-i", plain, "-i", subtitles, "-i", chapters, "-map", "0", "-map", "1", "-map",
            "2",
            "-map_metadata", "3", "-map_chapters", "3", "-c", "copy", path)
        #expect(
            try ContainerSource(path: path).unusedContent
                == ["a further video track (ffv1)", "subtitles (subrip)", "a chapter", "tags (title)"])
        #expect(try ContainerSource(path: plain).unusedContent.isEmpty)
    }
}
