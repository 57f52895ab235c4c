import RillCore
import RillTestSupport
import Testing

@testable import RillFiles

@Suite struct RawVideoTests {
    let folder = TemporaryFolder()

    @Test(arguments: interestingSizes, [PixelFormat.i420, .nv12])
    func `Written values are parsed back`(resolution: Resolution, format: PixelFormat) throws {
        let path = folder.path("clip.\(format.rawValue)")
        let frames = try noiseFrames(3, resolution, format: format)
        let writer = try RawVideoWriter(path: path, pixelFormat: format, resolution: resolution)
        for frame in frames { try writer.consume(frame) }
        try writer.finish()
        let bytes = try read(path)
        #expect(bytes == frames.flatMap(samples(of:)))

        try makePipe(folder.path("pipe"), feeding: bytes)
        for path in [path, folder.path("pipe")] {
            let reader = try RawVideoReader(
                path: path, pixelFormat: format, resolution: resolution, frameRate: 12, colorSpace: .bt709)
            let playback = Playback(of: reader)
            #expect(playback.error == nil)
            #expect(playback.frames == frames.map(samples(of:)))
            #expect(playback.times.map(\.nanoseconds) == [0, 83_333_333, 166_666_667])
            #expect(playback.colorSpaces == [.bt709, .bt709, .bt709])
            #expect(reader.position == bytes.count)
        }
    }

    @Test func `The format counts whole frames`() throws {
        let size = Resolution(width: 3, height: 3)
        try write([UInt8](repeating: 7, count: 17 * 5 + 16), to: folder.path("clip.yuv"))
        let reader = try RawVideoReader(path: folder.path("clip.yuv"), resolution: size)
        #expect(reader.format == SourceFormat(resolution: size, frameRate: 30, frameCount: 5))
    }

    @Test(arguments: 1...40)
    func `A truncated frame is reported with its position`(length: Int) throws {
        let size = Resolution(width: 3, height: 3)
        let bytes = (0..<length).map(UInt8.init)
        let playback = Playback(of: RawVideoReader(ByteInput(bytes: bytes, path: "clip.yuv"), resolution: size))
        let (whole, rest) = length.quotientAndRemainder(dividingBy: 17)
        #expect(playback.frames.count == whole)
        #expect(
            playback.error as? FileError
                == (rest == 0
                    ? nil : .truncated(path: "clip.yuv", position: whole * 17, needed: 17, available: rest)))
    }

    @Test func `An empty file is reported`() {
        let playback = Playback(of: RawVideoReader(ByteInput(bytes: [], path: "clip.yuv"), resolution: .vga))
        #expect(playback.error as? FileError == .empty(path: "clip.yuv"))
    }

    @Test func `A size that the file does not hold costs no memory`() {
        let huge = Resolution(width: 16383, height: 16383)
        let reader = RawVideoReader(
            ByteInput(bytes: [1, 2, 3], path: "clip.yuv"), resolution: huge, capacity: 1_000_000)
        #expect(
            throws: FileError.truncated(
                path: "clip.yuv", position: 0, needed: 16383 * 16383 + 2 * 8192 * 8192, available: 3)
        ) { try reader.next() }
        #expect(reader.poolStatistics == nil)
    }

    @Test func `A dry pool loses nothing`() throws {
        let size = Resolution(width: 3, height: 3)
        let bytes = (0..<UInt8(51)).map(\.self)
        let reader = RawVideoReader(ByteInput(bytes: bytes), resolution: size, capacity: 1)
        guard case .frame(var held) = try reader.next() else {
            Issue.record("no frame")
            return
        }
        for count in 1...2 {
            guard case .noBuffer = try reader.next() else {
                Issue.record("a frame from a dry pool")
                return
            }
            #expect(reader.position == 17 * count)
            held = try noiseFrames(1, size)[0]
            guard case .frame(let frame) = try reader.next() else {
                Issue.record("no frame")
                return
            }
            held = frame
            #expect(samples(of: held) == Array(bytes[17 * count..<17 * count + 17]))
        }
    }
}
