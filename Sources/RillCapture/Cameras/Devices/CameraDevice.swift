public import RillCore

/// A camera that is there: what it is called and what it can do.
///
///     for camera in try CameraDevice.list() { print(camera.path, camera.name, camera.formats.count) }
///
/// Only nodes that capture video are listed; those for metadata, which many webcams have beside, are passed over.
public struct CameraDevice: Hashable, Sendable {
    /// Its node, `/dev/video0`; another one when devices are plugged in another order.
    public var path: String
    /// A path that stays the same, where udev has made one: `/dev/v4l/by-id/…`.
    public var stablePath: String?
    /// What the maker calls it.
    public var name: String
    /// Where it is plugged in: `usb-0000:00:14.0-1`.
    public var bus: String
    /// The kernel's driver: `uvcvideo`.
    public var driver: String
    /// Whether its pictures come in several buffers each (the multi-planar API).
    public var isMultiPlanar: Bool
    /// What it can give, in its own order.
    public var formats: [CameraFormat]
}

/// A format of a camera, with its sizes.
public struct CameraFormat: Hashable, Sendable {
    /// The four letters by which V4L2 names it.
    public var fourCC: String
    /// What the driver calls it.
    public var name: String
    /// What it is; `nil` where it is none that is read here.
    public var pixelFormat: CameraPixelFormat?
    /// Its sizes.
    public var sizes: CameraSizes
}

/// The sizes of a format.
public enum CameraSizes: Hashable, Sendable {
    /// These, each with its rates.
    case discrete([CameraSize])
    /// All from the smallest to the largest, in steps; with the rates of the largest, or of the smallest where the driver
    /// names none for it.
    case stepwise(minimum: Resolution, maximum: Resolution, widthStep: Int, heightStep: Int, rates: CameraRates)
    /// The driver does not say: it is asked by setting one.
    case unknown
}

/// A size, with its rates.
public struct CameraSize: Hashable, Sendable {
    /// Pixels.
    public var resolution: Resolution
    /// Frames a second.
    public var rates: CameraRates
}

/// The frame rates of a size.
public enum CameraRates: Hashable, Sendable {
    /// These, in the driver's order.
    case discrete([FrameRate])
    /// All from the slowest to the fastest.
    case range(slowest: FrameRate, fastest: FrameRate)
    /// The driver does not say.
    case unknown

    /// The fastest; `nil` where the driver does not say.
    public var fastest: FrameRate? {
        switch self {
        case .discrete(let rates): rates.max { $0.framesPerSecond < $1.framesPerSecond }
        case .range(_, let fastest): fastest
        case .unknown: nil
        }
    }
}
