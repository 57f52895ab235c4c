import Foundation
import RillTestSupport
import Testing

@Suite struct TranscodeCommandTests {
    private let folder = TemporaryFolder()

    /// A second of the portrait scene.
    private func makeClip() throws -> String {
        let path = folder.path("clip.y4m")
        let outcome = try rill("generate", "portrait", path, "--size", "64x48", "--duration", "1s")
        try #require(outcome.status == 0, "\(outcome.errors)")
        return path
    }

    @Test func `Two runs give the same bytes`() throws {
        let clip = try makeClip()
        var runs: [[UInt8]] = []
        for run in ["a", "b"] {
            let (high, low) = (folder.path("\(run).ivf"), folder.path("\(run)-low.ivf"))
            #expect(try rill("transcode", clip, high, "--low", low).status == 0)
            runs.append(try read(high) + read(low))
        }
        #expect(!runs[0].isEmpty && runs[0] == runs[1])
    }

    @Test func `A clip is transcoded from standard input to standard output`() throws {
        let clip = try makeClip()
        let outcome = try rill("transcode", "-", "-", "--fps", "10", input: clip)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.hasPrefix("YUV4MPEG2 W64 H48 F10:1"))
        #expect(outcome.errors.contains("read 30 frames"))
    }

    @Test func `Frames before the damage are transcoded`() throws {
        let clip = try makeClip()
        let bytes = try read(clip)
        let cut = folder.path("cut.y4m")
        try write(Array(bytes.prefix(bytes.count / 2)), to: cut)
        let out = folder.path("out.ivf")
        let outcome = try rill("transcode", cut, out)
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("the clip ended early, after 14 frames"), "\(outcome.errors)")
        #expect(try rill("inspect", out).text.contains("14"))
    }

    @Test(arguments: [
        (["clip.y4m", "out.mov"], "out.mov: the name must end in"),
        (["clip.y4m", "clip.y4m"], "same file"),
        (["clip.y4m", "not-there.ivf", "--low", "./not-there.ivf"], "same file"),
        (["clip.y4m", "not-there.y4m", "--pictures", "no/../not-there.y4m"], "same file"),
        (["clip.y4m", "out.ivf", "--threads", "0"], "--threads"),
        (["clip.y4m", "-", "--json"], "--json"),
        (["clip.ivf", "out.ivf", "--split-sizes"], "--split-sizes"),
        (["clip.ivf", "out.y4m", "--split-sizes", "--size", "64x48"], "--split-sizes"),
    ])
    func `Wrong arguments are refused by name`(arguments: [String], word: String) throws {
        let outcome = try rillProgram().run(["transcode"] + arguments)
        #expect(outcome.status == 64, "\(arguments)")
        #expect(outcome.errors.contains(word), "\(arguments): \(outcome.errors)")
        #expect(outcome.errors.contains("rill transcode --help"), "\(arguments): \(outcome.errors)")
    }

    @Test func `A raw clip needs its size`() throws {
        let raw = folder.path("clip.yuv")
        try write([UInt8](repeating: 128, count: 16 * 16 * 3 / 2 * 5), to: raw)
        let without = try rill("transcode", raw, folder.path("out.y4m"))
        #expect(without.status == 64)
        #expect(without.errors.contains("add --raw-size"), "\(without.errors)")
        #expect(try rill("transcode", raw, folder.path("out.y4m"), "--raw-size", "16x16").status == 0)
    }

    /// Five pictures of 128x96, then five each of 103x77, 64x48 and 128x96 again.
    private static let resized = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Streams/vp9-resized.ivf").path

    @Test func `Later sizes are scaled to the first`() throws {
        let out = folder.path("out.y4m")
        let outcome = try rill("transcode", Self.resized, out)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("128x96"))
        let bytes = try read(out)
        let line = "YUV4MPEG2 W128 H96 F30:1"
        #expect(String(decoding: bytes.prefix(line.utf8.count), as: UTF8.self) == line)
        #expect(bytes.count / (128 * 96 * 3 / 2) == 20)
        // Coded again, all frames have that size too.
        let coded = folder.path("out.ivf")
        #expect(try rill("transcode", Self.resized, coded, "--codec", "vp9").status == 0)
        #expect(try rill("inspect", coded).text.contains("128x96"))
    }

    @Test func `With split sizes each size gets a file`() throws {
        let out = folder.path("out.y4m")
        let outcome = try rill("transcode", Self.resized, out, "--split-sizes", "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let sizes = [(128, 96), (103, 77), (64, 48), (128, 96)]
        for (index, size) in sizes.enumerated() {
            let path = index == 0 ? out : folder.path("out.\(index + 1).y4m")
            #expect(outcome.text.contains(path.split(separator: "/").last ?? ""), "\(outcome.text)")
            let bytes = try read(path)
            let line = "YUV4MPEG2 W\(size.0) H\(size.1) F30:1"
            #expect(String(decoding: bytes.prefix(line.utf8.count), as: UTF8.self) == line, "\(path)")
            let frame = size.0 * size.1 + 2 * ((size.0 + 1) / 2) * ((size.1 + 1) / 2)
            #expect(bytes.count / frame == 5, "\(path)")
        }
        #expect(throws: (any Error).self) { try read(folder.path("out.5.y4m")) }
    }

    @Test func `Full-range pictures become limited range, with a note`() throws {
        // color_range is bit 35 of a VP9 key frame, color_space the three before it (specification §6.2); the frame
        // begins behind 44 bytes of IVF.
        var bytes = try read(Self.resized)
        bytes[44 + 4] = bytes[44 + 4] & 0x0F | 0b0011_0000
        let (clip, out) = (folder.path("full.ivf"), folder.path("out.y4m"))
        try write(bytes, to: clip)
        let outcome = try rill("transcode", clip, out)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("full.ivf: full to limited range\n"), "\(outcome.errors)")
        #expect(try String(decoding: read(out).prefix(80), as: UTF8.self).contains("XCOLORRANGE=LIMITED\n"))
    }
}
