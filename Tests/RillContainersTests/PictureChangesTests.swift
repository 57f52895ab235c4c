import Foundation
import RillContainers
import RillCore
import RillFiles
import RillTestSupport
import Testing

/// Content other than 8-bit 4:2:0 in limited range, and its conversion.
@Suite(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
struct PictureChangesTests {
    private let folder = TemporaryFolder()

    private func clip(_ name: String, _ options: [String], size: String = "128x96") throws -> String {
        let path = folder.path(name)
        try Peer.ffmpeg.run(
            ["-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=\(size):rate=10:duration=0.3"] + options + [path])
        return path
    }

    @Test(
        arguments: [
            ("a.mkv", ["-c:v", "ffv1", "-pix_fmt", "yuv420p"], []),
            ("b.mkv", ["-c:v", "ffv1", "-pix_fmt", "yuv422p10le"], ["10 bits to 8", "4:2:2 to 4:2:0"]),
            ("c.mkv", ["-c:v", "ffv1", "-pix_fmt", "yuva444p"], ["4:4:4 to 4:2:0", "alpha dropped"]),
            ("d.mkv", ["-c:v", "ffv1", "-pix_fmt", "gray"], ["grey to 4:2:0", "full to limited range"]),
            ("e.avi", ["-c:v", "rawvideo", "-pix_fmt", "bgr24"], ["RGB to BT.601"]),
            ("f.gif", [], ["RGB to BT.601", "alpha dropped"]),
            ("g.mov", ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p"], []),
            ("i.webm", ["-c:v", "libvpx", "-pix_fmt", "yuva420p", "-auto-alt-ref", "0"], ["alpha dropped"]),
            ("j.webm", ["-c:v", "libvpx-vp9", "-pix_fmt", "yuva420p"], ["alpha dropped"]),
            (
                "h.mkv",
                ["-c:v", "ffv1", "-pix_fmt", "yuv420p10le", "-colorspace", "bt2020nc", "-color_trc", "smpte2084"],
                ["10 bits to 8", "BT.2020 to BT.709 (the matrix)"]
            ),
        ] as [(String, [String], [String])])
    func `Changes of the pictures are reported`(name: String, options: [String], changes: [String]) throws {
        let source = try ContainerSource(path: clip(name, options))
        #expect(source.changes == changes)
        // Full range stays where nothing is converted, and is marked: the user of the pictures converts them.
        let range: ColorSpace.Range = name == "g.mov" ? .full : .limited
        #expect(source.colorSpace == ColorSpace(matrix: name == "h.mkv" ? .bt709 : .bt601, range: range))
        guard case .frame(let frame) = try source.next() else { throw TestFailure("no frame") }
        #expect(frame.colorSpace == source.colorSpace)
    }

    @Test func `Rotation and sound are reported, too`() throws {
        let lying = try clip(
            "lying.mp4",
            ["-f", "lavfi", "-i", "sine=duration=0.3", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-aspect", "2:1"])
        let path = folder.path("turned.mp4")
        // FFmpeg counts the other way round here.
        try Peer.ffmpeg.run("-v", "error", "-i", lying, "-c", "copy", "-metadata:s:v", "rotate=90", path)
        let source = try ContainerSource(path: path)
        #expect(source.changes == ["rotated by 270 degrees"])
        #expect(source.audioCodecNames == ["aac"])
        #expect(source.pixelAspect == PixelAspect(width: 2, height: 3))
    }

    @Test(arguments: ["yuv420p", "yuv422p10le"])
    func `BT.2020 is converted as by FFmpeg`(format: String) throws {
        let path = try clip(
            "wide.mkv", ["-c:v", "ffv1", "-pix_fmt", format, "-colorspace", "bt2020nc", "-color_range", "tv"])
        let ours = try samples(path)
        let reference = try Peer.ffmpeg.run(
            "-v", "error", "-i", path, "-vf",
            "scale=in_color_matrix=bt2020:out_color_matrix=bt709:flags=bicubic+accurate_rnd+full_chroma_inp+bitexact",
            "-pix_fmt", "yuv420p", "-fps_mode", "passthrough", "-f", "rawvideo", "-")
        #expect(ours.count == reference.count)
        // The steps over RGB round in another place: at most by a few codes.
        let worst = zip(ours, reference).map { abs(Int($0) - Int($1)) }.max() ?? 255
        #expect(worst <= 2, "\(worst)")
        // And it is not left as it was.
        let plain = try clip(
            "plain.mkv", ["-c:v", "ffv1", "-pix_fmt", format, "-colorspace", "bt709", "-color_range", "tv"])
        #expect(try samples(plain) != ours)
    }

    private func samples(_ path: String) throws -> [UInt8] {
        let source = try ContainerSource(path: path)
        var samples: [UInt8] = []
        while case .frame(let frame) = try source.next() { samples += frame.samples }
        return samples
    }

    @Test func `HD pictures without a matrix are BT.709`() throws {
        let big = try ContainerSource(path: clip("big.mkv", ["-c:v", "ffv1", "-pix_fmt", "yuv420p"], size: "1280x720"))
        #expect(big.colorSpace == .bt709)
        guard case .frame(let frame) = try big.next() else { throw TestFailure("no frame") }
        #expect(frame.colorSpace == .bt709)
    }

    @Test(arguments: ["frame%03d.png", "*.png"])
    func `Pictures in separate files are a clip`(pattern: String) throws {
        let whole = try clip("whole.mkv", ["-c:v", "ffv1", "-pix_fmt", "yuv420p"])
        try Peer.ffmpeg.run("-v", "error", "-i", whole, folder.path("frame%03d.png"))
        let source = try ContainerSource(path: folder.path(pattern))
        let times = try ShownFrame.all(of: source).map(\.time.nanoseconds)
        #expect(times.count == 3 && source.codecName == "png" && source.format.frameRate == 30)
        #expect(times[2] - times[0] > 66_000_000 && times[2] - times[0] < 67_000_000)
        let clip = try ContainerClip(path: folder.path(pattern))
        #expect(try ShownFrame.all(of: clip.open(frames: 1..<3)).map(\.time.nanoseconds) == Array(times.suffix(2)))
    }

    @Test func `A path that is not a file is rejected with a hint`() throws {
        let folder = folder.path("")
        #expect(throws: ContainerError.notAFile(path: folder, kind: .folder)) { try ContainerSource(path: folder) }
        let pipe = self.folder.path("pipe.mp4")
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        #expect(throws: ContainerError.notAFile(path: pipe, kind: .endless)) { try ContainerSource(path: pipe) }
        let zero = self.folder.path("zero.mkv")
        try FileManager.default.createSymbolicLink(atPath: zero, withDestinationPath: "/dev/zero")
        #expect(throws: ContainerError.notAFile(path: zero, kind: .endless)) { try ContainerSource(path: zero) }
        #expect(ContainerError.notAFile(path: "a", kind: .folder).description.contains("a/*.png"))
    }

    @Test func `A truncated end is reported`() throws {
        let path = folder.path("whole.webm")
        try Peer.ffmpeg.run(
            "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10:duration=5", "-c:v", "libvpx", "-g", "5",
            path)
        let whole = try ContainerSource(path: path)
        #expect(try ShownFrame.all(of: whole).count == 50)
        #expect(whole.missingDuration == nil)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let cut = folder.path("cut.webm")
        try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: cut))
        let part = try ContainerSource(path: cut)
        _ = try part.next()
        #expect(part.missingDuration == nil, "nothing is known before the end")
        let count = try 1 + ShownFrame.all(of: part).count
        let missing = try #require(part.missingDuration)
        #expect(abs(missing.seconds - (5 - Double(count) / 10)) < 0.01, "\(count), \(missing)")
    }

    @Test func `A wrong file name extension does not matter`() throws {
        let path = try clip("real.mkv", ["-c:v", "libx264"])
        let renamed = self.folder.path("renamed.avi")
        try FileManager.default.moveItem(atPath: path, toPath: renamed)
        #expect(try ShownFrame.all(of: ContainerSource(path: renamed)).count == 3)
    }
}
