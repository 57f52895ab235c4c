import Foundation
import RillCore
import RillTestSupport
import Testing

/// Bitrates that cannot be reached are refused before, and told of afterwards.
@Suite struct ReachableBitrateTests {
    private let folder = TemporaryFolder()

    /// Pictures of noise, of which each is another.
    private func noise(frames: Int, width: Int = 64, height: Int = 48) throws -> String {
        var random = SeededGenerator(seed: 3)
        var bytes = Array("YUV4MPEG2 W\(width) H\(height) F30:1\n".utf8)
        for _ in 0..<frames {
            bytes += Array("FRAME\n".utf8)
            for _ in 0..<width * height * 3 / 2 { bytes.append(UInt8.random(in: 0...255, using: &random)) }
        }
        let path = folder.path("noise.y4m")
        try write(bytes, to: path)
        return path
    }

    @Test(arguments: [
        ["transcode", "CLIP", "OUT", "--bitrate", "1500"], ["transcode", "CLIP", "OUT", "--bitrate", "1500", "--good"],
        ["transcode", "CLIP", "OUT", "--bitrate", "1500", "--codec", "vp9"], ["loopback", "CLIP", "--bitrate", "1500"],
    ])
    func `Unreachable bitrates are rejected, and the intended one is suggested`(arguments: [String]) throws {
        let clip = try movingClip(in: folder, frames: 6, width: 160, height: 120)
        let words = arguments.map { $0 == "CLIP" ? clip : $0 == "OUT" ? folder.path("o.ivf") : $0 }
        let outcome = try rillProgram().run(words)
        #expect(outcome.status == 64, "\(arguments): \(outcome.status) \(outcome.errors)")
        #expect(
            outcome.errors.contains("--bitrate 1500 is 1.5 kbit/s") && outcome.errors.contains("did you mean 1500k?"),
            "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("o.ivf")))
    }

    @Test(arguments: [["--codec", "vp8"], ["--codec", "vp9"]], [["--good"], ["--realtime"]])
    func `What is refused cannot be reached by the simplest pictures`(codec: [String], effort: [String]) throws {
        let black = folder.path("black.y4m")
        let picture = [UInt8](repeating: 16, count: 320 * 240) + [UInt8](repeating: 128, count: 320 * 240 / 2)
        let frames = (0..<90).flatMap { _ in Array("FRAME\n".utf8) + picture }
        try write(Array("YUV4MPEG2 W320 H240 F30:1\n".utf8) + frames, to: black)
        // The least that is taken: 22 bytes a frame, and 14.
        let least = codec[1] == "vp8" ? 22 * 8 * 30 : 14 * 8 * 30
        let arguments = ["transcode", black, folder.path("o.ivf"), "--json"] + codec + effort
        #expect(try rillProgram().run(arguments + ["--bitrate", "\(least - 1)"]).status == 64)
        let outcome = try rillProgram().run(arguments + ["--bitrate", "\(least)"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try summary(outcome).bitrate ?? 0 >= Double(least))
    }

    private struct Output: Decodable {
        var bitrate: Double?
        var targetBitrate: Int?
    }

    private func summary(_ outcome: RunningProgram.Outcome) throws -> Output {
        struct Summary: Decodable { var outputs: [Output] }
        let summary = try JSONDecoder().decode(Summary.self, from: Data(outcome.output))
        return try #require(summary.outputs.first)
    }

    @Test func `An output far from its target is reported, with both bitrates`() throws {
        let out = folder.path("o.ivf")
        let clip = try noise(frames: 90)
        let above = try rill("transcode", clip, out, "--bitrate", "20k", "--json")
        #expect(above.status == 0 && above.errors.contains("o.ivf: "), "\(above.errors)")
        #expect(above.errors.contains("target 20.0: these pictures need more"), "\(above.errors)")
        let output = try summary(above)
        #expect(output.targetBitrate == 20_000 && output.bitrate ?? 0 > 30_000)
        let table = try rill("transcode", clip, out, "--bitrate", "20k").errors
        #expect(table.contains("target, kbit/s  kbit/s") && table.contains("these pictures need more"), "\(table)")

        let still = try movingClip(in: folder, frames: 90)
        let below = try rill("transcode", still, out, "--bitrate", "50M")
        #expect(below.errors.contains("target 50000.0: these pictures need no more"), "\(below.errors)")
        let good = try rill("transcode", still, out, "--bitrate", "150k")
        #expect(good.status == 0 && !good.errors.contains("these pictures"), "\(good.errors)")
        // With constant quality there is no target.
        let constant = try rill("transcode", clip, out, "--quality", "30", "--json")
        #expect(try !constant.errors.contains("these pictures") && summary(constant).targetBitrate == nil)

        let call = try rill("loopback", clip, "--bitrate", "20k", "--degradation", "none")
        #expect(
            call.errors.contains("the layer high: ") && call.errors.contains("these pictures need more"),
            "\(call.errors)")
    }

    @Test func `Steps that a small clip's ladder does not have are named`() throws {
        let out = folder.path("o.ivf")
        for (width, height, missing) in [(480, 360, ["quarter"]), (200, 150, ["half", "quarter"])] {
            let clip = try movingClip(in: folder, frames: 4, width: width, height: height)
            let outcome = try rill("transcode", clip, out, "--ladder")
            #expect(outcome.status == 0)
            for step in ["half", "quarter"] {
                let isSaid = outcome.errors.contains(
                    "\(folder.path("o.\(step).ivf")) is left out: for \(width)x\(height)")
                #expect(isSaid == missing.contains(step), "\(step): \(outcome.errors)")
            }
        }
    }
}
