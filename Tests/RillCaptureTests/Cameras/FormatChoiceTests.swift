import RillCore
import Testing

@testable import RillCapture

/// The mode that is requested of a camera, by the modes that it offers.
@Suite struct FormatChoiceTests {
    private func format(_ fourCC: String, _ sizes: (Resolution, [FrameRate])...) -> CameraFormat {
        CameraFormat(
            fourCC: fourCC, name: "", pixelFormat: CameraPixelFormat.known(FourCC(fourCC))?.format,
            sizes: .discrete(sizes.map { CameraSize(resolution: $0.0, rates: .discrete($0.1)) }))
    }

    private func choice(_ formats: [CameraFormat], _ constraints: CameraConstraints = CameraConstraints()) -> String? {
        FormatChoice(of: formats, for: constraints).map { "\($0.fourCC.letters) \($0.resolution) \($0.frameRate)" }
    }

    @Test func `Of formats that reach the same the first in the stated order is taken`() {
        let order = ["YU12", "YUYV", "NV12", "RGB3", "MJPG", "GREY"]
        for (index, best) in order.enumerated() {
            let offered = order[index...].reversed().map { format($0, (.vga, [30])) }
            #expect(choice(offered) == "\(best) 640x480 30", "of \(order[index...])")
        }
    }

    @Test func `MJPEG is taken when it alone reaches the rate, and left where it does not have to be`() {
        let webcam = [
            format("YUYV", (.hd720, [10]), (.vga, [30, 15])), format("MJPG", (.hd720, [30, 60]), (.vga, [30])),
        ]
        #expect(choice(webcam, CameraConstraints(resolution: .hd720)) == "MJPG 1280x720 30")
        #expect(choice(webcam, CameraConstraints(resolution: .vga)) == "YUYV 640x480 30")
        #expect(choice(webcam, CameraConstraints(resolution: .hd720, frameRate: 10)) == "YUYV 1280x720 10")
        #expect(choice(webcam, CameraConstraints(resolution: .hd720, pixelFormat: .yuyv)) == "YUYV 1280x720 10")
    }

    @Test func `The requested size is preferred, then the smallest larger one, then the largest`() {
        let formats = [format("YUYV", (.qqvga, [30]), (.hd720, [30]), (Resolution(width: 1920, height: 1080), [30]))]
        #expect(choice(formats, CameraConstraints(resolution: .vga)) == "YUYV 1280x720 30")
        #expect(choice(formats, CameraConstraints(resolution: .qqvga)) == "YUYV 160x120 30")
        #expect(
            choice(formats, CameraConstraints(resolution: Resolution(width: 3840, height: 2160))) == "YUYV 1920x1080 30"
        )
    }

    @Test func `A rate of 30000 in 1001 seconds is as good as 30`() {
        let formats = [format("YUYV", (.vga, [FrameRate(30000, per: 1001), 15])), format("MJPG", (.vga, [30]))]
        #expect(choice(formats) == "YUYV 640x480 30000/1001")
    }

    @Test func `The slowest sufficient rate is requested`() {
        #expect(choice([format("YUYV", (.vga, [120, 60, 30, 15]))]) == "YUYV 640x480 30")
        #expect(choice([format("YUYV", (.vga, [60, 120]))]) == "YUYV 640x480 60")
        #expect(choice([format("YUYV", (.vga, [5, 25, 15]))]) == "YUYV 640x480 25")
    }

    @Test func `Sizes in steps are rounded up to one of them`() {
        let sizes = CameraSizes.stepwise(
            minimum: Resolution(width: 32, height: 32), maximum: Resolution(width: 1920, height: 1080), widthStep: 16,
            heightStep: 8, rates: .range(slowest: 1, fastest: 25))
        let formats = [CameraFormat(fourCC: "NV12", name: "", pixelFormat: .nv12, sizes: sizes)]
        #expect(
            choice(formats, CameraConstraints(resolution: Resolution(width: 641, height: 481))) == "NV12 656x488 25")
        #expect(choice(formats, CameraConstraints(resolution: .vga, frameRate: 20)) == "NV12 640x480 20")
        #expect(
            choice(formats, CameraConstraints(resolution: Resolution(width: 4000, height: 3000))) == "NV12 1920x1080 25"
        )
        #expect(choice(formats, CameraConstraints(resolution: Resolution(width: 1, height: 1))) == "NV12 32x32 25")
    }

    @Test func `A camera that does not list its sizes gets the requested one`() {
        let formats = [CameraFormat(fourCC: "NV12", name: "", pixelFormat: .nv12, sizes: .unknown)]
        #expect(choice(formats) == "NV12 640x480 30")
    }

    @Test func `Formats that are not read here are passed over`() {
        #expect(choice([format("H264", (.vga, [30]))]) == nil)
        #expect(choice([format("H264", (.vga, [30])), format("GREY", (.qqvga, [5]))]) == "GREY 160x120 5")
        #expect(choice([]) == nil)
    }
}
