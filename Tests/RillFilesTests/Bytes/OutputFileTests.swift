import Glibc
import RillTestSupport
import Testing

@testable import RillFiles

struct OutputFileTests {
    private let folder = TemporaryFolder()

    private func write(_ text: String, to path: String) throws {
        var output = try ByteOutput(path: path)
        try output.write([UInt8](text.utf8).span)
        try output.finish()
    }

    private func text(of path: String) -> String? {
        guard let file = unsafe fopen(path, "r") else { return nil }
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    @Test func `It gets its name once it is complete`() throws {
        let path = folder.path("out.ivf")
        try write("old", to: path)
        let file = OutputFile(path: path)
        #expect(file.partPath == folder.path(".out.ivf.part"))
        try write("new", to: file.partPath)
        #expect(text(of: path) == "old")
        try file.commit()
        #expect(text(of: path) == "new" && text(of: file.partPath) == nil)
        // Whatever comes later takes it away no more.
        file.discard()
        #expect(text(of: path) == "new")
    }

    @Test func `A released object leaves nothing behind`() throws {
        let path = folder.path("out.ivf")
        do {
            let file = OutputFile(path: path)
            try write("half", to: file.partPath)
        }
        #expect(text(of: path) == nil && text(of: folder.path(".out.ivf.part")) == nil)
    }

    @Test func `A part can be kept`() throws {
        let path = folder.path("out.ivf")
        do {
            let file = OutputFile(path: path)
            try write("what cannot be made again", to: file.partPath)
            file.keepTemporary()
        }
        #expect(text(of: path) == nil && text(of: folder.path(".out.ivf.part")) == "what cannot be made again")
    }

    @Test func `A file is written at once`() throws {
        let path = folder.path("page.html")
        try write("old", to: path)
        try OutputFile.write(Array("new".utf8), to: path)
        #expect(text(of: path) == "new" && text(of: folder.path(".page.html.part")) == nil)
        #expect(throws: FileError.notFound(path: folder.path("no/page.html"))) {
            try OutputFile.write([1], to: folder.path("no/page.html"))
        }
        #expect(throws: FileError.writeFailed(path: "/dev/full", position: 0, code: ENOSPC)) {
            try OutputFile.write([1], to: "/dev/full")
        }
    }

    @Test func `What a killed run left is written over`() throws {
        let file = OutputFile(path: folder.path("out.ivf"))
        try write("left over by somebody who was killed", to: file.partPath)
        try write("new", to: file.partPath)
        try file.commit()
        #expect(text(of: file.path) == "new")
    }

    @Test func `A link stays a link`() throws {
        try write("old", to: folder.path("real"))
        #expect(unsafe symlink(folder.path("real"), folder.path("link")) == 0)
        let file = OutputFile(path: folder.path("link"))
        try write("new", to: file.partPath)
        try file.commit()
        #expect(text(of: folder.path("real")) == "new" && text(of: folder.path("link")) == "new")
        var status = stat()
        #expect(unsafe lstat(folder.path("link"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    }

    @Test func `A dangling link stays a link, too`() throws {
        #expect(unsafe symlink("real", folder.path("second")) == 0)
        #expect(unsafe symlink(folder.path("second"), folder.path("link")) == 0)
        try OutputFile.write(Array("new".utf8), to: folder.path("link"))
        #expect(text(of: folder.path("real")) == "new")
        var status = stat()
        #expect(unsafe lstat(folder.path("link"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        // One into a folder that is not there.
        #expect(unsafe symlink("no/such", folder.path("lost")) == 0)
        #expect(throws: FileError.notFound(path: folder.path("lost"))) {
            try OutputFile.write([1], to: folder.path("lost"))
        }
    }

    @Test(arguments: ["-", "/dev/null"])
    func `What is not a file is written to directly`(path: String) throws {
        let file = OutputFile(path: path)
        #expect(file.partPath == path && !file.isPart)
        try file.commit()
        var status = stat()
        #expect(unsafe stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }

    @Test func `A rename that fails is reported`() throws {
        let path = folder.path("out.ivf")
        let file = OutputFile(path: path)
        try write("new", to: file.partPath)
        // Meanwhile somebody has made a folder of that name.
        #expect(unsafe mkdir(path, 0o700) == 0)
        #expect(throws: FileError.renameFailed(path: path, code: EISDIR)) { try file.commit() }
        #expect(text(of: file.partPath) == nil)
    }
}
