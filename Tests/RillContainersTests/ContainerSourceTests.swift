import Foundation
import RillContainers
import RillCore
import RillTestSupport
import Testing

/// Clips that FFmpeg has made, read by us: the same pictures as it has of them, at the times that it gave them.
@Suite(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
struct ContainerSourceTests {
    private let folder = TemporaryFolder()

    /// A clip of ten frames in a second, made with options of FFmpeg for the output.
    private func clip(_ name: String, _ options: String...) throws -> String {
        let path = folder.path(name)
        try Peer.ffmpeg.run(
            ["-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=128x96:rate=10:duration=1"] + options
                + ["-bitexact", path])
        return path
    }

    /// All pictures of a source.
    private func frames(_ source: ContainerSource) throws -> [(time: MediaTime, samples: [UInt8])] {
        var frames: [(MediaTime, [UInt8])] = []
        while true {
            switch try source.next() {
            case .frame(let frame): frames.append((frame.captureTime, frame.samples))
            case .noBuffer, .pending: throw TestFailure("a file has its pictures at once, and nobody holds any")
            case .end: return frames
            }
        }
    }

    /// FFmpeg's own pictures of a file, in the form that ours have.
    private func reference(_ path: String, range: String = "limited") throws -> [UInt8] {
        try Peer.ffmpeg.run(
            "-v", "error", "-i", path, "-vf",
            "scale=out_range=\(range):flags=bicubic+accurate_rnd+full_chroma_inp+bitexact", "-pix_fmt", "yuv420p",
            "-fps_mode", "passthrough", "-f", "rawvideo", "-")
    }

    @Test(arguments: [
        ("a.mp4", ["-c:v", "libx264", "-pix_fmt", "yuv420p"], "h264", "yuv420p"),
        ("a.mkv", ["-c:v", "libx264", "-bf", "3", "-pix_fmt", "yuv422p10le"], "h264", "yuv422p10le"),
        ("a.webm", ["-c:v", "libvpx-vp9", "-pix_fmt", "yuv444p", "-deadline", "realtime"], "vp9", "yuv444p"),
        ("a.mov", ["-c:v", "mjpeg", "-pix_fmt", "yuvj422p"], "mjpeg", "yuv422p"),
        ("a.avi", ["-c:v", "mpeg4"], "mpeg4", "yuv420p"),
        ("a.ts", ["-c:v", "mpeg2video"], "mpeg2video", "yuv420p"),
        ("a.gif", [], "gif", "bgra"),
        ("b.mkv", ["-c:v", "ffv1", "-pix_fmt", "yuva420p"], "ffv1", "yuva420p"),
        ("b.avi", ["-c:v", "rawvideo", "-pix_fmt", "bgr24"], "rawvideo", "bgr24"),
    ])
    func `Every container and codec gives the pictures that FFmpeg has of it`(
        name: String, options: [String], codec: String, pictureFormat: String
    ) throws {
        let path = folder.path(name)
        try Peer.ffmpeg.run(
            ["-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=98x74:rate=10:duration=1"] + options + [path])
        let source = try ContainerSource(path: path)
        #expect(source.format.resolution == Resolution(width: 98, height: 74))
        #expect(source.codecName == codec && source.pictureFormat == pictureFormat)
        let ours = try frames(source)
        #expect(ours.count == 10 && source.packetsRejected == 0)
        #expect(ours.flatMap(\.samples) == (try reference(path)), "\(name)")
        for index in 1..<ours.count {
            let step = ours[index].time - ours[index - 1].time
            #expect(abs(step.seconds - 0.1) < 0.002, "\(name), frame \(index): \(step)")
        }
    }

    @Test func `Frames of full range stay unchanged and are marked`() throws {
        let path = try clip("full.mkv", "-c:v", "libx264", "-pix_fmt", "yuvj420p")
        #expect(try frames(try ContainerSource(path: path)).flatMap(\.samples) == (try reference(path, range: "full")))
        guard case .frame(let frame) = try ContainerSource(path: path).next() else {
            throw TestFailure("\(path) has no picture")
        }
        #expect(frame.colorSpace.range == .full)
    }

    @Test func `Odd sizes are read`() throws {
        let path = try clip(
            "odd.mkv", "-vf", "format=yuv444p,crop=97:51", "-c:v", "ffv1", "-pix_fmt", "yuv420p")
        let source = try ContainerSource(path: path)
        #expect(source.format.resolution == Resolution(width: 97, height: 51))
        #expect(try frames(source).flatMap(\.samples) == (try reference(path)))
    }

    /// Frame n at n * n * 10 ms.
    @Test(arguments: ["uneven.mkv", "uneven.mp4"])
    func `Variable times are those of the container`(name: String) throws {
        let path = try clip(
            name, "-vf", "settb=1/1000,setpts=N*N*10", "-fps_mode", "passthrough", "-enc_time_base", "1:1000", "-c:v",
            "libx264", "-bf", "2")
        let times = try frames(try ContainerSource(path: path)).map(\.time)
        #expect(times.count == 10)
        for (index, time) in times.enumerated() {
            #expect(
                abs((time - MediaTime.zero).seconds - Double(index * index) / 100) < 0.0011, "frame \(index): \(time)")
        }
    }

    @Test(arguments: [90, 180, 270])
    func `Pictures are rotated upright as the container specifies`(degrees: Int) throws {
        let lying = try clip("lying.mp4", "-c:v", "libx264", "-pix_fmt", "yuv420p")
        let path = folder.path("turned.mp4")
        // FFmpeg counts the other way round here.
        try Peer.ffmpeg.run(
            "-v", "error", "-y", "-i", lying, "-c", "copy", "-metadata:s:v", "rotate=\(degrees)", path)
        let source = try ContainerSource(path: path)
        let isOnItsSide = degrees != 180
        #expect(
            source.format.resolution
                == (isOnItsSide ? Resolution(width: 96, height: 128) : Resolution(width: 128, height: 96)))
        #expect(try frames(source).flatMap(\.samples) == (try reference(path)))
    }

    @Test func `A file that is not a clip is rejected with its reason`() throws {
        func error(_ path: String) -> ContainerError? {
            do throws(ContainerError) {
                _ = try ContainerSource(path: path)
                return nil
            } catch { return error }
        }
        func isCannotOpen(_ error: ContainerError?) -> Bool { if case .cannotOpen = error { true } else { false } }
        #expect(isCannotOpen(error(folder.path("none.mp4"))))
        let empty = folder.path("empty.mp4")
        try Data().write(to: URL(fileURLWithPath: empty))
        #expect(isCannotOpen(error(empty)))
        let text = folder.path("text.mov")
        try Data("no clip at all".utf8).write(to: URL(fileURLWithPath: text))
        #expect(isCannotOpen(error(text)))
        let sound = folder.path("sound.mp4")
        try Peer.ffmpeg.run("-v", "error", "-f", "lavfi", "-i", "sine=duration=0.2", sound)
        #expect(error(sound) == .noVideo(path: sound))
    }

    /// Other files, and what is on the network, are none of a clip's business.
    @Test func `A playlist does not lead elsewhere`() throws {
        let path = folder.path("list.m3u8")
        let list = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n"
        try Data(list.utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: ContainerError.self) { try ContainerSource(path: path) }
    }

    @Test func `The start of a truncated file is read`() throws {
        let path = try clip("whole.mkv", "-c:v", "libx264", "-g", "1", "-pix_fmt", "yuv420p")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let cut = folder.path("cut.mkv")
        try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: cut))
        let whole = try frames(try ContainerSource(path: path))
        let source = try ContainerSource(path: cut)
        let half = try frames(source)
        #expect(half.count >= 3 && half.count < 10)
        // The last may be in pieces; those before it are what they were.
        for index in 0..<half.count - 1 { #expect(half[index].samples == whole[index].samples, "frame \(index)") }
    }

    @Test func `Whatever a file holds, it is read or refused`() throws {
        var (read, refused) = (0, 0)
        for (name, options) in [
            ("m.mp4", ["-c:v", "libx264"]), ("m.webm", ["-c:v", "libvpx"]), ("m.avi", ["-c:v", "mjpeg"]),
        ] {
            let path = folder.path(name)
            try Peer.ffmpeg.run(
                ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=32x32:rate=5:duration=0.6"] + options + [path])
            let seed = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            let damaged = folder.path("damaged-" + name)
            for input in MutatedInputs(of: [seed], count: 60, using: SeededGenerator(seed: 3)) {
                try Data(input).write(to: URL(fileURLWithPath: damaged))
                do {
                    let source = try ContainerSource(path: damaged)
                    while case .frame = try source.next() { read += 1 }
                } catch is ContainerError {
                    refused += 1
                }
            }
        }
        #expect(read > 50 && refused > 10, "\(read) frames, \(refused) files refused")
    }
}
