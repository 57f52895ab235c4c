import CPNG
import RillCore
import RillTestSupport
import Testing

@testable import RillFiles

@Suite struct PNGTests {
    let folder = TemporaryFolder()

    private static let colorSpaces: [ColorSpace] = [
        .bt601, .bt709, ColorSpace(matrix: .bt601, range: .full), ColorSpace(matrix: .bt709, range: .full),
    ]

    @Test(arguments: interestingSizes, colorSpaces)
    func `libpng reads the picture back`(resolution: Resolution, colorSpace: ColorSpace) throws {
        let frame = try noiseFrames(1, resolution, colorSpace: colorSpace)[0]
        let decoded = try decode(PNGWriter.bytes(of: frame))
        #expect(decoded.resolution == resolution)
        let reference = referenceRGB(of: frame)
        #expect(decoded.rgb.count == reference.count)
        let error = zip(decoded.rgb, reference).map { abs(Double($0) - $1) }.max() ?? 0
        // Rounded to the nearest, within the precision of the tables.
        #expect(error < 0.5001, "off by \(error)")
    }

    @Test(arguments: interestingSizes)
    func `Both pixel formats give the same picture`(resolution: Resolution) throws {
        let planar = try noiseFrames(1, resolution)[0]
        let pool = try FramePool(.nv12, resolution: resolution, capacity: 1)
        guard var frame = pool.makeFrame() else { throw TestFailure("the pool is dry") }
        var planes = frame.planes
        for y in 0..<resolution.height {
            var row = planes.y.row(y)
            for x in 0..<resolution.width { row[x] = planar.y[x, y] }
        }
        for y in 0..<resolution.chroma.height {
            var row = planes.u.row(y)
            for x in 0..<resolution.chroma.width {
                row[2 * x] = planar.u[x, y]
                row[2 * x + 1] = planar.v[x, y]
            }
        }
        let interleaved = frame.finish(captureTime: .zero)
        #expect(RGBConversion.pixels(of: interleaved) == RGBConversion.pixels(of: planar))
    }

    @Test(arguments: colorSpaces)
    func `Black, white and gray are themselves`(colorSpace: ColorSpace) throws {
        let codes: [(UInt8, UInt8)] =
            colorSpace.range == .limited
            ? [(16, 0), (235, 255), (0, 0), (255, 255), (126, 128)] : [(0, 0), (255, 255), (128, 128)]
        for (luma, expected) in codes {
            let pool = try FramePool(resolution: Resolution(width: 1, height: 1), capacity: 1)
            guard var frame = pool.makeFrame() else { throw TestFailure("the pool is dry") }
            var planes = frame.planes
            planes.y.fill(luma)
            planes.u.fill(128)
            planes.v.fill(128)
            let picture = frame.finish(captureTime: .zero, colorSpace: colorSpace)
            #expect(RGBConversion.pixels(of: picture) == [expected, expected, expected], "luma \(luma)")
        }
    }

    @Test func `A picture of RGB bytes is written unchanged`() throws {
        let size = Resolution(width: 7, height: 3)
        var generator = SeededGenerator(seed: 3)
        let rgb = (0..<63).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        let path = folder.path("picture.png")
        try PNGWriter.write(rgb: rgb, resolution: size, to: path)
        let decoded = try decode(read(path))
        #expect(decoded.resolution == size)
        #expect(decoded.rgb == rgb)
    }

    @Test func `A file holds what the bytes are`() throws {
        let frame = try noiseFrames(1, Resolution(width: 17, height: 13))[0]
        try PNGWriter.write(frame, to: folder.path("picture.png"))
        #expect(try read(folder.path("picture.png")) == PNGWriter.bytes(of: frame))
    }

    @Test func `Write errors are reported`() throws {
        let frame = try noiseFrames(1, Resolution(width: 17, height: 13))[0]
        let nowhere = folder.path("no/such/folder.png")
        #expect(throws: FileError.notFound(path: nowhere)) { try PNGWriter.write(frame, to: nowhere) }
        #expect(throws: FileError.writeFailed(path: "/dev/full", position: 0, code: 28)) {
            try PNGWriter.write(frame, to: "/dev/full")
        }
    }

    private func decode(_ file: [UInt8]) throws -> (resolution: Resolution, rgb: [UInt8]) {
        var image = unsafe png_image()
        unsafe image.version = CPNG_image_version
        defer { unsafe png_image_free(&image) }
        // The file's bytes and the pixels live during each call.
        return try unsafe file.withUnsafeBytes { file in
            guard unsafe png_image_begin_read_from_memory(&image, file.baseAddress!, file.count) != 0 else {
                throw TestFailure("libpng does not take the file")
            }
            unsafe image.format = CPNG_format_rgb
            let size = unsafe Resolution(width: Int(image.width), height: Int(image.height))
            var rgb = [UInt8](repeating: 0, count: 3 * size.pixelCount)
            guard unsafe png_image_finish_read(&image, nil, &rgb, 0, nil) != 0 else {
                throw TestFailure("libpng does not read the file to its end")
            }
            return (size, rgb)
        }
    }

    /// The formulas of BT.601 and BT.709 in real numbers, clamped and not rounded.
    private func referenceRGB(of frame: VideoFrame) -> [Double] {
        let (kr, kb) = frame.colorSpace.matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        let isFull = frame.colorSpace.range == .full
        var rgb: [Double] = []
        for y in 0..<frame.resolution.height {
            for x in 0..<frame.resolution.width {
                let luma = isFull ? Double(frame.y[x, y]) / 255 : (Double(frame.y[x, y]) - 16) / 219
                let u = (Double(frame.u[x / 2, y / 2]) - 128) / (isFull ? 255 : 224)
                let v = (Double(frame.v[x / 2, y / 2]) - 128) / (isFull ? 255 : 224)
                let red = luma + 2 * (1 - kr) * v
                let blue = luma + 2 * (1 - kb) * u
                let green = (luma - kr * red - kb * blue) / (1 - kr - kb)
                rgb += [red, green, blue].map { min(max(255 * $0, 0), 255) }
            }
        }
        return rgb
    }
}
