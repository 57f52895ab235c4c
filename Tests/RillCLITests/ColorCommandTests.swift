import Foundation
import RillCore
import RillTestSupport
import Testing

/// What `rill` makes of clips in full range, and what it says of pixels and fields.
@Suite struct ColorCommandTests {
    private let folder = TemporaryFolder()

    /// A Y4M of 16 frames that wander over all values.
    private func clip(_ name: String, _ parameters: String, width: Int = 64, height: Int = 48) throws -> String {
        var bytes = Array("YUV4MPEG2 W\(width) H\(height) F30:1 \(parameters)\n".utf8)
        for frame in 0..<16 {
            bytes += Array("FRAME\n".utf8)
            for y in 0..<height { for x in 0..<width { bytes.append(UInt8((x * 4 + y / 16 + frame * 3) % 256)) } }
            for plane in 0..<2 {
                for y in 0..<height / 2 {
                    for x in 0..<width / 2 { bytes.append(UInt8((y * 10 + x / 8 + frame + plane * 90) % 256)) }
                }
            }
        }
        let path = folder.path(name)
        try write(bytes, to: path)
        return path
    }

    /// What the samples of a Y4M of 16 frames without parameters are.
    private func samples(_ path: String, width: Int = 64, height: Int = 48) throws -> (header: String, [[UInt8]]) {
        let bytes = try read(path)
        let end = try #require(bytes.firstIndex(of: 0x0A))
        let size = width * height * 3 / 2 + 6
        try #require(bytes.count == end + 1 + 16 * size, "\(bytes.count)")
        return (
            String(decoding: bytes[..<end], as: UTF8.self),
            (0..<16).map { Array(bytes[(end + 1 + $0 * size + 6)..<(end + 1 + ($0 + 1) * size)]) }
        )
    }

    private func reduced(_ frame: [UInt8]) -> [UInt8] {
        frame.enumerated().map { index, value in
            let (zero, scale) = index < 64 * 48 ? (16.0, 219.0) : (128 - 128 * 224.0 / 255, 224.0)
            return UInt8((zero + Double(value) * scale / 255).rounded())
        }
    }

    @Test func `A full-range clip becomes limited range in every output, with a note`() throws {
        let full = try clip("full.y4m", "Ip A1:1 C420jpeg XCOLORRANGE=FULL")
        let limited = folder.path("limited.y4m")
        let outcome = try rill("transcode", full, limited)
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("full.y4m: full to limited range\n"), "\(outcome.errors)")
        let (header, frames) = try samples(limited)
        #expect(header == "YUV4MPEG2 W64 H48 F30:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED")
        let isReduced = frames == (try samples(full).1).map(reduced)
        #expect(isReduced)

        // What is made of the one is what is made of the other.
        for (name, options) in [
            ("a.ivf", []), ("b.ivf", ["--codec", "vp9"]), ("c.webm", []), ("d.webm", ["--codec", "vp9"]),
            ("e.mkv", ["--size", "32x24"]), ("f.y4m", ["--size", "32x24"]), ("g.y4m", ["--beauty", "strong"]),
            ("h.y4m", ["--beauty", "natural", "--compare"]), ("i.y4m", ["--split-sizes"]), ("j.ivf", ["--good"]),
            ("k.ivf", ["--segments", "2"]), ("l.yuv", []),
        ] as [(String, [String])] {
            let (ours, theirs) = (folder.path("full-\(name)"), folder.path("limited-\(name)"))
            for (clip, output) in [(full, ours), (limited, theirs)] {
                let outcome = try rillProgram().run(["transcode", clip, output] + options)
                #expect(outcome.status == 0, "\(name): \(outcome.errors)")
                #expect(outcome.errors.contains("full to limited range") == (clip == full), "\(name)")
            }
            // Only a Y4M says in its first line that it was converted.
            func pixels(_ path: String) throws -> [UInt8] {
                let bytes = try read(path)
                return name.hasSuffix("y4m") ? Array(bytes[(bytes.firstIndex(of: 0x0A) ?? 0)...]) : bytes
            }
            let isEqual = try pixels(ours) == pixels(theirs)
            #expect(isEqual, "\(name)")
        }
        let pictures = folder.path("pictures.y4m")
        let more = try rill(
            "transcode", full, folder.path("m.ivf"), "--low", folder.path("low.ivf"), "--pictures", pictures, "--psnr")
        #expect(more.status == 0, "\(more.errors)")
        let isSame = try read(pictures) == read(limited)
        #expect(isSame)
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
    func `A snapshot is made of the full range itself`() throws {
        let full = try clip("full.y4m", "Ip A1:1 C420jpeg XCOLORRANGE=FULL")
        var bytes = try read(full)
        // Without colour, what is shown is luma as it is.
        let start = try #require(bytes.firstIndex(of: 0x0A)) + 7
        for index in start + 64 * 48..<start + 64 * 72 { bytes[index] = 128 }
        try write(bytes, to: full)
        let png = folder.path("first.png")
        #expect(try rill("transcode", full, png).status == 0)
        let shown = try Peer.ffmpeg.run("-v", "error", "-i", png, "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
        let isExact = shown == bytes[start..<start + 64 * 48].flatMap { [$0, $0, $0] }
        #expect(isExact)
    }

    @Test func `A call takes it too, and its receiver's file is limited`() throws {
        let full = try clip("full.y4m", "Ip A16:15 C420jpeg XCOLORRANGE=FULL")
        let limited = folder.path("limited.y4m")
        #expect(try rill("transcode", full, limited).status == 0)
        let runs = try [full, limited].map { clip in
            let output = folder.path("shown.y4m")
            let outcome = try rill("loopback", clip, "--output", output, "--json")
            #expect(outcome.status == 0, "\(outcome.errors)")
            let isNamed = outcome.errors.contains("full to limited range: 16 frames\n")
            #expect(isNamed == (clip == full), "\(outcome.errors)")
            #expect(
                outcome.errors.contains("the pixel aspect ratio (16:15) is left out: a call does not signal it"),
                "\(outcome.errors)")
            return (outcome.text, try read(output))
        }
        #expect(runs[0].0 == runs[1].0, "the reports differ, in quality too")
        let isEqual = runs[0].1 == runs[1].1
        #expect(isEqual)
    }

    @Test(arguments: [
        ("It A16:15 C420mpeg2", "It A16:15 C420mpeg2", ["interlaced, top field first", "(16:15)"]),
        ("Ib A0:0 C420paldv", "Ib A0:0 C420paldv", ["interlaced, bottom field first"]),
        ("I? A1:1 C420jpeg", "I? A1:1 C420jpeg", []), ("C420jpeg", "I? A0:0 C420jpeg", []),
        ("Im A1:1 C420jpeg", "I? A1:1 C420jpeg", ["picture by picture"]),
    ])
    func `A Y4M file has the pixel aspect and field order of its source`(
        parameters: String, said: String, unsaid: [String]
    ) throws {
        let source = try clip("source.y4m", parameters)
        let same = try rill("transcode", source, folder.path("same.y4m"))
        #expect(same.status == 0)
        #expect(try samples(folder.path("same.y4m")).header == "YUV4MPEG2 W64 H48 F30:1 \(said)")
        #expect(same.errors.contains("is left out") == parameters.contains("Im"), "\(same.errors)")
        // A file of coded frames says none of it.
        let coded = try rill("transcode", source, folder.path("coded.ivf"))
        let notices = coded.errors.split(separator: "\n").filter { $0.contains("is left out of") }
        #expect(notices.count == unsaid.count, "\(coded.errors)")
        for word in unsaid { #expect(coded.errors.contains(word), "\(coded.errors)") }
        // Fields of another height are mixed.
        let small = try rill("transcode", source, folder.path("small.y4m"), "--size", "32x24")
        let isMixed = parameters.hasPrefix("It") || parameters.hasPrefix("Ib")
        #expect(small.errors.contains("scaling mixes the fields") == isMixed)
        let line = String(decoding: try read(folder.path("small.y4m")).prefix { $0 != 0x0A }, as: UTF8.self)
        #expect(line.hasPrefix("YUV4MPEG2 W32 H24 F30:1 I? A"), "\(line)")
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled && Peer.ffprobe.isInstalled, "ffmpeg is not installed"))
    func `Pixel aspect, fields, alpha and matrix of a container are kept, or reported`() throws {
        func make(_ name: String, _ options: [String]) throws -> String {
            let path = folder.path(name)
            try Peer.ffmpeg.run(
                ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=30:duration=0.2"] + options + [path])
            return path
        }
        let tape = try make(
            "tape.mkv",
            [
                "-vf", "setsar=3/2", "-c:v", "mpeg2video", "-pix_fmt", "yuv420p", "-flags", "+ildct+ilme", "-top", "1",
                "-colorspace", "bt709",
            ])
        let output = folder.path("tape.y4m")
        let pictures = try rill("transcode", tape, output)
        #expect(String(decoding: try read(output).prefix { $0 != 0x0A }, as: UTF8.self).contains(" It A3:2 "))
        #expect(pictures.errors.contains("the color matrix (BT.709) is left out of \(output)"))
        let coded = try rill("transcode", tape, folder.path("tape.webm"), "--size", "32x24", "--codec", "vp9")
        #expect(coded.errors.contains("interlaced, top field first) is left out of"), "\(coded.errors)")
        #expect(!coded.errors.contains("pixels") && !coded.errors.contains("matrix"), "\(coded.errors)")
        let said = try Peer.ffprobe.run(
            "-v", "error", "-show_entries", "stream=sample_aspect_ratio,color_range,color_space", "-of", "csv=p=0",
            folder.path("tape.webm"))
        #expect(String(decoding: said, as: UTF8.self) == "3:2,tv,bt709\n")
        // VP9 says the matrix without a container too, and it is read from there.
        #expect(try rill("transcode", tape, folder.path("tape.ivf"), "--codec", "vp9").status == 0)
        let again = folder.path("again.webm")
        #expect(try rill("transcode", folder.path("tape.ivf"), again).status == 0)
        let space = try Peer.ffprobe.run(
            "-v", "error", "-show_entries", "stream=color_space", "-of", "csv=p=0", again)
        #expect(String(decoding: space, as: UTF8.self) == "bt709\n")

        let sprite = try make("sprite.webm", ["-c:v", "libvpx", "-pix_fmt", "yuva420p", "-auto-alt-ref", "0"])
        let flat = try rill("transcode", sprite, folder.path("flat.ivf"))
        #expect(flat.errors.contains("sprite.webm: alpha dropped"), "\(flat.errors)")
    }
}
