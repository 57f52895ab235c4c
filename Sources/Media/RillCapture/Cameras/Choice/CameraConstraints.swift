public import RillCore

/// The requested properties of a camera.
public struct CameraConstraints: Hashable, Sendable {
    /// The size of the pictures.
    public var resolution: Resolution
    /// The frame rate.
    public var frameRate: FrameRate
    /// The format, or `nil` to choose one automatically.
    public var pixelFormat: CameraPixelFormat?

    /// Creates constraints. The defaults are 640x480 at 30 frames per second, in the best format for that.
    public init(resolution: Resolution = .vga, frameRate: FrameRate = 30, pixelFormat: CameraPixelFormat? = nil) {
        self.resolution = resolution
        self.frameRate = frameRate
        self.pixelFormat = pixelFormat
    }
}

/// The mode that a camera and its driver chose.
public struct CameraMode: Hashable, Sendable {
    /// The format in which the camera delivers its pictures.
    public var pixelFormat: CameraPixelFormat
    /// The size of the pictures.
    public var resolution: Resolution
    /// The frame rate, or `nil` if the driver does not report it. In low light many cameras deliver fewer frames.
    public var frameRate: FrameRate?
    /// The color space of the resulting frames. Full range is converted to limited.
    public var colorSpace: ColorSpace
}

extension CameraMode {
    /// The expected time between frames. A rate reported by the driver counts up to an interval of ten seconds.
    var interval: MediaDuration { min(frameRate?.interval ?? .milliseconds(33), .seconds(10)) }
}

extension CameraMode: CustomStringConvertible {
    /// `YUYV 640x480 at 30`.
    public var description: String {
        "\(pixelFormat.rawValue) \(resolution)" + (frameRate.map { " at \($0)" } ?? "")
    }
}
