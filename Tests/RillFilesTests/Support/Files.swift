import Foundation
import RillCore

func read(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
}

/// A named pipe that a thread feeds with `bytes`, a few at a time, and then closes: whoever reads it gets them in pieces
/// of every size.
func makePipe(_ path: String, feeding bytes: [UInt8], pieces: ClosedRange<Int> = 1...3000, seed: UInt64 = 5) throws {
    try makePipe(path)
    Thread.detachNewThread {
        // A reader that goes away early must end the feeding, not the tests.
        var pipeSignal = sigset_t()
        unsafe sigemptyset(&pipeSignal)
        unsafe sigaddset(&pipeSignal, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &pipeSignal, nil)
        let descriptor = unsafe open(path, O_WRONLY)
        defer { close(descriptor) }
        var generator = SeededGenerator(seed: seed)
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = [UInt8](rest.prefix(Int.random(in: pieces, using: &generator)))
            // The bytes live during the call.
            let written = unsafe piece.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }
}

/// Another program as a judge: what it makes we must read, what we make it must read.
enum Peer: String {
    case ffmpeg, vpxenc, vpxdec

    var path: String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(rawValue)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    var isInstalled: Bool { path != nil }

    /// Runs it to its end and gives its standard output; anything but success throws what it said.
    @discardableResult
    func run(_ arguments: String...) throws -> [UInt8] {
        guard let path else { throw TestFailure("\(rawValue) is not installed") }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        let (output, errors) = (FileManager.default.temporaryDirectory, Pipe())
        let outputPath = output.appending(path: "rill-peer-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: outputPath.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: outputPath) }  // what stays behind is the system's to clean up
        process.standardOutput = try FileHandle(forWritingTo: outputPath)
        process.standardError = errors
        try process.run()
        let said = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw TestFailure("\(rawValue) \(arguments): \(String(decoding: said, as: UTF8.self))")
        }
        return [UInt8](try Data(contentsOf: outputPath))
    }
}

/// A named pipe that nobody has opened yet.
func makePipe(_ path: String) throws {
    guard unsafe mkfifo(path, 0o600) == 0 else { throw TestFailure("no pipe at \(path)") }
}

/// All that comes through a pipe until its writer closes it, read on a thread of its own.
func collect(_ path: String) async -> [UInt8] {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            let descriptor = unsafe open(path, O_RDONLY)
            defer { close(descriptor) }
            var (bytes, block): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 65536))
            while true {
                let count = unsafe Foundation.read(descriptor, &block, block.count)
                guard count > 0 else { break }
                bytes += block[..<count]
            }
            continuation.resume(returning: bytes)
        }
    }
}
