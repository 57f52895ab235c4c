import RillCore
import RillImage
import RillTestSupport
import Testing

@Suite struct ColorConverterTests {
    /// A picture that has every pair of a luma and a chroma value, in full range.
    private func allValues(_ size: Resolution = Resolution(width: 512, height: 512)) throws -> VideoFrame {
        var frame = try existing(FramePool(resolution: size, capacity: 1).makeFrame())
        var planes = frame.planes
        for y in 0..<planes.y.height {
            var row = planes.y.row(y)
            for x in row.indices { row[x] = UInt8(x / 2 & 0xFF) }
        }
        for y in 0..<planes.u.height {
            var u = planes.u.row(y)
            for x in u.indices { u[x] = UInt8(y & 0xFF) }
            var v = planes.v.row(y)
            for x in v.indices { v[x] = UInt8(255 - y & 0xFF) }
        }
        return frame.finish(
            captureTime: MediaTime(nanoseconds: 7), colorSpace: ColorSpace(matrix: .bt709, range: .full))
    }

    /// What libswscale computes without dithering (`lumRangeFromJpeg_c`, `chrRangeFromJpeg_c`): 15 bits a sample.
    private func swscale(_ value: UInt8, isLuma: Bool) -> Int {
        let sample = Int(value) << 7
        let reduced = isLuma ? (sample * 14071 + 33_561_947) >> 14 : (sample * 1799 + 4_081_085) >> 11
        return (reduced + 64) >> 7
    }

    @Test func `Every value becomes the nearest, within one of what FFmpeg makes of it`() throws {
        let full = try allValues()
        var converter = ColorConverter(capacity: 1)
        let limited = try existing(try converter.convert(full))
        #expect(limited.colorSpace == .bt709 && converter.framesConverted == 1)
        for plane in 0..<3 {
            let (low, scale, zero) = plane == 0 ? (16.0, 219.0 / 255, 0.0) : (128, 224.0 / 255, 128)
            for (before, after) in zip(full.plane(plane), limited.plane(plane)) {
                let exact = low + (Double(before) - zero) * scale
                guard abs(Double(after) - exact) <= 0.5 + 1e-9,
                    abs(Int(after) - swscale(before, isLuma: plane == 0)) <= 1
                else { throw TestFailure("plane \(plane): \(before) became \(after)") }
            }
        }
    }

    @Test(arguments: [(1, 1), (3, 5), (17, 13), (64, 48), (67, 2)])
    func `All sizes are converted whole, as in place`(width: Int, height: Int) throws {
        let size = Resolution(width: width, height: height)
        let full = try allValues(size)
        let limited = try existing(
            try full.reducedToLimitedRange(into: FramePool(resolution: size, capacity: 1)))
        var copy = try existing(FramePool(resolution: size, capacity: 1).makeFrame())
        copy.fill(fromPlanar: full.y, u: full.u, v: full.v)
        copy.reduceToLimitedRange()
        let inPlace = copy.finish(captureTime: .zero)
        #expect(limited.samples == inPlace.samples)
    }

    @Test func `A picture in limited range is passed on unchanged`() throws {
        let pictures = try TestPictures(Resolution(width: 32, height: 16))
        var converter = ColorConverter(capacity: 1)
        let first = pictures.picture(0)
        for _ in 0..<3 {
            let same = try existing(try converter.convert(first))
            // No other buffer: the same address.
            #expect(unsafe same.pointer(plane: 0) == first.pointer(plane: 0))
        }
        #expect(converter.framesConverted == 0 && converter.hasBuffer)
    }

    @Test func `Only the range changes, and each picture is checked separately`() throws {
        let pictures = try TestPictures(Resolution(width: 32, height: 16))
        var converter = ColorConverter(capacity: 8)
        for index in 0..<6 {
            var frame = pictures.picture(index)
            frame.colorSpace.range = index % 2 == 0 ? .full : .limited
            frame.rotation = .clockwise90
            frame.isDiscontinuity = true
            frame.timestamps[.captured] = MediaTime(nanoseconds: 5)
            let converted = try existing(try converter.convert(frame))
            #expect(converted.colorSpace == .bt601 && converted.captureTime == frame.captureTime)
            #expect(converted.rotation == .clockwise90 && converted.isDiscontinuity)
            #expect(converted.timestamps[.captured] == MediaTime(nanoseconds: 5))
            #expect((converted.samples == frame.samples) == (index % 2 == 1))
        }
        #expect(converter.framesConverted == 3)
    }

    @Test func `A converter without a free picture reports it, and continues when one is released`() throws {
        var frame = try TestPictures(Resolution(width: 32, height: 16)).picture(0)
        frame.colorSpace.range = .full
        var converter = ColorConverter(capacity: 1)
        var held = try converter.convert(frame)
        #expect(held != nil)
        #expect(try converter.convert(frame) == nil)
        #expect(converter.picturesWithoutBuffer == 1 && converter.framesConverted == 1)
        held = nil
        #expect(try converter.convert(frame) != nil)
    }
}

extension VideoFrame {
    /// The samples of a plane.
    fileprivate func plane(_ index: Int) -> [UInt8] {
        var samples: [UInt8] = []
        for y in 0..<self[plane: index].height {
            let row = self[plane: index].row(y)
            for x in row.indices { samples.append(row[x]) }
        }
        return samples
    }
}
