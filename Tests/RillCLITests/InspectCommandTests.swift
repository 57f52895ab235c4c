import RillTestSupport
import Testing

@Suite struct InspectCommandTests {
    private let folder = TemporaryFolder()

    @Test func aFileThatIsNotThereIsNamed() throws {
        let outcome = try rill("inspect", "/no/such/file.ivf")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("/no/such/file.ivf: no such file"), "\(outcome.errors)")
    }

    @Test func aFileOfNoKnownKindIsSaidToBeOne() throws {
        let path = folder.path("words.ivf")
        try write(Array("these are words, not pictures, and nobody made them so".utf8), to: path)
        let outcome = try rill("inspect", path)
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(path), "\(outcome.errors)")
    }

    @Test func aClipIsShownAsATableAndAsJSON() throws {
        let path = folder.path("clip.y4m")
        #expect(try rill("generate", "portrait", path, "--size", "32x32", "--duration", "200ms").status == 0)
        let table = try rill("inspect", path).text
        #expect(table.contains("32x32") && table.contains("frames a second"), "\(table)")
        let json = try rill("inspect", path, "--json").text
        #expect(json.contains("\"resolution\" : \"32x32\"") && json.contains("\"frames\" : 6"), "\(json)")
    }
}
