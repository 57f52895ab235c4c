internal import CV4L2
import Glibc
import RillCore

/// An opened node of a camera: the calls of V4L2 with Swift's types.
///
/// It closes its descriptor at the end of its life. Single owner.
struct VideoNode: ~Copyable {
    let path: String
    let calls: any DeviceCalls
    let descriptor: Int32
    /// Who it is.
    let identity: Identity
    /// Whether its buffers have several planes each, with memory of their own.
    let isMultiPlanar: Bool

    /// What a camera says of itself, by which it is known again when it comes back.
    struct Identity: Hashable, Sendable {
        var name: String
        var bus: String
        var driver: String
    }

    /// Opens a node.
    ///
    /// - Throws: ``CameraError/notACamera(path:)``, ``CameraError/callFailed(_:path:code:)``.
    init(_ path: String, _ calls: any DeviceCalls) throws(CameraError) {
        let descriptor: Int32
        switch calls.open(path) {
        case .success(let opened): descriptor = opened
        case .failure(let error): throw .callFailed(.open, path: path, code: error.code)
        }
        var capability = v4l2_capability()
        // The argument is what the request takes, here and in all calls of this type.
        let code = unsafe calls.control(descriptor, CV4L2_QUERYCAP, &capability)
        // What the node can do stands in `device_caps`; `capabilities` are those of all nodes of the device together.
        let hasOwn = capability.capabilities & hasDeviceCapabilities != 0
        let abilities = hasOwn ? capability.device_caps : capability.capabilities
        let isSinglePlanar = abilities & UInt32(V4L2_CAP_VIDEO_CAPTURE) != 0
        let isMultiPlanar = abilities & UInt32(V4L2_CAP_VIDEO_CAPTURE_MPLANE) != 0
        let streams = abilities & UInt32(V4L2_CAP_STREAMING) != 0
        guard code == 0, isSinglePlanar || isMultiPlanar, streams else {
            calls.close(descriptor)
            // A file that knows no such request is no video device.
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

    /// The buffers' type in all requests.
    var bufferType: UInt32 {
        (isMultiPlanar ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE).rawValue
    }

    /// Makes a request that has to succeed.
    func request<Argument>(
        _ request: UInt, _ argument: inout Argument, as call: CameraOperation
    ) throws(CameraError) {
        let code = attempt(request, &argument)
        guard code == 0 else { throw .callFailed(call, path: path, code: code) }
    }

    /// Makes a request; the code of the failure, or 0.
    func attempt<Argument>(_ request: UInt, _ argument: inout Argument) -> Int32 {
        unsafe withUnsafeMutablePointer(to: &argument) { unsafe calls.control(descriptor, request, $0) }
    }
}

/// `V4L2_CAP_DEVICE_CAPS`, which does not fit the signed number as which Swift sees it.
private let hasDeviceCapabilities: UInt32 = 0x8000_0000

/// The text in a field of bytes: up to its first zero, or to its end.
func text<Field>(of field: Field) -> String {
    unsafe withUnsafeBytes(of: field) { bytes in
        // The bytes of a value that is there until this returns.
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
