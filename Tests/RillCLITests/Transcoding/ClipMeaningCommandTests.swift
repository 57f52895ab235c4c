import Foundation
import RillTestSupport
import Testing

/// What `rill transcode` says it left out or changed, and options of time.
@Suite(.enabled(if: Peer.ffmpeg.isInstalled && Peer.ffprobe.isInstalled, "ffmpeg is not installed"))
struct ClipMeaningCommandTests {
    private let folder = TemporaryFolder()

    private func clip(_ name: String, _ options: [String], scene: String = "testsrc2=size=64x48:rate=10:duration=1")
        throws -> String
    {
        let path = folder.path(name)
        try Peer.ffmpeg.run(["-v", "error", "-y", "-f", "lavfi", "-i", scene] + options + [path])
        return path
    }

    /// The values that ffprobe has of a file's frames or track.
    private func values(_ path: String, _ entries: String) throws -> [String] {
        let output = try Peer.ffprobe.run("-v", "error", "-show_entries", entries, "-of", "csv=p=0", path)
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map { String($0.prefix { $0 != "," }) }
    }

    private func summary(_ words: String...) throws -> (json: [String: Any], errors: String) {
        let outcome = try rillProgram().run(["transcode"] + words + ["--json"])
        try #require(outcome.status == 0, "\(outcome.errors)")
        let object = try JSONSerialization.jsonObject(with: Data(outcome.output))
        return (try #require(object as? [String: Any]), outcome.errors)
    }

    @Test func `The same list is in the text and in the JSON`() throws {
        let plain = try clip(
            "plain.mkv",
            [
                "-c:v", "ffv1", "-pix_fmt", "yuv420p10le", "-colorspace", "bt2020nc", "-color_trc", "smpte2084",
                "-color_primaries", "bt2020", "-metadata", "title=T",
            ])
        let (json, errors) = try summary(plain, folder.path("a.y4m"))
        let notices = try #require(json["notices"] as? [String])
        #expect(
            notices.map { $0.replacing(folder.path(""), with: "") } == [
                "plain.mkv: 10 bits to 8, BT.2020 to BT.709 (the matrix)", "tags (title) of plain.mkv: left out",
                "the color matrix (BT.709) is left out of a.y4m: .webm and .mkv can store it",
                "the transfer function (PQ) is left out of a.y4m: .webm and .mkv can store it",
                "the color gamut (BT.2020) is left out of a.y4m: .webm and .mkv can store it",
            ])
        for notice in notices { #expect(errors.contains(notice + "\n")) }
        let web = folder.path("a.webm")
        let (second, _) = try summary(plain, web)
        #expect((second["notices"] as? [String])?.count == 2)
        #expect(try values(web, "stream=color_transfer") == ["smpte2084"])
        #expect(try values(web, "stream=color_primaries") == ["bt2020"])
    }

    @Test func `A part of a clip is what ffmpeg cuts`() throws {
        let whole = try clip("whole.mp4", ["-c:v", "libx264", "-g", "4", "-pix_fmt", "yuv420p"])
        for (segments, name) in [("1", "a.webm"), ("2", "b.webm")] {
            let part = folder.path(name)
            _ = try summary(whole, part, "--start", "250ms", "--duration", "0.4s", "--segments", segments)
            #expect(try values(part, "frame=pts_time") == ["0.050000", "0.150000", "0.250000", "0.350000"])
        }
        let cut = try Peer.ffmpeg.run(
            "-v", "error", "-ss", "0.25", "-t", "0.4", "-i", whole, "-fps_mode", "passthrough", "-f", "rawvideo",
            "-pix_fmt",
            "yuv420p", "-")
        _ = try summary(whole, folder.path("a.yuv"), "--start", "250ms", "--duration", "400ms")
        #expect(try read(folder.path("a.yuv")) == cut)
    }

    @Test func `Time that a Y4M loses is named, and a constant rate keeps it`() throws {
        let uneven = try clip(
            "uneven.mkv", ["-vf", "select='lt(n,5)+gt(n,24)'", "-fps_mode", "passthrough", "-c:v", "ffv1"],
            scene: "testsrc2=size=64x48:rate=10:duration=3")
        let (json, _) = try summary(uneven, folder.path("a.y4m"))
        let notices = try #require(json["notices"] as? [String])
        #expect(notices.contains { $0.contains("lasts 1.00 s instead of 3.22 s") && $0.contains("--constant-rate") })
        let (even, _) = try summary(uneven, folder.path("b.y4m"), "--constant-rate")
        let change = "uneven.mkv: 20 frames repeated and 0 dropped for a constant rate"
        #expect((even["notices"] as? [String])?.contains { $0.hasSuffix(change) } == true)
        #expect(try values(folder.path("b.y4m"), "frame=pts_time").count == 30)
    }

    @Test func `Key frames are as far apart as requested`() throws {
        let plain = try clip("plain.mkv", ["-c:v", "ffv1"])
        for (options, keys) in [
            ([], 1), (["--key-interval", "300ms"], 4), (["--key-interval", "300ms", "--good"], 4),
        ] {
            let outcome = try rillProgram().run(["transcode", plain, folder.path("k.webm"), "--json"] + options)
            let json = try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [String: Any]
            let row = try #require((json?["outputs"] as? [[String: Any]])?.first)
            #expect(row["keyFrames"] as? Int == keys, "\(options): \(outcome.errors)")
        }
    }

    @Test(arguments: ["yuv422p", "yuv444p", "yuv411p", "gray", "yuva444p", "yuv420p10", "yuv422p12", "yuv444p16"])
    func `Y4M of every sampling and depth is read`(format: String) throws {
        let path = try clip("a.y4m", ["-pix_fmt", format, "-strict", "-1"])
        let (json, _) = try summary(path, folder.path("out.y4m"))
        #expect(json["framesRead"] as? Int == 10)
    }

    @Test func `IVF with AV1 is read, and starts at zero as every clip`() throws {
        let path = try clip(
            "a.ivf", ["-c:v", "libaom-av1", "-cpu-used", "8", "-usage", "realtime", "-pix_fmt", "yuv420p"])
        let (json, _) = try summary(path, folder.path("a.webm"))
        #expect(json["framesRead"] as? Int == 10)
        // A VP8 whose first stamp is a million.
        var bytes = try read(clip("b.ivf", ["-c:v", "libvpx", "-pix_fmt", "yuv420p"]))
        var position = 32
        while position + 12 <= bytes.count {
            let size = (0..<4).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
            let stamp = UInt64(bytes[position + 4]) + 1_000_000
            for byte in 0..<8 { bytes[position + 4 + byte] = UInt8(truncatingIfNeeded: stamp >> UInt64(8 * byte)) }
            position += 12 + size
        }
        try write(bytes, to: folder.path("late.ivf"))
        _ = try summary(folder.path("late.ivf"), folder.path("late.webm"))
        #expect(try values(folder.path("late.webm"), "frame=pts_time").prefix(2) == ["0.000000", "0.100000"])
    }

    @Test func `Numbers are read as people write them, and lists with a byte order mark`() throws {
        let plain = try clip("plain.mkv", ["-c:v", "ffv1"])
        let list = folder.path("list.txt")
        try write(Array("\u{FEFF}plain.mkv out.webm --bitrate 500K --size 32X24 --fps 29.97\n".utf8), to: list)
        let outcome = try rill("transcode", "--jobs", list)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try values(folder.path("out.webm"), "stream=width") == ["32"])
        _ = plain
    }
}
