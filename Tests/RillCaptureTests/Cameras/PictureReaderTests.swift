import RillCore
import RillImage
import RillTestSupport
import Testing

@testable import RillCapture

/// Every format against a conversion that is written down sample by sample.
@Suite struct PictureReaderTests {
    private func read(_ source: RawPicture) throws -> (VideoFrame, FrameFault?) {
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
    func `A raw picture is converted correctly at any size and stride`(fourCC: String) throws {
        let sizes = [(64, 48), (62, 50), (641, 7), (33, 33), (2, 2), (1, 1), (1920, 16)]
        for (width, height) in sizes {
            for padding in [0, 32] {
                let size = Resolution(width: width, height: height)
                let source = try RawPicture(fourCC, size, padding: padding, .bt601, seed: UInt64(width + padding))
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
        let source = try RawPicture(
            fourCC, Resolution(width: 66, height: 34), padding: 0, ColorSpace(matrix: .bt601, range: .full), seed: 3)
        let (frame, _) = try read(source)
        let psnr = PictureDifference(between: frame, and: try source.reference()).psnr
        #expect(psnr.y == .infinity && psnr.u >= 50 && psnr.v >= 50, "\(fourCC): \(psnr)")
    }

    @Test(arguments: fourCCs)
    func `A picture that is a byte short is a fault, and touches nothing beyond`(fourCC: String) throws {
        var source = try RawPicture(fourCC, Resolution(width: 34, height: 18), padding: 0, .bt601, seed: 5)
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
