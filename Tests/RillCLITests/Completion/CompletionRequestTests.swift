import RillTestSupport
import Testing

@testable import RillCLI

@Suite struct CompletionRequestTests {
    let folder = TemporaryFolder()

    private func ask(_ words: String...) throws -> RunningProgram.Outcome {
        var program = try rillProgram()
        program.environment["SAP_SHELL"] = "bash"
        return try program.run(["---completion"] + words)
    }

    @Test func `The program completes the parts of a network`() throws {
        let answer = try ask(
            "loopback", "--", "--network", "3", "10", "rill", "loopback", "--network", "loss=2%,de")
        #expect(answer.status == 0)
        #expect(answer.text == "loss=2%,delay=\n")
        #expect(answer.errors.isEmpty)
    }

    @Test func `Files are left to scripts that know of them`() throws {
        let words = ["call", "--", "positional@0", "2", "0", "rill", "call", ""]
        var program = try rillProgram()
        program.environment["SAP_SHELL"] = "bash"
        #expect(!(try program.run(["---completion"] + words).text.contains("files:")))
        program.environment["RILL_COMPLETES_FILES"] = "1"
        let last = try program.run(["---completion"] + words).text.split(separator: "\n").last ?? ""
        #expect(last.hasPrefix("files: y4m ivf ") && last.contains(" MP4"), "\(last)")
    }

    @Test func `Cameras are offered by the names of their nodes, in the order of their numbers`() throws {
        for name in ["video10", "video2", "video0", "videoX", "video", "audio0"] {
            try write([], to: folder.path(name))
        }
        #expect(
            CameraNodes.list(in: folder.root) == ["video0", "video2", "video10"].map { folder.path($0) })
        #expect(CameraNodes.list(in: folder.path("nothing")) == [])
    }
}
