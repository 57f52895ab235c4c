import CV4L2
import Glibc
import RillCapture
import RillCore

/// A fake camera: the scripted responses of a driver.
struct FakeCamera {
    /// The driver's description of itself.
    var name = "Fake"
    var bus = "usb-1"
    var driver = "fake"
    var abilities = UInt32(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING)
    /// The offered formats.
    var formats = [FakeFormat("YUYV", [FakeSize(.qqvga, [30])])]
    var controls: [FakeControl] = []
    /// Bytes between the end of one row and the beginning of the next.
    var padding = 0
    /// The driver's color description.
    var colorspace = V4L2_COLORSPACE_SRGB.rawValue
    var quantization = V4L2_QUANTIZATION_DEFAULT.rawValue
    /// How it arranges the rows, whatever it is asked for.
    var field = V4L2_FIELD_NONE.rawValue
    /// Bytes before the data of each plane, in the multi-planar API.
    var dataOffset = 0
    /// The frames from the start of streaming, by number. `nil` for a frame that never arrives.
    var picture: @Sendable (_ number: Int, _ byteCount: Int) -> FakePicture? = { _, byteCount in
        FakePicture(bytes: [UInt8](repeating: 100, count: byteCount))
    }
    /// The next results of requests: an `errno` each, 0 for success. Requests without an entry succeed.
    var refusals: [UInt: [Int32]] = [:]
    /// The result of opening.
    var openRefusal: Int32 = 0
    /// The multi-planar API, with buffers for each plane.
    var isMultiPlanar: Bool { abilities & UInt32(V4L2_CAP_VIDEO_CAPTURE_MPLANE) != 0 }

    // The present state.
    var format: (fourCC: UInt32, resolution: Resolution) = (0, .vga)
    var rate: FrameRate = 30
    var isStreaming = false
    var start = MediaTime.zero
    var number = 0
    var queued: [Int] = []
    /// The next frame's sequence number is its place and this.
    var sequenceOffset: UInt32 = 0
}

struct FakeFormat {
    var fourCC: String
    var sizes: [FakeSize]
    var range: (Resolution, Resolution, step: Int, fastest: FrameRate)?
    var isContinuous = false

    init(_ fourCC: String, _ sizes: [FakeSize]) {
        self.fourCC = fourCC
        self.sizes = sizes
    }

    init(
        _ fourCC: String, from least: Resolution, to most: Resolution, step: Int, fastest: FrameRate,
        isContinuous: Bool = false
    ) {
        self.fourCC = fourCC
        sizes = []
        range = (least, most, step, fastest)
        self.isContinuous = isContinuous
    }
}

struct FakeSize {
    var resolution: Resolution
    var rates: [FrameRate]

    init(_ resolution: Resolution, _ rates: [FrameRate]) {
        self.resolution = resolution
        self.rates = rates
    }
}

struct FakeControl {
    var identifier: UInt32
    var name: String
    var type: UInt32 = V4L2_CTRL_TYPE_INTEGER.rawValue
    var range: ClosedRange<Int32> = 0...255
    var step: Int32 = 1
    var defaultValue: Int32 = 128
    var value: Int32 = 128
    var flags: UInt32 = 0
    var items: [UInt32: String] = [:]
}

/// A frame that a fake camera gives.
struct FakePicture {
    var bytes: [UInt8]
    var isFlagged = false
    /// How far the driver's stamp is off; `nil` for a stamp by no clock.
    var stampError: MediaDuration? = .zero
    /// Numbers that are left out before it.
    var gap: UInt32 = 0
}
