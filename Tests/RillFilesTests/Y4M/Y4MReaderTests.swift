import RillCore
import RillTestSupport
import Testing

@testable import RillFiles

@Suite struct Y4MReaderTests {
    let folder = TemporaryFolder()

    /// A clip of `count` frames of noise, as bytes.
    private func clip(
        _ resolution: Resolution, frames count: Int, header: String? = nil, frameHeader: String = "FRAME\n"
    ) throws -> (bytes: [UInt8], frames: [[UInt8]]) {
        let frames = try noiseFrames(count, resolution).map(samples(of:))
        let header = header ?? "YUV4MPEG2 W\(resolution.width) H\(resolution.height) F25:1\n"
        return (frames.reduce([UInt8](header.utf8)) { $0 + [UInt8](frameHeader.utf8) + $1 }, frames)
    }

    private func reader(_ bytes: [UInt8], capacity: Int = 2) throws(FileError) -> Y4MReader {
        try Y4MReader(ByteInput(bytes: bytes, path: "clip.y4m"), capacity: capacity)
    }

    // MARK: Good clips

    @Test(arguments: interestingSizes, [0, 1, 900])
    func `Frames come from memory, files and pipes alike`(resolution: Resolution, parameterLength: Int) throws {
        let parameters = parameterLength == 0 ? "" : " X" + String(repeating: "x", count: parameterLength)
        let (bytes, frames) = try clip(resolution, frames: 3, frameHeader: "FRAME\(parameters)\n")
        try write(bytes, to: folder.path("clip.y4m"))
        try makePipe(folder.path("pipe"), feeding: bytes)
        let readers = [
            "memory": try reader(bytes), "file": try Y4MReader(path: folder.path("clip.y4m"), capacity: 2),
            "pipe": try Y4MReader(path: folder.path("pipe"), capacity: 2),
        ]
        for (kind, reader) in readers {
            let playback = Playback(of: reader)
            #expect(playback.error == nil, "\(kind)")
            #expect(playback.frames == frames, "\(kind)")
            #expect(playback.resolutions == [resolution, resolution, resolution], "\(kind)")
            #expect(playback.times.map(\.nanoseconds) == [0, 40_000_000, 80_000_000], "\(kind)")
            #expect(reader.position == bytes.count, "\(kind)")
            #expect(reader.poolStatistics?.misses == 0, "\(kind)")
            guard case .end = try reader.next() else {
                Issue.record("\(kind): more than the end")
                return
            }
        }
    }

    @Test func `An empty clip has no frames`() throws {
        let clip = try reader([UInt8]("YUV4MPEG2 W2 H2\n".utf8))
        #expect(clip.format.frameCount == 0)
        #expect(Playback(of: clip).frames.isEmpty)
        #expect(Playback(of: clip).error == nil)
    }

    @Test func `The format has size, rate and count`() throws {
        let size = Resolution(width: 17, height: 13)
        let bytes = try clip(size, frames: 3).bytes
        #expect(try reader(bytes).format == SourceFormat(resolution: size, frameRate: 25, frameCount: 3))
        #expect(try reader(bytes.dropLast()).format.frameCount == nil)
        try write(bytes, to: folder.path("clip.y4m"))
        #expect(try Y4MReader(path: folder.path("clip.y4m")).format.frameCount == 3)
        try makePipe(folder.path("pipe"), feeding: bytes)
        #expect(try Y4MReader(path: folder.path("pipe")).format.frameCount == nil)
    }

    @Test(arguments: [("", ColorSpace.Range.limited), (" XCOLORRANGE=FULL", .full), (" XCOLORRANGE=LIMITED", .limited)])
    func `The range travels on the frames`(parameter: String, range: ColorSpace.Range) throws {
        let bytes = try clip(Resolution(width: 2, height: 2), frames: 1, header: "YUV4MPEG2 W2 H2\(parameter)\n").bytes
        #expect(Playback(of: try reader(bytes)).colorSpaces == [ColorSpace(matrix: .bt601, range: range)])
        let hd = try Y4MReader(ByteInput(bytes: bytes), matrix: .bt709)
        #expect(Playback(of: hd).colorSpaces == [ColorSpace(matrix: .bt709, range: range)])
    }

    @Test(arguments: ["", " F0:0"])
    func `An unknown rate is thirty unless the caller knows better`(parameter: String) throws {
        let bytes = try clip(Resolution(width: 2, height: 2), frames: 2, header: "YUV4MPEG2 W2 H2\(parameter)\n").bytes
        let plain = try reader(bytes)
        #expect(plain.header.frameRate == nil)
        #expect(plain.format.frameRate == 30)
        #expect(Playback(of: plain).times.last?.nanoseconds == 33_333_333)
        let told = try Y4MReader(ByteInput(bytes: bytes), defaultFrameRate: 5)
        #expect(Playback(of: told).times.last?.nanoseconds == 200_000_000)
    }

    @Test func `A dry pool loses nothing`() throws {
        let (bytes, frames) = try clip(Resolution(width: 160, height: 120), frames: 4)
        let clip = try reader(bytes, capacity: 2)
        var held: [VideoFrame] = []
        while case .frame(let frame) = try clip.next() { held.append(frame) }
        #expect(held.map(samples(of:)) == Array(frames[..<2]))
        let position = clip.position
        for _ in 0..<3 {
            guard case .noBuffer = try clip.next() else {
                Issue.record("a frame from a dry pool")
                return
            }
        }
        #expect(clip.position == position)
        held = []
        #expect(Playback(of: clip).frames == Array(frames[2...]))
    }

    @Test func `A frame is one call of the system`() throws {
        let count = 20
        for size in [Resolution.vga, Resolution(width: 321, height: 241)] {
            try write(try clip(size, frames: count).bytes, to: folder.path("clip.y4m"))
            let reader = try Y4MReader(path: folder.path("clip.y4m"), capacity: 2)
            // The first frame has some of its bytes in the buffer already.
            _ = try reader.next()
            let before = try readCalls()
            for _ in 1..<count { _ = try reader.next() }
            // Reading the counter is a call or two itself.
            #expect(try readCalls() - before <= count + 2, "\(size)")
        }
    }

    /// Calls of read(2) and its kin that this thread has made.
    private func readCalls() throws -> Int {
        let input = try ByteInputText.contents(of: "/proc/thread-self/io")
        guard let line = input.split(separator: "\n").first(where: { $0.hasPrefix("syscr: ") }),
            let calls = Int(line.dropFirst(7))
        else { throw TestFailure("the system does not count calls") }
        return calls
    }

    // MARK: Damage

    @Test func `A clip cut anywhere gives its whole frames and one error`() throws {
        let size = Resolution(width: 3, height: 3)
        let (bytes, frames) = try clip(size, frames: 2)
        let header = bytes.firstIndex(of: UInt8(ascii: "\n"))! + 1
        let frame = 6 + 17
        try write(bytes, to: folder.path("clip.y4m"))
        for length in 0..<bytes.count {
            guard length >= header else {
                let expected: FileError =
                    length == 0
                    ? .empty(path: "clip.y4m")
                    : .truncated(
                        path: "clip.y4m", position: 0, needed: max(10, length + 1), available: length)
                #expect(throws: expected, "\(length) bytes") { try reader(Array(bytes[..<length])) }
                continue
            }
            let whole = (length - header) / frame
            let rest = (length - header) % frame
            let start = header + whole * frame
            let playback = Playback(of: try reader(Array(bytes[..<length])))
            #expect(playback.frames == Array(frames[..<whole]), "\(length) bytes")
            let expected: FileError? =
                switch rest {
                case 0: nil
                case 1..<6: .truncated(path: "clip.y4m", position: start, needed: 6, available: rest)
                default: .truncated(path: "clip.y4m", position: start + 6, needed: 17, available: rest - 6)
                }
            #expect(playback.error as? FileError == expected, "\(length) bytes")
        }
    }

    @Test func `A pipe that ends too early reports how much it had`() throws {
        let (bytes, frames) = try clip(Resolution(width: 160, height: 120), frames: 3)
        try makePipe(folder.path("pipe"), feeding: bytes.dropLast(1000))
        let playback = Playback(of: try Y4MReader(path: folder.path("pipe"), capacity: 1))
        #expect(playback.frames == Array(frames[..<2]))
        #expect(
            playback.error as? FileError
                == .truncated(
                    path: folder.path("pipe"), position: bytes.count - 28800, needed: 28800, available: 27800))
    }

    @Test func `An error stays`() throws {
        let bytes = try clip(Resolution(width: 3, height: 3), frames: 2).bytes
        let clip = try reader(bytes.dropLast())
        let first = try #require(Playback(of: clip).error as? FileError)
        #expect(throws: first) { try clip.next() }
    }

    @Test func `Data that is not a frame is reported with its position`() throws {
        let (bytes, frames) = try clip(Resolution(width: 2, height: 2), frames: 2)
        for (offset, byte) in [(0, UInt8(ascii: "f")), (4, 0), (5, UInt8(ascii: "S"))] {
            var damaged = bytes
            let start = bytes.count - 12
            damaged[start + offset] = byte
            let playback = Playback(of: try reader(damaged))
            #expect(playback.frames == [frames[0]])
            guard case .damaged("clip.y4m", position: start, _, _)? = playback.error as? FileError else {
                Issue.record("byte \(offset): \(String(describing: playback.error))")
                continue
            }
        }
    }

    @Test(arguments: ["hello, world", "YUV4MPEG 1 2", "YUV4MPEG22 W2 H2\n", "RIFF", "\n", "YUV5"])
    func `Foreign files are named`(text: String) throws {
        let bytes = [UInt8](text.utf8)
        do {
            _ = try reader(bytes)
            Issue.record("\(text) was taken")
        } catch {
            guard case .foreign("clip.y4m", _, found: Array(bytes.prefix(16))) = error else {
                Issue.record("\(text): \(error)")
                return
            }
        }
    }

    @Test func `A line without end is given up`() throws {
        let endless = [UInt8]("YUV4MPEG2 ".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
        #expect(throws: FileError.headerTooLong(path: "clip.y4m", position: 0, limit: 4096)) { try reader(endless) }
        let frame = [UInt8]("YUV4MPEG2 W2 H2\nFRAME ".utf8) + endless
        let clip = try reader(frame)
        #expect(throws: FileError.headerTooLong(path: "clip.y4m", position: 16, limit: 4096)) { try clip.next() }
    }

    @Test func `A header with a false size costs no memory`() throws {
        #expect(throws: FileError.resolutionOutOfRange(path: "clip.y4m", width: 100_000, height: 100_000)) {
            try reader([UInt8]("YUV4MPEG2 W100000 H100000 F30:1\nFRAME\nabc".utf8))
        }
        let clip = try reader([UInt8]("YUV4MPEG2 W16383 H16383 F30:1\nFRAME\nabc".utf8), capacity: 1_000_000)
        let needed = 16383 * 16383 + 2 * 8192 * 8192
        #expect(throws: FileError.truncated(path: "clip.y4m", position: 36, needed: needed, available: 3)) {
            try clip.next()
        }
        #expect(clip.poolStatistics == nil)
    }

    @Test func `Times that would overflow are refused`() throws {
        // One frame in 68 years: the third would be due in 136.
        let bytes = try clip(Resolution(width: 1, height: 1), frames: 6, header: "YUV4MPEG2 W1 H1 F1:2147483647\n")
            .bytes
        let playback = Playback(of: try reader(bytes))
        #expect(playback.frames.count == 2)
        #expect(playback.error as? FileError == .timeOutOfRange(path: "clip.y4m", position: 30 + 2 * 9 + 6))
    }

    @Test func `No bytes bring it down`() throws {
        let size = Resolution(width: 5, height: 3)
        let seeds = [
            try clip(size, frames: 2).bytes,
            try clip(size, frames: 1, header: "YUV4MPEG2 W5 H3 F30000:1001 Ip A1:1 C420mpeg2 XCOLORRANGE=FULL\n").bytes,
            try clip(size, frames: 1, header: "YUV4MPEG2 XYSCSS=420JPEG H3 W5\n", frameHeader: "FRAME Ip\n").bytes,
        ]
        var (opened, framesRead, failures) = (0, 0, 0)
        for (index, bytes) in MutatedInputs(of: seeds, count: 100_000, using: SeededGenerator(seed: 41)).enumerated() {
            guard let clip = try? reader(bytes, capacity: 1) else { continue }  // refusals are other tests' business
            opened += 1
            let playback = Playback(of: clip)
            framesRead += playback.frames.count
            if let error = playback.error {
                failures += 1
                #expect(error is FileError, "input \(index)")
            } else {
                #expect(clip.position == bytes.count, "input \(index)")
            }
            let size = FrameRuns.byteCount(of: clip.header.resolution)
            guard playback.frames.allSatisfy({ $0.count == size }) else {
                Issue.record("input \(index): a frame of another size")
                return
            }
        }
        // The damage reaches all parts: some inputs still play, some fail early and some late.
        #expect(opened > 30_000 && opened < 95_000 && framesRead > 20_000 && failures > 10_000)
    }
}

/// A small file as text.
enum ByteInputText {
    static func contents(of path: String) throws -> String {
        var input = try ByteInput(path: path)
        var bytes: [UInt8] = []
        try input.read(65536, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
