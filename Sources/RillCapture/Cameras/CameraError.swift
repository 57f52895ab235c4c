import Glibc
public import RillCore

/// What can go wrong with a camera.
public enum CameraError: Error, Equatable, Sendable {
    /// No camera is there that the words mean.
    case notFound(CameraSelection)
    /// The node is there but captures no video.
    case notACamera(path: String)
    /// Of the camera's formats none is one that is read here; they are given as their four letters.
    case noKnownFormat(path: String, offered: [String])
    /// The camera settled on something that cannot be read.
    case unusableMode(path: String, fourCC: String, width: Int, height: Int)
    /// The system refused a call; `code` is its `errno`.
    case callFailed(CameraOperation, path: String, code: Int32)
    /// The camera had no frame for so long, and was to be opened anew.
    case timedOut(path: String, after: MediaDuration)
    /// The camera has no control of that name.
    case unknownControl(String, path: String)
    /// The control has values, and this is none of them.
    case controlOutOfRange(String, value: Int, range: ClosedRange<Int>, step: Int)
    /// The control is none that can be set now: read-only, or left to the camera's own automatic.
    case controlNotSettable(String)
    /// A text is not a control and its value.
    case invalidSetting(String)
    /// There is no memory for pictures.
    case frames(FrameError)
    /// libjpeg has no memory.
    case noJPEGDecoder
}

/// What was asked of the system.
public enum CameraOperation: String, Sendable, CaseIterable {
    /// To open the node.
    case open
    /// To say what the node can do (VIDIOC_QUERYCAP).
    case queryCapabilities = "query"
    /// To list formats, sizes and rates (VIDIOC_ENUM_*).
    case enumerate
    /// To settle format and size (VIDIOC_S_FMT).
    case setFormat = "set the format of"
    /// To settle the rate (VIDIOC_S_PARM).
    case setRate = "set the rate of"
    /// To have buffers (VIDIOC_REQBUFS).
    case requestBuffers = "get buffers of"
    /// To map a buffer into memory (VIDIOC_QUERYBUF, mmap).
    case mapBuffer = "map a buffer of"
    /// To hand a buffer to the driver (VIDIOC_QBUF).
    case queueBuffer = "queue a buffer of"
    /// To get a filled one back (VIDIOC_DQBUF).
    case dequeueBuffer = "dequeue a buffer of"
    /// To begin (VIDIOC_STREAMON).
    case startStreaming = "start"
    /// To wait for a frame (poll).
    case wait = "wait for"
    /// To list, read or set controls.
    case control = "control"
}

extension CameraError {
    /// Whether another program has the camera.
    public var isBusy: Bool { code == EBUSY }
    /// Whether the rights are missing.
    public var isDenied: Bool { code == EACCES || code == EPERM }
    /// Whether the camera is not there.
    public var isGone: Bool {
        if case .notFound = self { return true }
        return code.map { [ENODEV, ENXIO, ENOENT].contains($0) } ?? false
    }

    private var code: Int32? {
        if case .callFailed(_, _, let code) = self { code } else { nil }
    }
}

extension CameraError: CustomStringConvertible {
    /// One sentence, with what to do about it where that is not plain.
    public var description: String {
        switch self {
        case .notFound(let selection):
            "\(selection): there is no such camera; `rill cameras` shows those that are there"
        case .notACamera(let path): "\(path) captures no video"
        case .noKnownFormat(let path, let offered):
            "\(path) has no format that is read here: it offers \(offered.joined(separator: ", "))"
        case .unusableMode(let path, let fourCC, let width, let height):
            "\(path) settled on \(fourCC) at \(width)x\(height), which is not read here"
        case .callFailed(let call, let path, let code):
            "cannot \(call.rawValue) \(path): \(systemText(code))\(advice(code))"
        case .timedOut(let path, let duration): "\(path) had no frame for \(duration)"
        case .unknownControl(let name, let path): "\(path) has no control \"\(name)\""
        case .controlOutOfRange(let name, let value, let range, let step):
            "\(name): \(value) is outside \(range.lowerBound) to \(range.upperBound)"
                + (step > 1 ? " in steps of \(step)" : "")
        case .controlNotSettable(let name): "\(name) cannot be set now: an automatic has it, or it is only to be read"
        case .invalidSetting(let text): "\"\(text)\" is no setting: expected CONTROL=VALUE, like brightness=128"
        case .frames(let error): "\(error)"
        case .noJPEGDecoder: "no memory for a JPEG decoder"
        }
    }

    private func advice(_ code: Int32) -> String {
        switch code {
        case EBUSY: "; another program has it"
        case EACCES, EPERM: "; this user may have to join the group \"video\""
        default: ""
        }
    }
}
