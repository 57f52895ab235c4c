import Foundation
import RillCore
import RillTestSupport
import Testing

@testable import RillFiles

/// Each test runs in a process of its own, whose standard streams it may turn as it likes.
@Suite struct StandardStreamTests {
    let folder = TemporaryFolder()

    @Test func `Clips come and go through pipes`() async throws {
        let (input, output, copy) = (folder.path("in.y4m"), folder.path("out"), folder.path("copy.y4m"))
        let size = Resolution(width: 321, height: 241)
        let writer = try Y4MWriter(path: input, resolution: size, frameRate: 30)
        for frame in try noiseFrames(5, size) { try writer.consume(frame) }
        try writer.finish()
        try makePipe(folder.path("in"), feeding: read(input))
        try makePipe(output)
        let received = Collected(output)
        await #expect(processExitsWith: .success) { [pipe = folder.path("in") as String, output = output as String] in
            try redirecting(STDIN_FILENO, to: pipe, O_RDONLY) {
                try redirecting(STDOUT_FILENO, to: output, O_WRONLY) {
                    let reader = try Y4MReader(path: "-")
                    let writer = try Y4MWriter(path: "-", header: reader.header)
                    while case .frame(let frame) = try reader.next() { try writer.consume(frame) }
                    try writer.finish()
                }
            }
        }
        try write(received.get(), to: copy)
        #expect(try read(copy) == read(input))
    }

    @Test func `Errors name the stream`() async throws {
        await #expect(processExitsWith: .success) { [path = folder.path("empty") as String] in
            try write([], to: path)
            try redirecting(STDIN_FILENO, to: path, O_RDONLY) {
                #expect(throws: FileError.empty(path: "standard input")) { try Y4MReader(path: "-") }
            }
            try redirecting(STDOUT_FILENO, to: "/dev/full", O_WRONLY) {
                #expect(throws: FileError.writeFailed(path: "standard output", position: 0, code: ENOSPC)) {
                    try IVFWriter(path: "-", codec: .vp8, resolution: .vga)
                }
            }
        }
    }

    /// `rill … > out.ivf` is a file like any other; `>> out.ivf` can only be added to.
    @Test func `The frame count is filled in on a file that is not appended to`() async throws {
        let (plain, appended) = (folder.path("plain.ivf"), folder.path("appended.ivf"))
        try write([9, 9, 9], to: appended)
        for (path, flags) in [(plain, O_WRONLY | O_CREAT), (appended, O_WRONLY | O_APPEND)] {
            await #expect(processExitsWith: .success) { [path = path as String, flags = flags as Int32] in
                try redirecting(STDOUT_FILENO, to: path, flags) {
                    let writer = try IVFWriter(path: "-", codec: .vp8, resolution: .vga)
                    try writer.write([1].span, at: 0)
                    try writer.finish()
                }
            }
        }
        #expect(try IVFReader(path: plain).header.frameCount == 1)
        let bytes = try read(appended)
        #expect(bytes.count == 3 + 32 + 13, "\(quoted(bytes))")
        #expect(try IVFReader(ByteInput(bytes: Array(bytes.dropFirst(3)))).header.frameCount == 0)
    }

    /// What another program wrote to the same file before us is not ours to overwrite.
    @Test func `The frame count is written at the start of our file`() async throws {
        let path = folder.path("behind.ivf")
        await #expect(processExitsWith: .success) { [path = path as String] in
            try redirecting(STDOUT_FILENO, to: path, O_WRONLY | O_CREAT) {
                _ = unsafe Foundation.write(STDOUT_FILENO, "abc", 3)
                let writer = try IVFWriter(path: "-", codec: .vp8, resolution: .vga)
                try writer.write([1].span, at: 0)
                try writer.finish()
            }
        }
        let bytes = try read(path)
        #expect(Array(bytes[..<3]) == [UInt8]("abc".utf8))
        #expect(try IVFReader(ByteInput(bytes: Array(bytes.dropFirst(3)))).header.frameCount == 1)
    }
}

/// Runs `body` with a stream of the process turned to a file, and turns it back: the test library has its own use for
/// it.
private func redirecting(_ stream: Int32, to path: String, _ flags: Int32, _ body: () throws -> Void) throws {
    let (before, descriptor) = (dup(stream), unsafe open(path, flags, 0o600))
    guard descriptor >= 0, dup2(descriptor, stream) == stream else { throw TestFailure("no \(path)") }
    close(descriptor)
    defer {
        dup2(before, stream)
        close(before)
    }
    try body()
}
