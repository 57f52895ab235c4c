import RillTestSupport
import Testing

@Suite struct GenerateCommandTests {
    private let folder = TemporaryFolder()

    private func clip(_ seed: Int) throws -> [UInt8] {
        try rill("generate", "portrait", "-", "--size", "32x32", "--duration", "200ms", "--seed", "\(seed)").output
    }

    @Test func `The seed decides the bytes`() throws {
        let clips = try [clip(1), clip(1), clip(2)]
        #expect(clips[0] == clips[1] && clips[0] != clips[2])
        #expect(clips[0].starts(with: Array("YUV4MPEG2 W32 H32".utf8)))
    }

    @Test func `A picture is written as PNG`() throws {
        let path = folder.path("portrait.png")
        #expect(try rill("generate", "portrait", path, "--size", "64x48").status == 0)
        #expect(try read(path).starts(with: [0x89, 0x50, 0x4E, 0x47]))
    }

    @Test(arguments: [
        (["portrait", "a.mov"], "must end in"), (["landscape", "a.y4m"], "landscape"),
        (["portrait", "a.y4m", "--noise", "30"], "--noise"), (["portrait", "a.y4m", "--tone", "11"], "11"),
        (["portrait", "a.y4m", "--size", "0x10"], "0x10"), (["portrait", "a.y4m", "--duration", "0s"], "--duration"),
    ])
    func `Wrong arguments are refused by name`(arguments: [String], word: String) throws {
        let outcome = try rillProgram().run(["generate"] + arguments)
        #expect(outcome.status == 64, "\(arguments)")
        #expect(outcome.errors.contains(word), "\(arguments): \(outcome.errors)")
    }
}
