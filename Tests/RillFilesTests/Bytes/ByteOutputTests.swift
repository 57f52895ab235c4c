import Foundation
import RillCore
import RillTestSupport
import Testing

@testable import RillFiles

@Suite struct ByteOutputTests {
    let folder = TemporaryFolder()

    @Test func `What is written can be replaced`() throws {
        var output = try ByteOutput(path: folder.path("file"))
        let isRewritable = output.isRewritable
        #expect(isRewritable)
        try output.write([1, 2, 3].span, [4, 5].span)
        try output.write(Span())
        try output.write([6].span)
        let position = output.position
        #expect(position == 6)
        try output.replace(at: 1, with: [20, 30])
        try output.write([7].span)
        try output.finish()
        #expect(try read(folder.path("file")) == [1, 20, 30, 4, 5, 6, 7])
    }

    @Test func `Written data is visible at once`() throws {
        var output = try ByteOutput(path: folder.path("file"))
        try output.write([1, 2, 3].span)
        #expect(try read(folder.path("file")) == [1, 2, 3])
        try output.finish()
    }

    @Test func `An older file is emptied`() throws {
        try write([9, 9, 9], to: folder.path("file"))
        var output = try ByteOutput(path: folder.path("file"))
        try output.finish()
        #expect(try read(folder.path("file")) == [])
    }

    @Test func `Files that cannot be opened are reported`() {
        let path = folder.path("missing/file")
        #expect(throws: FileError.notFound(path: path)) { _ = try ByteOutput(path: path) }
        #expect(throws: FileError.openFailed(path: folder.root, code: EISDIR)) { _ = try ByteOutput(path: folder.root) }
    }

    @Test func `A failure stays`() throws {
        var output = try ByteOutput(path: "/dev/full")
        let isRewritable = output.isRewritable
        #expect(!isRewritable)
        let error = FileError.writeFailed(path: "/dev/full", position: 0, code: ENOSPC)
        #expect(throws: error) { try output.write([1].span) }
        #expect(throws: error) { try output.write(Span(), [2].span) }
        do throws(FileError) {
            try output.finish()
            Issue.record("the failure was forgotten")
        } catch let last {
            #expect(last == error)
        }
    }

    @Test func `A reader that is gone is an error and not a signal`() async throws {
        let path = folder.path("pipe")
        await #expect(processExitsWith: .success) { [path = path as String] in
            signal(SIGPIPE, SIG_DFL)
            try makePipe(path)
            Thread.detachNewThread { close(unsafe open(path, O_RDONLY)) }
            var output = try ByteOutput(path: path)
            let block = [UInt8](repeating: 1, count: 100_000)
            do throws(FileError) {
                while true { try output.write(block.span) }
            } catch {
                guard case .writeFailed(path, _, code: EPIPE) = error else { exit(2) }
            }
            // And a signal that is not ours still ends the process: its mask is what it was.
            var mask = sigset_t()
            unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
            exit(unsafe sigismember(&mask, SIGPIPE) == 0 ? 0 : 3)
        }
    }

    @Test func `A file that may not grow keeps its whole frames`() async throws {
        let path = folder.path("clip.ivf")
        await #expect(processExitsWith: .success) { [path = path as String] in
            // As on a disk that is nearly full: 100 bytes and no more.
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 100, rlim_max: 100)
            unsafe setrlimit(__rlimit_resource_t(1), &limit)  // RLIMIT_FSIZE
            let writer = try IVFWriter(path: path, codec: .vp8, resolution: .vga)
            let payload = [UInt8](repeating: 1, count: 20)
            try writer.write(payload.span, at: 0)
            try writer.write(payload.span, at: 1)
            let full = FileError.writeFailed(path: path, position: 100, code: EFBIG)
            #expect(throws: full) { try writer.write(payload.span, at: 2) }
            #expect(throws: full) { try writer.finish() }
        }
        let reader = try IVFReader(path: path)
        #expect(reader.header.frameCount == 2)
        var payload: [UInt8] = []
        #expect(try reader.next(into: &payload)?.timestamp == 0)
        #expect(try reader.next(into: &payload)?.timestamp == 1)
        #expect(throws: FileError.truncated(path: path, position: 96, needed: 12, available: 4)) {
            try reader.next(into: &payload)
        }
    }
}
