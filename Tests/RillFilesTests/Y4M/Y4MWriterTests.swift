import RillCore
import RillTestSupport
import Testing

@testable import RillFiles

@Suite struct Y4MWriterTests {
    let folder = TemporaryFolder()

    @Test(arguments: interestingSizes, Y4MHeader.ChromaSiting.allCases)
    func `Written values are parsed back`(resolution: Resolution, siting: Y4MHeader.ChromaSiting) throws {
        let path = folder.path("clip.y4m")
        let frames = try noiseFrames(3, resolution)
        let header = Y4MHeader(
            resolution: resolution, frameRate: FrameRate(30000, per: 1001), chromaSiting: siting, extensions: ["note"])
        let writer = try Y4MWriter(path: path, header: header)
        for frame in frames { try writer.consume(frame) }
        try writer.finish()

        let reader = try Y4MReader(path: path)
        #expect(reader.header == header)
        #expect(reader.format.frameCount == 3)
        let playback = Playback(of: reader)
        #expect(playback.error == nil)
        #expect(playback.frames == frames.map(samples(of:)))
        #expect(playback.times.map(\.nanoseconds) == [0, 33_366_667, 66_733_333])
    }

    @Test func `Frames of any layout are written`() throws {
        // As a decoder lays them out: V before U, gaps between rows and planes, another origin.
        let size = Resolution(width: 5, height: 1201)
        let usual = FrameLayout(.i420, size)
        var (y, u, v) = (usual[plane: 0], usual[plane: 1], usual[plane: 2])
        (y.offset, y.stride) = (40_000, 11)
        (u.offset, u.stride) = (60_000, 3)
        (v.offset, v.stride) = (57_000, 4)
        let layout = FrameLayout(format: .i420, resolution: size, planes: (y, u, v))
        let frames = try noiseFrames(2, size, layout: layout)
        let writer = try Y4MWriter(path: folder.path("clip.y4m"), resolution: size, frameRate: 30)
        for frame in frames { try writer.consume(frame) }
        try writer.finish()
        #expect(Playback(of: try Y4MReader(path: folder.path("clip.y4m"))).frames == frames.map(samples(of:)))
    }

    @Test func `Full range is reported`() throws {
        let size = Resolution(width: 2, height: 2)
        let full = ColorSpace(matrix: .bt601, range: .full)
        let writer = try Y4MWriter(path: folder.path("clip.y4m"), resolution: size, frameRate: 30, range: .full)
        try writer.consume(noiseFrames(1, size, colorSpace: full)[0])
        #expect(throws: FileError.self) { try writer.consume(noiseFrames(1, size)[0]) }
        try writer.finish()
        let playback = Playback(of: try Y4MReader(path: folder.path("clip.y4m")))
        #expect(playback.colorSpaces == [full])
    }

    @Test func `Frames of another kind are refused`() throws {
        let path = folder.path("clip.y4m")
        let size = Resolution(width: 4, height: 4)
        let writer = try Y4MWriter(path: path, resolution: size, frameRate: 30)
        let expected = "i420 frames of 4x4"
        #expect(throws: FileError.unexpectedInput(path: path, expected: expected, given: "a frame of i420, 4x6")) {
            try writer.consume(noiseFrames(1, Resolution(width: 4, height: 6))[0])
        }
        #expect(throws: FileError.unexpectedInput(path: path, expected: expected, given: "a frame of nv12, 4x4")) {
            try writer.consume(noiseFrames(1, size, format: .nv12)[0])
        }
        try writer.consume(noiseFrames(1, size)[0])
        try writer.finish()
        #expect(Playback(of: try Y4MReader(path: path)).frames.count == 1)
    }

    @Test func `A full disk is reported`() throws {
        #expect(throws: FileError.writeFailed(path: "/dev/full", position: 0, code: 28)) {
            try Y4MWriter(path: "/dev/full", resolution: .vga, frameRate: 30)
        }
        #expect(
            FileError.writeFailed(path: "/dev/full", position: 0, code: 28).description
                == "/dev/full: cannot be written at byte 0: No space left on device (errno 28)")
    }
}
