import RillCore
import RillImage
import RillTestSupport
import Testing

@testable import RillCapture

/// Every format against a conversion that is written down sample by sample.
@Suite struct PictureReaderTests {
    /// A picture in random samples, in the arrangement of a format.
    private struct Source {
        var layout: PictureLayout
        var buffers: [[UInt8]]

        init(_ fourCC: String, _ resolution: Resolution, padding: Int, _ colorSpace: ColorSpace, seed: UInt64) throws {
            let (format, arrangement) = try existing(CameraPixelFormat.known(FourCC(fourCC)))
            let width = resolution.width
            let even = width + width % 2
            let luma =
                switch format {
                case .yuyv, .uyvy, .yvyu: 2 * even
                case .rgb24, .bgr24: 3 * width
                default: even
                }
            let stride = luma + padding
            let chroma = format == .i420 || format == .yv12 ? stride / 2 : stride
            layout = PictureLayout(
                format, arrangement, resolution, strides: [stride, chroma, chroma], colorSpace: colorSpace)
            var random = SeededGenerator(seed: seed)
            buffers = (0..<layout.bufferCount).map { [layout] buffer in
                (0..<layout.byteCount(buffer: buffer)).map { _ in UInt8(truncatingIfNeeded: random.next() >> 40) }
            }
            while buffers.count < 3 { buffers.append([]) }
        }

        func sample(_ plane: Int, _ x: Int, _ y: Int) -> Int {
            let place = layout.planes[plane]
            return Int(buffers[place.buffer][place.offset + y * place.stride + x])
        }

        /// Y, U and V of a pixel, in the camera's own numbers; RGB as BT.601 in limited range.
        func pixel(_ x: Int, _ y: Int) -> (y: Int, u: Int, v: Int) {
            let pair = x / 2 * 4
            switch layout.format {
            case .yuyv: return (sample(0, 2 * x, y), sample(0, pair + 1, y), sample(0, pair + 3, y))
            case .yvyu: return (sample(0, 2 * x, y), sample(0, pair + 3, y), sample(0, pair + 1, y))
            case .uyvy: return (sample(0, 2 * x + 1, y), sample(0, pair, y), sample(0, pair + 2, y))
            case .i420: return (sample(0, x, y), sample(1, x / 2, y / 2), sample(2, x / 2, y / 2))
            case .yv12: return (sample(0, x, y), sample(2, x / 2, y / 2), sample(1, x / 2, y / 2))
            case .nv12: return (sample(0, x, y), sample(1, x / 2 * 2, y / 2), sample(1, x / 2 * 2 + 1, y / 2))
            case .nv21: return (sample(0, x, y), sample(1, x / 2 * 2 + 1, y / 2), sample(1, x / 2 * 2, y / 2))
            case .nv16: return (sample(0, x, y), sample(1, x / 2 * 2, y), sample(1, x / 2 * 2 + 1, y))
            case .rgb24: return rgb(sample(0, 3 * x, y), sample(0, 3 * x + 1, y), sample(0, 3 * x + 2, y))
            case .bgr24: return rgb(sample(0, 3 * x + 2, y), sample(0, 3 * x + 1, y), sample(0, 3 * x, y))
            case .grey: return (sample(0, x, y), 128, 128)
            case .mjpeg: preconditionFailure("no raw format")
            }
        }

        private func rgb(_ r: Int, _ g: Int, _ b: Int) -> (y: Int, u: Int, v: Int) {
            let (r, g, b) = (Double(r), Double(g), Double(b))
            let luma = 0.299 * r + 0.587 * g + 0.114 * b
            return (
                Int((16 + luma * 219 / 255).rounded()), Int((128 + (b - luma) / 1.772 * 224 / 255).rounded()),
                Int((128 + (r - luma) / 1.402 * 224 / 255).rounded())
            )
        }

        /// The I420 picture that should come of it: chroma is the mean of the pixels that share it.
        func reference() throws -> VideoFrame {
            let resolution = layout.resolution
            let pool = try FramePool(resolution: resolution, capacity: 1)
            var frame = try existing(pool.makeFrame())
            var planes = frame.planes
            let isFull = layout.colorSpace.range == .full
            func luma(_ value: Int) -> UInt8 {
                UInt8(isFull ? Int((16 + Double(value) * 219 / 255).rounded()) : value)
            }
            func chroma(_ sum: Int, _ count: Int) -> UInt8 {
                let mean = (sum + count / 2) / count
                return UInt8(isFull ? Int((128 + Double(mean - 128) * 224 / 255).rounded()) : mean)
            }
            for y in 0..<resolution.height {
                var row = planes.y.row(y)
                for x in 0..<resolution.width { row[x] = luma(pixel(x, y).y) }
            }
            /// The mean of the pixels that share a sample.
            func mean(_ x: Int, _ y: Int, _ value: ((y: Int, u: Int, v: Int)) -> Int) -> UInt8 {
                var (sum, count) = (0, 0)
                for row in 2 * y..<min(2 * y + 2, resolution.height) {
                    for column in 2 * x..<min(2 * x + 2, resolution.width) {
                        sum += value(pixel(column, row))
                        count += 1
                    }
                }
                return chroma(sum, count)
            }
            for y in 0..<resolution.chroma.height {
                var u = planes.u.row(y)
                for x in u.indices { u[x] = mean(x, y) { $0.u } }
                var v = planes.v.row(y)
                for x in v.indices { v[x] = mean(x, y) { $0.v } }
            }
            return frame.finish(captureTime: .zero)
        }
    }

    private func read(_ source: Source) throws -> (VideoFrame, FrameFault?) {
        let reader = try PictureReader(source.layout)
        let pool = try FramePool(resolution: source.layout.resolution, capacity: 1)
        var frame = try existing(pool.makeFrame())
        let (first, second, third) = (source.buffers[0], source.buffers[1], source.buffers[2])
        let fault = reader.read(first.span, second.span, third.span, into: &frame)
        return (frame.finish(captureTime: .zero), fault)
    }

    private static let fourCCs = [
        "YUYV", "UYVY", "YVYU", "YU12", "YV12", "NV12", "NV21", "NV16", "RGB3", "BGR3", "GREY", "YM12", "YM21", "NM12",
        "NM21", "NM16",
    ]

    @Test(arguments: fourCCs)
    func `A raw picture becomes what it should, at any size and stride`(fourCC: String) throws {
        let sizes = [(64, 48), (62, 50), (641, 7), (33, 33), (2, 2), (1, 1), (1920, 16)]
        for (width, height) in sizes {
            for padding in [0, 32] {
                let size = Resolution(width: width, height: height)
                let source = try Source(fourCC, size, padding: padding, .bt601, seed: UInt64(width + padding))
                let (frame, fault) = try read(source)
                #expect(fault == nil)
                let difference = PictureDifference(between: frame, and: try source.reference())
                let isExact = !fourCC.hasSuffix("R3") && !fourCC.hasPrefix("RGB") && !fourCC.hasPrefix("BGR")
                let least = isExact ? Double.infinity : 45
                let psnr = difference.psnr
                #expect(
                    psnr.y >= least && psnr.u >= (isExact ? 50 : 40) && psnr.v >= (isExact ? 50 : 40),
                    "\(fourCC) \(size), padding \(padding): \(psnr)")
            }
        }
    }

    @Test(arguments: ["YUYV", "NV12", "YU12", "GREY"])
    func `Full range is brought to limited`(fourCC: String) throws {
        let source = try Source(
            fourCC, Resolution(width: 66, height: 34), padding: 0, ColorSpace(matrix: .bt601, range: .full), seed: 3)
        let (frame, _) = try read(source)
        let psnr = PictureDifference(between: frame, and: try source.reference()).psnr
        #expect(psnr.y == .infinity && psnr.u >= 50 && psnr.v >= 50, "\(fourCC): \(psnr)")
    }

    @Test(arguments: fourCCs)
    func `A picture that is a byte short is a fault, and touches nothing beyond`(fourCC: String) throws {
        var source = try Source(fourCC, Resolution(width: 34, height: 18), padding: 0, .bt601, seed: 5)
        for buffer in 0..<source.layout.bufferCount {
            let kept = source.buffers[buffer]
            source.buffers[buffer].removeLast()
            let (_, fault) = try read(source)
            #expect(fault == .short(byteCount: kept.count - 1, expected: kept.count), "\(fourCC), buffer \(buffer)")
            source.buffers[buffer] = kept
        }
    }

    @Test func `The range is reduced exactly, for all values`() {
        var luma = Array(UInt8(0)...255)
        var chroma = luma
        var lumaSpan = luma.mutableSpan
        RangeReduction.reduceLuma(&lumaSpan)
        var chromaSpan = chroma.mutableSpan
        RangeReduction.reduceChroma(&chromaSpan)
        for value in 0...255 {
            #expect(luma[value] == UInt8((16 + Double(value) * 219 / 255).rounded()), "luma \(value)")
            let exact = 128 + Double(value - 128) * 224 / 255
            #expect(abs(Double(chroma[value]) - exact) <= 0.5 + 1e-9, "chroma \(value)")
        }
    }
}
