import Foundation
import RillTestSupport
import Testing

@Suite struct BeautyCommandTests {
    private let folder = TemporaryFolder()

    private func makeClip() throws -> String {
        let path = folder.path("clip.y4m")
        let outcome = try rill(
            "generate", "portrait", path, "--size", "96x54", "--duration", "500ms", "--tone", "medium")
        try #require(outcome.status == 0, "\(outcome.errors)")
        return path
    }

    @Test func `A clip is made beautiful the same way each time`() throws {
        let clip = try makeClip()
        let outputs = try ["a", "b"].map { name in
            let path = folder.path("\(name).y4m")
            let outcome = try rill("transcode", clip, path, "--beauty", "natural")
            #expect(outcome.status == 0, "\(outcome.errors)")
            return try Data(contentsOf: URL(filePath: path))
        }
        let source = try Data(contentsOf: URL(filePath: clip))
        #expect(outputs[0] == outputs[1] && outputs[0] != source && outputs[0].count == source.count)
        let off = folder.path("off.y4m")
        #expect(try rill("transcode", clip, off, "--beauty", "off").status == 0)
        #expect(try Data(contentsOf: URL(filePath: off)) == source)
    }

    @Test func `A picture is the first frame`() throws {
        let clip = try makeClip()
        let (one, three) = (folder.path("one.png"), folder.path("three.png"))
        #expect(try rill("transcode", clip, one, "--beauty", "smoothness=0.7").status == 0)
        #expect(try rill("transcode", clip, three, "--beauty", "strong", "--compare").status == 0)
        // Width and height stand at byte 16 of a PNG, big-endian.
        func width(_ path: String) throws -> Int {
            let bytes = try Data(contentsOf: URL(filePath: path))
            return Int(bytes[18]) << 8 | Int(bytes[19])
        }
        #expect(try width(one) == 96)
        #expect(try width(three) == 288)
    }

    @Test func `Faces may be off, and a cascade that cannot be read is named`() throws {
        let clip = try makeClip()
        let output = folder.path("out.y4m")
        let off = try rill("transcode", clip, output, "--beauty", "natural", "--faces", "off")
        #expect(off.status == 0 && !off.errors.contains("faces"), "\(off.errors)")
        let missing = try rill("transcode", clip, output, "--beauty", "natural", "--faces", "/nowhere/faces.xml")
        #expect(missing.status == 2 && missing.errors.contains("/nowhere/faces.xml: no such file"), "\(missing.errors)")
        let foreign = try rill("loopback", clip, "--beauty", "natural", "--faces", clip)
        #expect(foreign.status == 2 && foreign.errors.contains("is not a cascade"), "\(foreign.errors)")
        let nothing = try rillProgram().run(["transcode", clip, output, "--faces", ""])
        #expect(nothing.status == 64)
    }

    @Test func `A loopback takes it`() throws {
        let clip = try makeClip()
        let outcome = try rill("loopback", clip, "--beauty", "natural", "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("\"framesDecoded\""))
    }

    @Test(arguments: [
        (["clip.y4m", "out.y4m", "--beauty", "smoothness=2"], "smoothness goes from 0 to 1"),
        (["clip.y4m", "out.y4m", "--beauty", "pretty"], "is not a setting"),
        (["clip.y4m", "out.png", "--size", "64x48"], "out.png"),
        (["clip.y4m", "out.ivf", "--low", "low.png"], "low.png"),
    ])
    func `Wrong arguments are refused by name`(arguments: [String], word: String) throws {
        let outcome = try rillProgram().run(["transcode"] + arguments)
        #expect(outcome.status == 64 && outcome.errors.contains(word), "\(arguments): \(outcome.errors)")
    }
}
