public import RillCore

/// A connected camera: its names and capabilities.
///
/// ```swift
/// for camera in CameraDevice.list() { print(camera.path, camera.name, camera.formats.count) }
/// ```
///
/// Only nodes that capture video are listed. Metadata nodes, which many webcams also have, are skipped.
public struct CameraDevice: Hashable, Sendable {
    /// The node, `/dev/video0`. It changes if devices are plugged in in a different order.
    public var path: String
    /// A path that stays the same, if udev created one: `/dev/v4l/by-id/…`.
    public var stablePath: String?
    /// The maker's name for it.
    public var name: String
    /// The bus position: `usb-0000:00:14.0-1`.
    public var bus: String
    /// The kernel's driver: `uvcvideo`.
    public var driver: String
    /// Whether each picture arrives in several buffers (the multi-planar API).
    public var isMultiPlanar: Bool
    /// The formats that it offers, in its own order.
    public var formats: [CameraFormat]
}

/// A format of a camera, with its sizes.
public struct CameraFormat: Hashable, Sendable {
    /// The V4L2 four-character code.
    public var fourCC: String
    /// The driver's name for it.
    public var name: String
    /// The format as Rill knows it; `nil` if it is not supported.
    public var pixelFormat: CameraPixelFormat?
    /// Its sizes.
    public var sizes: CameraSizes
}

/// The sizes of a format.
public enum CameraSizes: Hashable, Sendable {
    /// These sizes, each with its rates.
    case discrete([CameraSize])
    /// All sizes from the smallest to the largest, in steps. The rates are those of the largest, or of the smallest
    /// if the driver reports none for the largest.
    case stepwise(minimum: Resolution, maximum: Resolution, widthStep: Int, heightStep: Int, rates: CameraRates)
    /// The driver does not report sizes. It is queried by setting one.
    case unknown
}

/// A size, with its rates.
public struct CameraSize: Hashable, Sendable {
    /// The size in pixels.
    public var resolution: Resolution
    /// The frame rates.
    public var rates: CameraRates
}

/// The frame rates of a size.
public enum CameraRates: Hashable, Sendable {
    /// These rates, in the driver's order.
    case discrete([FrameRate])
    /// All rates from the slowest to the fastest.
    case range(slowest: FrameRate, fastest: FrameRate)
    /// The driver does not report rates.
    case unknown

    /// The fastest rate; `nil` if the driver does not report any.
    public var fastest: FrameRate? {
        switch self {
        case .discrete(let rates): rates.max { $0.framesPerSecond < $1.framesPerSecond }
        case .range(_, let fastest): fastest
        case .unknown: nil
        }
    }
}

extension CameraDevice {
    /// Returns the connected cameras, in the order of their nodes.
    ///
    /// Takes some milliseconds per camera: each is opened, queried and closed. Cameras that cannot be opened, or that
    /// disappear meanwhile, are left out.
    public static func list() -> [CameraDevice] {
        list(SystemDeviceCalls())
    }

    package static func list(_ calls: some DeviceCalls) -> [CameraDevice] {
        calls.nodes().compactMap { entry in
            // Not a camera, gone, or no permission. A caller that needs this very camera gets the error when it opens
            // it.
            try? CameraDevice(entry, calls)
        }
    }

    /// Queries one node.
    ///
    /// - Throws: ``CameraError/notACamera(path:)``, ``CameraError/callFailed(_:path:code:)``.
    package init(_ entry: VideoNodeEntry, _ calls: some DeviceCalls) throws(CameraError) {
        let node = try VideoNode(entry.path, calls)
        self.init(entry, node, formats: try node.formats())
    }

    init(_ entry: VideoNodeEntry, _ node: borrowing VideoNode, formats: [CameraFormat]) {
        let identity = node.identity
        self.init(
            path: entry.path, stablePath: entry.stablePath, name: identity.name, bus: identity.bus,
            driver: identity.driver, isMultiPlanar: node.isMultiPlanar, formats: formats)
    }
}
