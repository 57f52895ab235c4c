import Glibc
public import RillCore

/// Errors of cameras.
public enum CameraError: Error, Equatable, Sendable {
    /// No camera matches the selection.
    case notFound(CameraSelection)
    /// The node exists but does not capture video.
    case notACamera(path: String)
    /// None of the camera's formats is supported, or it offers none. They are listed by their FourCC codes.
    case noKnownFormat(path: String, offered: [String])
    /// The camera chose an unsupported mode.
    case unusableMode(path: String, fourCC: String, width: Int, height: Int)
    /// A system call failed; `code` is its `errno`.
    case callFailed(CameraOperation, path: String, code: Int32)
    /// The camera delivered no frame for that time and is reopened.
    case timedOut(path: String, after: MediaDuration)
    /// The camera has no control of that name.
    case unknownControl(String, path: String)
    /// The value is outside the control's values.
    case controlOutOfRange(String, value: Int, range: ClosedRange<Int>, step: Int)
    /// The control cannot be set now: it is read-only, or controlled by one of the camera's automatic functions.
    case controlNotSettable(String)
    /// A text is not a control and its value.
    case invalidSetting(String)
    /// The system has no memory for pictures.
    case frames(FrameError)
    /// libjpeg has no memory.
    case noJPEGDecoder
}

/// The operation that failed.
public enum CameraOperation: String, Sendable, CaseIterable {
    /// Opening the node.
    case open
    /// Querying the node's capabilities (VIDIOC_QUERYCAP).
    case queryCapabilities = "query"
    /// Listing formats, sizes and rates (VIDIOC_ENUM_*).
    case enumerate
    /// Setting format and size (VIDIOC_S_FMT).
    case setFormat = "set the format of"
    /// Setting the rate (VIDIOC_S_PARM).
    case setRate = "set the rate of"
    /// Requesting buffers (VIDIOC_REQBUFS).
    case requestBuffers = "get buffers of"
    /// Mapping a buffer into memory (VIDIOC_QUERYBUF, mmap).
    case mapBuffer = "map a buffer of"
    /// Passing a buffer to the driver (VIDIOC_QBUF).
    case queueBuffer = "queue a buffer of"
    /// Taking a filled buffer back (VIDIOC_DQBUF).
    case dequeueBuffer = "dequeue a buffer of"
    /// Starting the stream (VIDIOC_STREAMON).
    case startStreaming = "start"
    /// Waiting for a frame (poll).
    case wait = "wait for"
    /// Listing, reading or setting controls.
    case control = "control"
}

extension CameraError {
    /// Whether another program uses the camera.
    public var isBusy: Bool { code == EBUSY }
    /// Whether permission is missing.
    public var isDenied: Bool { code == EACCES || code == EPERM }
    /// Whether the camera is absent.
    public var isGone: Bool {
        if case .notFound = self { return true }
        return code.map { [ENODEV, ENXIO, ENOENT].contains($0) } ?? false
    }

    private var code: Int32? {
        if case .callFailed(_, _, let code) = self { code } else { nil }
    }
}

extension CameraError: CustomStringConvertible {
    /// One sentence, with a remedy where it is not obvious.
    public var description: String {
        switch self {
        case .notFound(let selection):
            "\(selection): no such camera; `rill cameras` lists the connected ones"
        case .notACamera(let path): "\(path) captures no video"
        case .noKnownFormat(let path, []):
            "\(path) offers no format: a loopback device needs a program that writes to it, a sensor its media pipeline "
                + "(media-ctl), and a USB camera may have to be plugged in again"
        case .noKnownFormat(let path, let offered):
            "\(path) has no supported format: it offers \(offered.joined(separator: ", "))"
        case .unusableMode(let path, let fourCC, let width, let height):
            "\(path) chose \(fourCC) at \(width)x\(height), which is not supported"
        case .callFailed(let call, let path, let code):
            "cannot \(call.rawValue) \(path): \(systemText(code))\(advice(code))"
        case .timedOut(let path, let duration): "\(path) had no frame for \(duration)"
        case .unknownControl(let name, let path): "\(path) has no control \"\(name)\""
        case .controlOutOfRange(let name, let value, let range, let step):
            "\(name): \(value) is outside \(range.lowerBound) to \(range.upperBound)"
                + (step > 1 ? " in steps of \(step)" : "")
        case .controlNotSettable(let name): "\(name) cannot be set now: it is automatic or read-only"
        case .invalidSetting(let text): "\"\(text)\" is not a setting: expected CONTROL=VALUE, like brightness=128"
        case .frames(let error): "\(error)"
        case .noJPEGDecoder: "no memory for a JPEG decoder"
        }
    }

    private func advice(_ code: Int32) -> String {
        switch code {
        case EBUSY: "; another program uses it"
        case EACCES, EPERM: "; this user may have to join the group \"video\""
        default: ""
        }
    }
}
