internal import CV4L2
import Glibc
import RillCore

/// An open node of a camera: the V4L2 calls with Swift types.
///
/// Its descriptor is closed at the end of its life. Single owner.
struct VideoNode: ~Copyable {
    let path: String
    let calls: any DeviceCalls
    let descriptor: Int32
    /// The camera's identity.
    let identity: Identity
    /// Whether each buffer has several planes with their own memory.
    let isMultiPlanar: Bool

    /// The identity of a camera, by which it is recognized when it is connected again.
    struct Identity: Hashable, Sendable {
        var name: String
        var bus: String
        var driver: String
    }

    /// Opens a node.
    ///
    /// - Parameters:
    ///   - path: the node, such as `/dev/video0`.
    ///   - calls: the system calls to use.
    /// - Throws: ``CameraError/notACamera(path:)``, ``CameraError/callFailed(_:path:code:)``.
    init(_ path: String, _ calls: any DeviceCalls) throws(CameraError) {
        let descriptor: Int32
        switch calls.open(path) {
        case .success(let opened): descriptor = opened
        case .failure(let error): throw .callFailed(.open, path: path, code: error.code)
        }
        var capability = v4l2_capability()
        // The argument has the type that the request takes, here and in all calls of this type.
        let code = unsafe calls.control(descriptor, CV4L2_QUERYCAP, &capability)
        // The node's own capabilities are in `device_caps`; `capabilities` are those of all nodes of the device
        // together.
        let hasOwn = capability.capabilities & hasDeviceCapabilities != 0
        let abilities = hasOwn ? capability.device_caps : capability.capabilities
        let isSinglePlanar = abilities & UInt32(V4L2_CAP_VIDEO_CAPTURE) != 0
        let isMultiPlanar = abilities & UInt32(V4L2_CAP_VIDEO_CAPTURE_MPLANE) != 0
        let streams = abilities & UInt32(V4L2_CAP_STREAMING) != 0
        guard code == 0, isSinglePlanar || isMultiPlanar, streams else {
            calls.close(descriptor)
            // A file that does not know this request is not a video device.
            if code == 0 || code == ENOTTY { throw .notACamera(path: path) }
            throw .callFailed(.queryCapabilities, path: path, code: code)
        }
        self.path = path
        self.calls = calls
        self.descriptor = descriptor
        self.isMultiPlanar = !isSinglePlanar
        self.identity = Identity(
            name: text(of: capability.card), bus: text(of: capability.bus_info), driver: text(of: capability.driver))
    }

    deinit {
        calls.close(descriptor)
    }

    /// The buffer type for all requests.
    var bufferType: UInt32 {
        (isMultiPlanar ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE).rawValue
    }

    /// Performs a request that must succeed.
    func request<Argument>(
        _ request: UInt, _ argument: inout Argument, as call: CameraOperation
    ) throws(CameraError) {
        let code = attempt(request, &argument)
        guard code == 0 else { throw .callFailed(call, path: path, code: code) }
    }

    /// Performs a request. Returns the error code, or 0.
    func attempt<Argument>(_ request: UInt, _ argument: inout Argument) -> Int32 {
        unsafe withUnsafeMutablePointer(to: &argument) { unsafe calls.control(descriptor, request, $0) }
    }
}

/// `V4L2_CAP_DEVICE_CAPS`, which Swift imports as a signed number that cannot hold it.
private let hasDeviceCapabilities: UInt32 = 0x8000_0000

/// Returns the text in a field of bytes, up to its first zero byte or its end.
func text<Field>(of field: Field) -> String {
    unsafe withUnsafeBytes(of: field) { bytes in
        // The value lives until this returns.
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
