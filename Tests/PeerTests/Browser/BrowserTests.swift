import Foundation
import RillContainers
import RillCore
import RillFiles
import RillTestSupport
import Testing

/// Our files in a browser: how long, how large, and which picture it shows when it is sent to the middle.
@Suite(
    .enabled(if: Peer.chromium.isInstalled && Peer.ffmpeg.isInstalled, "chromium or ffmpeg is not installed"))
struct BrowserTests {
    private let folder = TemporaryFolder()

    /// What a page found out about its video.
    private struct Playback {
        var duration: Double
        var width: Int
        var height: Int
        /// The picture's own time, in seconds.
        var time: Double
        /// The picture as RGB.
        var picture: [UInt8]
    }

    @Test(arguments: [
        (VideoCodec.vp8, ColorSpace.bt601, true), (.vp9, .bt601, false), (.vp8, .bt709, false), (.vp9, .bt709, true),
    ])
    func `Chromium plays it, and shows the right frame in the middle`(
        codec: VideoCodec, space: ColorSpace, isUneven: Bool
    ) throws {
        let size = Resolution(width: 64, height: 48)
        var video = ContainerWriter.Video(codec: codec, resolution: size, frameRate: 10)
        video.colorSpace = space
        // Ten a second, or every other one 40 ms late.
        let times = (0..<100).map { index in
            let late: Int64 = isUneven && index % 2 == 1 ? 40 : 0
            return MediaTime(nanoseconds: (Int64(index) * 100 + late) * 1_000_000)
        }
        try write(codec, times, to: ContainerWriter(path: folder.path("a.webm"), format: .webm, video: video))
        // Frame 51 lies between key frames (48 and 56), and is shown for 60 ms or 100.
        let shown = try play("a.webm", seekingTo: times[51].seconds + 0.03)
        #expect(shown.width == 64 && shown.height == 48)
        #expect(abs(shown.time - times[51].seconds) < 0.0005, "\(shown.time)")
        #expect(abs(shown.duration - (times[99].seconds + 0.1)) < 0.0011, "\(shown.duration)")
        let distances = try distances(of: shown.picture, matrix: space.matrix)
        #expect(distances.count == 100)
        #expect(distances.indices.min { distances[$0] < distances[$1] } == 51, "\(distances)")
        // Chroma is enlarged in another way by each; the other matrix is further off than that.
        let others = try self.distances(of: shown.picture, matrix: space.matrix == .bt601 ? .bt709 : .bt601)
        #expect(distances[51] < 10 && distances[51] < others[51] - 2, "\(distances[51]), \(others[51])")
    }

    /// Frames at those times, a key frame among each eight.
    private func write(_ codec: VideoCodec, _ times: [MediaTime], to writer: ContainerWriter) throws {
        let path = folder.path("coded.ivf")
        try Peer.ffmpeg.run(
            "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10", "-frames:v", "\(times.count)",
            "-c:v", codec == .vp8 ? "libvpx" : "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "8",
            "-lag-in-frames", "0", "-bitexact", path)
        let reader = try IVFReader(path: path)
        var payload: [UInt8] = []
        for (index, time) in times.enumerated() {
            _ = try #require(try reader.next(into: &payload))
            let isKey = codec == .vp8 ? payload[0] & 1 == 0 : payload[0] >> 2 & 1 == 0
            let frame = EncodedFrame(
                codec: codec, layer: StreamLayer(rid: .high), number: Int64(index), references: FrameReferences(),
                isKey: isKey, resolution: Resolution(width: 64, height: 48), captureTime: time,
                byteCount: payload.count)
            try writer.consume(frame, payload: payload.span)
        }
        try writer.finish()
    }

    /// How far a picture is from each of the file's, as FFmpeg has them by that matrix.
    private func distances(of picture: [UInt8], matrix: ColorSpace.Matrix) throws -> [Double] {
        let reference = try Peer.ffmpeg.run(
            "-v", "error", "-i", folder.path("a.webm"), "-fps_mode", "passthrough", "-vf",
            "scale=in_color_matrix=\(matrix.rawValue):flags=bicubic+accurate_rnd+full_chroma_int", "-pix_fmt", "rgb24",
            "-f", "rawvideo", "-")
        let size = 64 * 48 * 3
        return stride(from: 0, to: reference.count, by: size).map { distance(picture, reference[$0..<$0 + size]) }
    }

    /// Mean of the differences of the codes.
    private func distance(_ a: [UInt8], _ b: ArraySlice<UInt8>) -> Double {
        Double(zip(a, b).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(max(1, a.count))
    }

    private func play(_ name: String, seekingTo seconds: Double) throws -> Playback {
        let page = """
            <!DOCTYPE html><body><video id="video" muted preload="auto" src="\(name)"></video><script>
            const video = document.getElementById("video");
            function end(text) { console.log("RESULT;" + text + ";END"); setTimeout(() => window.close(), 0); }
            video.onerror = () => end("error " + video.error.message);
            video.onloadeddata = () => {
              // On a busy machine "seeked" may come before its picture has replaced the first one.
              video.requestVideoFrameCallback(function show(now, frame) {
                if (frame.mediaTime === 0) { video.requestVideoFrameCallback(show); return; }
                const canvas = document.createElement("canvas");
                const [width, height] = [video.videoWidth, video.videoHeight];
                [canvas.width, canvas.height] = [width, height];
                const context = canvas.getContext("2d");
                context.drawImage(video, 0, 0);
                const codes = Array.from(context.getImageData(0, 0, width, height).data);
                const picture = codes.filter((_, index) => index % 4 < 3).join(" ");
                end([video.duration, width, height, frame.mediaTime, picture].join(";"));
              });
              video.currentTime = \(seconds);
            };
            </script>
            """
        try page.write(toFile: folder.path("page.html"), atomically: false, encoding: .utf8)
        let program = try #require(Program(named: Peer.chromium.rawValue))
        let outcome = try program.start(
            [
                // It refuses to run as root in its sandbox; the page is ours.
                "--headless=new", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
                "--enable-logging=stderr", "--user-data-dir=\(folder.path("profile"))",
                "file://\(folder.path("page.html"))",
            ], limit: 60
        ).wait()
        let parts =
            outcome.errors.components(separatedBy: "RESULT;").dropFirst().first?.components(separatedBy: ";") ?? []
        guard parts.count > 5, parts[5].hasPrefix("END"), let duration = Double(parts[0]), let width = Int(parts[1]),
            let height = Int(parts[2]), let time = Double(parts[3])
        else { throw TestFailure("chromium: \(parts.first ?? String(outcome.errors.suffix(1000)))") }
        return Playback(
            duration: duration, width: width, height: height, time: time,
            picture: parts[4].split(separator: " ").compactMap { UInt8($0) })
    }
}
