import ArgumentParser
import Foundation
import RillTestSupport
import Testing

@testable import RillCLI

struct RealPathTests {
    private let folder = TemporaryFolder()

    @Test func `A file is one by whatever path`() throws {
        try write([1], to: folder.path("file"))
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "file")
        let file = RealPath(folder.path("file"))
        #expect(RealPath(folder.path("link")) == file && RealPath(folder.path("./file")) == file)
        #expect(file.text.hasSuffix("/file"))
    }

    @Test func `A dangling link resolves to its target`() throws {
        let files = FileManager.default
        try files.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "next")
        try files.createSymbolicLink(atPath: folder.path("next"), withDestinationPath: folder.path("./planned"))
        #expect(RealPath(folder.path("link")) == RealPath(folder.path("planned")))
        // One that leads to itself leads nowhere.
        try files.createSymbolicLink(atPath: folder.path("circle"), withDestinationPath: "circle")
        #expect(RealPath(folder.path("circle")).text.hasSuffix("/circle"))
        #expect(throws: ValidationError.self) {
            try requireDistinct(input: nil, outputs: [folder.path("link"), folder.path("./planned")])
        }
        try requireDistinct(input: nil, outputs: [folder.path("link"), folder.path("other"), "/dev/null", "/dev/zero"])
    }

    @Test func `So is one that is still to be made`() {
        let file = RealPath(folder.path("no/such/file"))
        for path in ["./no/such/file", "no//such/./file", "no/other/../such/file"] {
            #expect(RealPath(folder.path(path)) == file, "\(path)")
        }
        #expect(RealPath(folder.path("no/such/file2")) != file)
        #expect(RealPath("not-here") == RealPath(FileManager.default.currentDirectoryPath + "/not-here/"))
        #expect(RealPath("/not-here").text == "/not-here" && RealPath("").text.isEmpty)
    }
}
