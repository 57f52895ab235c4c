import Foundation
import RillContainers
import RillCore
import RillImage
import RillTestSupport
import Testing

/// Full range in containers: it stays and is marked, and its conversion equals FFmpeg's.
@Suite(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
struct ContainerColorTests {
    private let folder = TemporaryFolder()

    /// A clip of noise over all values, in full range.
    private func clip(_ name: String, _ options: [String], from more: [String] = []) throws -> String {
        let path = folder.path(name)
        try Peer.ffmpeg.run(
            [
                "-v", "error", "-y", "-f", "lavfi", "-i",
                "testsrc2=size=130x98:rate=10:duration=0.4,format=yuv444p,noise=alls=100:allf=t,"
                    + "setparams=range=full",
            ] + more + options + [path])
        return path
    }

    /// The samples of all pictures of a clip, reduced to limited range, which those that are not I420 are already.
    private func limited(_ path: String, from range: ColorSpace.Range) throws -> [UInt8] {
        let source = try ContainerSource(path: path)
        var converter = ColorConverter(capacity: 1)
        var samples: [UInt8] = []
        while case .frame(let frame) = try source.next() {
            #expect(frame.colorSpace.range == range)
            samples += try existing(try converter.convert(frame)).samples
        }
        return samples
    }

    @Test(
        arguments: [
            ("a.mkv", ["-c:v", "mjpeg", "-q:v", "2", "-pix_fmt", "yuvj420p"]),
            ("b.avi", ["-c:v", "mjpeg", "-q:v", "2", "-pix_fmt", "yuvj422p"]),
            ("c.mov", ["-c:v", "mjpeg", "-q:v", "2", "-pix_fmt", "yuvj444p"]),
            ("d.mjpeg", ["-c:v", "mjpeg", "-q:v", "2", "-pix_fmt", "yuvj420p"]),
            ("e.webm", ["-c:v", "libvpx-vp9", "-lossless", "1", "-pix_fmt", "yuv420p", "-color_range", "pc"]),
            ("f.mp4", ["-c:v", "libvpx-vp9", "-crf", "30", "-b:v", "0", "-pix_fmt", "yuv420p", "-color_range", "pc"]),
            ("g.mkv", ["-c:v", "libx264", "-qp", "12", "-pix_fmt", "yuvj420p"]),
            ("h.webm", ["-c:v", "libvpx", "-b:v", "2M", "-pix_fmt", "yuv420p", "-color_range", "pc"]),
            ("i.mkv", ["-c:v", "ffv1", "-pix_fmt", "yuv420p10le", "-color_range", "pc"]),
        ] as [(String, [String])])
    func `The result is within one of FFmpeg's`(name: String, options: [String]) throws {
        let path = try clip(name, options)
        let isI420 = options.contains { ["yuv420p", "yuvj420p"].contains($0) }
        let ours = try limited(path, from: isI420 ? .full : .limited)
        let reference = try Peer.ffmpeg.run(
            "-v", "error", "-i", path, "-vf",
            "scale=in_range=full:out_range=limited:flags=bicubic+accurate_rnd+full_chroma_inp+full_chroma_int+bitexact",
            "-pix_fmt", "yuv420p", "-fps_mode", "passthrough", "-f", "rawvideo", "-")
        #expect(ours.count == reference.count && !ours.isEmpty)
        let worst = zip(ours, reference).map { abs(Int($0) - Int($1)) }.max() ?? 255
        #expect(worst <= 1, "\(worst)")
    }

    @Test func `A range that changes in mid-stream is reported with each picture`() throws {
        let parts = try ["tv", "pc", "tv"].enumerated().map { index, range in
            try clip("\(index).ivf", ["-c:v", "libvpx-vp9", "-pix_fmt", "yuv420p", "-color_range", range])
        }
        let list = folder.path("list.txt")
        try Data(parts.map { "file '\($0)'\n" }.joined().utf8).write(to: URL(fileURLWithPath: list))
        let path = folder.path("all.mkv")
        try Peer.ffmpeg.run("-v", "error", "-f", "concat", "-safe", "0", "-i", list, "-c", "copy", path)
        let source = try ContainerSource(path: path)
        var ranges: [ColorSpace.Range] = []
        while case .frame(let frame) = try source.next() { ranges.append(frame.colorSpace.range) }
        #expect(ranges == (0..<12).map { 4..<8 ~= $0 ? .full : .limited })
    }

    @Test func `For VP8, which cannot signal it, the container's value is used`() throws {
        let options = ["-c:v", "libvpx", "-pix_fmt", "yuv420p"]
        let path = try clip("a.webm", options + ["-color_range", "tv", "-colorspace", "bt709"])
        let source = try ContainerSource(path: path)
        #expect(source.colorSpace == .bt709 && source.namesMatrix)
    }

    @Test(arguments: [
        ("p.mkv", [], FieldOrder.progressive),
        ("t.mkv", ["-flags", "+ildct+ilme", "-top", "1"], .topFieldFirst),
        ("b.mkv", ["-flags", "+ildct+ilme", "-top", "0"], .bottomFieldFirst),
    ])
    func `The order of the fields is found`(name: String, options: [String], order: FieldOrder) throws {
        let path = try clip(name, ["-c:v", "mpeg2video", "-pix_fmt", "yuv420p"] + options)
        #expect(try ContainerSource(path: path).fieldOrder == order)
    }
}
