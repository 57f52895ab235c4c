import RillCore
import RillImage
import RillMediaSupport
import RillTestSupport
import Testing

@testable import RillCapture

/// Motion JPEG: good pictures are decoded right, damaged ones never pass.
@Suite struct JPEGReaderTests {
    /// Samples in full range: soft waves with an edge, so that blocks have many coefficients.
    private static func sample(_ component: Int, _ x: Int, _ y: Int) -> Int {
        let wave = (x * (3 + component) + y * 2) % 128
        let soft = wave < 64 ? wave : 127 - wave
        return 40 + 2 * soft + ((x / 24 + y / 16) % 2 == 0 ? 60 : 0) - (component == 0 ? 0 : 20)
    }

    private func read(_ bytes: [UInt8], _ resolution: Resolution) throws -> (VideoFrame, FrameFault?) {
        let reader = try existing(JPEGReader(resolution))
        return try read(bytes, resolution, reader)
    }

    private func read(_ bytes: [UInt8], _ resolution: Resolution, _ reader: JPEGReader) throws -> (
        VideoFrame, FrameFault?
    ) {
        let pool = try FramePool(resolution: resolution, capacity: 1)
        var frame = try existing(pool.makeFrame())
        let fault = reader.read(bytes.span, into: &frame)
        return (frame.finish(captureTime: .zero), fault)
    }

    /// The picture as it should come out: limited range, chroma the mean of what shares a sample.
    private func reference(_ resolution: Resolution, isGrey: Bool) throws -> VideoFrame {
        let pool = try FramePool(resolution: resolution, capacity: 1)
        var frame = try existing(pool.makeFrame())
        var planes = frame.planes
        for y in 0..<resolution.height {
            var row = planes.y.row(y)
            for x in row.indices { row[x] = UInt8((16 + Double(Self.sample(0, x, y)) * 219 / 255).rounded()) }
        }
        func chroma(_ component: Int, _ x: Int, _ y: Int) -> UInt8 {
            guard !isGrey else { return 128 }
            var sum = 0
            for row in 2 * y...2 * y + 1 {
                for column in 2 * x...2 * x + 1 {
                    sum += Self.sample(component, min(column, resolution.width - 1), min(row, resolution.height - 1))
                }
            }
            return UInt8((128 + (Double(sum) / 4 - 128) * 224 / 255).rounded())
        }
        for y in 0..<resolution.chroma.height {
            var u = planes.u.row(y)
            for x in u.indices { u[x] = chroma(1, x, y) }
            var v = planes.v.row(y)
            for x in v.indices { v[x] = chroma(2, x, y) }
        }
        return frame.finish(captureTime: .zero)
    }

    @Test(arguments: TestJPEG.Sampling.allCases)
    func `A good picture is decoded, at any size`(sampling: TestJPEG.Sampling) throws {
        for (width, height) in [(64, 48), (160, 120), (33, 17), (8, 8), (1, 1), (250, 6)] {
            let size = Resolution(width: width, height: height)
            let (frame, fault) = try read(TestJPEG(size, sampling).encode(Self.sample), size)
            #expect(fault == nil, "\(sampling) \(size)")
            let psnr = PictureDifference(between: frame, and: try reference(size, isGrey: sampling == .grey)).psnr
            #expect(psnr.y > 45 && psnr.u > 45 && psnr.v > 45, "\(sampling) \(size): \(psnr)")
        }
    }

    @Test func `Pictures without Huffman tables, with restart markers and with trailing bytes are valid`() throws {
        var jpeg = TestJPEG(Resolution(width: 96, height: 64))
        jpeg.restartInterval = 3
        let marked = jpeg.encode(Self.sample)
        let (expected, fault) = try read(marked, jpeg.resolution)
        #expect(fault == nil)
        jpeg.hasTables = false
        // Motion JPEG has the standard's tables: both components here take those of luma.
        for bytes in [jpeg.encode(Self.sample), marked + [UInt8](repeating: 0, count: 700)] {
            let (frame, fault) = try read(bytes, jpeg.resolution)
            #expect(fault == nil)
            #expect(frame.samples == expected.samples)
        }
    }

    @Test func `A picture that is a few rows too high is cut, any other size is refused`() throws {
        let expected = Resolution(width: 64, height: 40)
        func fault(_ width: Int, _ height: Int) throws -> FrameFault? {
            try read(TestJPEG(Resolution(width: width, height: height)).encode(Self.sample), expected).1
        }
        #expect(try fault(64, 48) == nil)
        for (width, height) in [(64, 39), (64, 56), (63, 40), (65, 40), (128, 40)] {
            #expect(try fault(width, height) == .notDecodable, "\(width)x\(height)")
        }
    }

    @Test func `Bytes that are not a JPEG are rejected`() throws {
        let size = Resolution(width: 64, height: 48)
        let good = TestJPEG(size).encode(Self.sample)
        for bytes in [
            [], [0xFF], [0xFF, 0xD8], Array("no JPEG at all".utf8), Array(good.dropFirst()), [0xFF, 0xD8, 0xFF, 0xD9],
        ] {
            #expect(try read(bytes, size).1 == .notDecodable, "\(bytes.prefix(8))")
        }
    }

    /// Damaged pictures: each is damaged in another place.
    enum Damage: CaseIterable {
        case cutShort, cutAndEnded, flipped
    }

    @Test(arguments: Damage.allCases, TestJPEG.Sampling.allCases)
    func `Of a hundred damaged pictures none passes, and no good one is refused`(
        damage: Damage, sampling: TestJPEG.Sampling
    ) throws {
        let size = Resolution(width: 112, height: 80)
        let good = TestJPEG(size, sampling).encode(Self.sample)
        let start = try existing(JPEGHeader(parsing: good.span)).scanStart
        let reader = try existing(JPEGReader(size))
        var random = SeededGenerator(seed: 9)
        for index in 0..<100 {
            var bytes = good
            func place() -> Int { start + Int(random.next() >> 33) % (good.count - 2 - start) }
            switch damage {
            case .cutShort: bytes.removeLast(good.count - place())
            case .cutAndEnded: bytes = bytes.prefix(place()) + [0xFF, 0xD9]
            case .flipped: for _ in 0..<good.count / 100 { bytes[place()] ^= 0xFF }
            }
            #expect(try read(bytes, size, reader).1 != nil, "\(damage) \(sampling), picture \(index)")
            #expect(try read(good, size, reader).1 == nil, "the good one after picture \(index)")
        }
    }

    @Test func `Whatever a picture holds, it is read or refused`() throws {
        let size = Resolution(width: 16, height: 16)
        var marked = TestJPEG(size, .yuv444)
        marked.restartInterval = 1
        // Most without tables of their own, which take the longest to read.
        let seeds =
            TestJPEG.Sampling.allCases.map { sampling in
                var jpeg = TestJPEG(size, sampling)
                jpeg.hasTables = sampling == .yuv422
                return jpeg.encode(Self.sample)
            } + [marked.encode(Self.sample)]
        let reader = try existing(JPEGReader(size))
        let pool = try FramePool(resolution: size, capacity: 1)
        var passed = 0
        for input in MutatedInputs(of: seeds, count: 100_000, using: SeededGenerator(seed: 7)) {
            var frame = try existing(pool.makeFrame())
            if reader.read(input.span, into: &frame) == nil { passed += 1 }
        }
        // Damage before the scan (a step of quantisation, a comment) may leave a picture that an encoder could have
        // made.
        #expect(passed < 50_000)
        #expect(try read(seeds[0], size, reader).1 == nil)
    }
}
