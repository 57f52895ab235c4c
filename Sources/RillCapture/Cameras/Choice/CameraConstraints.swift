public import RillCore

/// What is wanted of a camera.
public struct CameraConstraints: Hashable, Sendable {
    /// Size of the pictures.
    public var resolution: Resolution
    /// Frames a second.
    public var frameRate: FrameRate
    /// The format, where it is not to be chosen.
    public var pixelFormat: CameraPixelFormat?

    /// Pictures of 640x480, 30 a second, in whichever format is best for that.
    public init(resolution: Resolution = .vga, frameRate: FrameRate = 30, pixelFormat: CameraPixelFormat? = nil) {
        self.resolution = resolution
        self.frameRate = frameRate
        self.pixelFormat = pixelFormat
    }
}

/// What a camera and its driver settled on.
public struct CameraMode: Hashable, Sendable {
    /// How the camera gives its pictures.
    public var pixelFormat: CameraPixelFormat
    /// Size of the pictures.
    public var resolution: Resolution
    /// Frames a second; `nil` where the driver does not say. In the dark many cameras give less.
    public var frameRate: FrameRate?
    /// How the frames that come out are to be read. Full range was brought to limited.
    public var colorSpace: ColorSpace
}

extension CameraMode {
    /// The time from frame to frame, as far as known; a driver's word is taken up to ten seconds.
    var interval: MediaDuration { min(frameRate?.interval ?? .milliseconds(33), .seconds(10)) }
}

extension CameraMode: CustomStringConvertible {
    /// `YUYV 640x480 at 30`.
    public var description: String {
        "\(pixelFormat.rawValue) \(resolution)" + (frameRate.map { " at \($0)" } ?? "")
    }
}
