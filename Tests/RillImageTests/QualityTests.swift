import Glibc
import RillCore
import RillImage
import RillTestSupport
import Testing

struct QualityTests {
    private func flat(_ value: UInt8, _ resolution: Resolution) throws -> VideoFrame {
        var frame = try existing(FramePool(resolution: resolution, capacity: 1).makeFrame())
        var planes = frame.planes
        planes.y.fill(value)
        planes.u.fill(128)
        planes.v.fill(value)
        return frame.finish(captureTime: .zero)
    }

    @Test(arguments: [Resolution.qqvga, Resolution(width: 33, height: 19)])
    func `A constant difference has its own ratio`(resolution: Resolution) throws {
        let difference = PictureDifference(between: try flat(100, resolution), and: try flat(110, resolution))
        #expect(difference.meanSquaredError == .init(y: 100, u: 0, v: 100))
        #expect(abs(difference.psnr.y - 10 * log10(65025.0 / 100)) < 1e-9)
        #expect(difference.psnr.u == .infinity)
    }

    @Test func `A picture is like itself and unlike noise`() throws {
        let pictures = try TestPictures(.qqvga)
        let same = PictureDifference(between: pictures.picture(3), and: pictures.picture(3))
        #expect(same.ssim.y == 1 && same.psnr.y == .infinity)
        let other = PictureDifference(between: pictures.picture(3), and: pictures.picture(9))
        #expect(other.ssim.y < 0.99 && other.psnr.y < 40)
        #expect(other.ssim.y > 0)
    }

    @Test func `The mean of many is taken over the squared errors`() throws {
        var meter = QualityMeter()
        #expect(meter.psnr == nil && meter.ssim == nil)
        let (a, b, c) = (try flat(100, .qqvga), try flat(110, .qqvga), try flat(130, .qqvga))
        meter.add(PictureDifference(between: a, and: b))
        meter.add(PictureDifference(between: a, and: c))
        // Squared errors of 100 and 900: 500 in the mean.
        #expect(abs(try #require(meter.psnr).y - 10 * log10(65025.0 / 500)) < 1e-9)
        #expect(meter.count == 2)
    }
}
