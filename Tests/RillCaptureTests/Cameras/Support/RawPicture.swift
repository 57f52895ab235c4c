import RillCore
import RillTestSupport

@testable import RillCapture

/// A raw picture in the arrangement of a format, and what should become of it, sample by sample.
struct RawPicture {
    var layout: PictureLayout
    var buffers: [[UInt8]]

    /// Creates it from a camera's buffers.
    init(_ layout: PictureLayout, _ buffers: [[UInt8]]) {
        self.layout = layout
        self.buffers = buffers + Array(repeating: [], count: 3 - buffers.count)
    }

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
