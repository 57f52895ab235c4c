import Foundation
import RillTestSupport
import Testing

@testable import RillCLI

struct RealPathTests {
    private let folder = TemporaryFolder()

    @Test func aFileIsOneByWhateverPath() throws {
        try write([1], to: folder.path("file"))
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "file")
        let file = RealPath(folder.path("file"))
        #expect(RealPath(folder.path("link")) == file && RealPath(folder.path("./file")) == file)
        #expect(file.text.hasSuffix("/file"))
    }

    @Test func soIsOneThatIsStillToBeMade() {
        let file = RealPath(folder.path("no/such/file"))
        for path in ["./no/such/file", "no//such/./file", "no/other/../such/file"] {
            #expect(RealPath(folder.path(path)) == file, "\(path)")
        }
        #expect(RealPath(folder.path("no/such/file2")) != file)
        #expect(RealPath("not-here") == RealPath(FileManager.default.currentDirectoryPath + "/not-here/"))
        #expect(RealPath("/not-here").text == "/not-here" && RealPath("").text.isEmpty)
    }
}
