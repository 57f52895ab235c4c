import RillTestSupport
import Testing

@Suite struct ReencodeCommandTests {
    private let folder = TemporaryFolder()

    /// A small clip that a loopback has sent, with what it coded and its trace.
    private func call() throws -> (clip: String, trace: String, coded: [String]) {
        let (clip, trace) = (folder.path("clip.y4m"), folder.path("call.trace"))
        let coded = ["high.ivf", "low.ivf"].map(folder.path)
        let made = try rill("generate", "portrait", clip, "--size", "64x48", "--duration", "1s")
        #expect(made.status == 0, "\(made.errors)")
        // A slow encoder, so that frames give way.
        let sent = try rill(
            "loopback", clip, "--no-compare", "--encode-time", "50ms", "--trace", trace, "--coded", coded[0],
            "--low-coded", coded[1])
        #expect(sent.status == 0, "\(sent.errors)")
        return (clip, trace, coded)
    }

    @Test func `A trace gives the files of its run`() throws {
        let (clip, trace, coded) = try call()
        let again = ["again.ivf", "again-low.ivf"].map(folder.path)
        let outcome = try rill("reencode", trace, clip, again[0], again[1])
        #expect(outcome.status == 0, "\(outcome.errors)")
        for (first, second) in zip(coded, again) {
            let bytes = try read(first)
            #expect(bytes.count > 100)
            let isEqual = bytes == (try read(second))
            #expect(isEqual, "\(second) is not \(first)")
        }
        #expect(try String(decoding: read(trace), as: UTF8.self).contains("high drop "))
        #expect(outcome.text.contains("dropped live"))
    }

    @Test func `Inputs that do not match are reported`() throws {
        let (clip, trace, coded) = try call()
        let out = folder.path("out.ivf")
        for (arguments, words) in [
            ([trace, clip, folder.path("out.y4m")], "must end in .ivf"),
            ([trace, clip, out, folder.path("b.ivf"), folder.path("c.ivf")], "has 2 layers"),
            ([clip, clip, out], "the same file"),
            ([coded[0], clip, out], "line 1"),
            ([trace, folder.path("missing.y4m"), out], "missing.y4m"),
        ] {
            let outcome = try rillProgram().run(["reencode"] + arguments)
            #expect(outcome.status != 0, "\(arguments)")
            #expect(outcome.errors.contains(words), "\(arguments): \(outcome.errors)")
        }
    }
}
