import RillTestSupport
import Testing

@Suite struct InspectCommandTests {
    private let folder = TemporaryFolder()

    @Test func `A file that is not there is named`() throws {
        let outcome = try rill("inspect", "/no/such/file.ivf")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("/no/such/file.ivf: no such file"), "\(outcome.errors)")
    }

    @Test func `A file of unknown kind is reported`() throws {
        let path = folder.path("words.ivf")
        try write(Array("these are words, not pictures, and nobody made them so".utf8), to: path)
        let outcome = try rill("inspect", path)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(path), "\(outcome.errors)")
    }

    /// A recorded call without its first packets, and so without its key frames.
    private func captureWithoutKeyFrames() throws -> String {
        let path = folder.path("call.rtpdump")
        let clip = try movingClip(in: folder, frames: 30, width: 160, height: 120)
        #expect(try rill("loopback", clip, "--no-compare", "--capture", path).status == 0)
        let bytes = try read(path)
        // A line of text, 16 bytes, and records that begin with their length.
        var position = try #require(bytes.firstIndex(of: 0x0A)) + 17
        let head = bytes[..<position]
        for _ in 0..<40 { position += Int(bytes[position]) << 8 | Int(bytes[position + 1]) }
        try write(Array(head + bytes[position...]), to: path)
        return path
    }

    @Test func `Frames without a key frame give no file, and an error`() throws {
        let capture = try captureWithoutKeyFrames()
        let out = folder.path("out.ivf")
        for options in [[], ["--json"]] {
            let outcome = try rillProgram().run(["inspect", capture, "--frames", out] + options)
            #expect(outcome.status == 1, "\(outcome.errors)")
            #expect(
                outcome.errors.contains("\(out): not written, because the stream has no complete key frame"),
                "\(outcome.errors)")
            #expect(outcome.text.contains("VP8"), "what was found is shown all the same: \(outcome.text)")
            #expect(throws: (any Error).self) { try read(out) }
        }
    }

    @Test func `A clip is shown as a table and as JSON`() throws {
        let path = folder.path("clip.y4m")
        #expect(try rill("generate", "portrait", path, "--size", "32x32", "--duration", "200ms").status == 0)
        let table = try rill("inspect", path).text
        #expect(table.contains("32x32") && table.contains("frames per second"), "\(table)")
        let json = try rill("inspect", path, "--json").text
        #expect(json.contains("\"resolution\" : \"32x32\"") && json.contains("\"frames\" : 6"), "\(json)")
    }
}
