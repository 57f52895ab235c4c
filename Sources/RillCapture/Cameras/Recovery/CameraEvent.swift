public import RillCore

/// What happens to a camera.
public enum CameraEvent: Equatable, Sendable {
    /// It was opened and started, in that mode.
    case opened(CameraMode)
    /// Its first frame has come, or the first after a stall.
    case streaming
    /// No frame has come for so long.
    case stalled(MediaDuration)
    /// A frame was damaged, and not passed on.
    case errorFrame(FrameFault)
    /// It is gone, or has failed while it streamed: it is opened again when it can be.
    case lost(CameraError)
    /// It was opened and started again after it was lost; the mode may be another one.
    case reopened(CameraMode)
    /// Another program has it; it is tried again.
    case busy
    /// The rights to open it are missing; it is tried again.
    case denied
    /// It is there and does not start; it is tried again.
    case failed(CameraError)
}

/// What a camera has done so far.
public struct CameraStatistics: Codable, Hashable, Sendable {
    /// Frames passed on.
    public var framesCaptured = 0
    /// Frames that the driver counted and that never came: it had no buffer for them, or its device lost them.
    public var framesMissed = 0
    /// How often the driver's count went on by more than one.
    public var gaps = 0
    /// Damaged frames, which were not passed on.
    public var errorFrames = 0
    /// Stamps of the driver that could not be, and were replaced.
    public var timestampFaults = TimestampFaults()
    /// Times without a frame that were stalls.
    public var stalls = 0
    /// Times that the camera was lost.
    public var losses = 0
    /// Times that it was opened again after that.
    public var reopenings = 0
}

extension CameraEvent: CustomStringConvertible {
    /// A few words for people.
    public var description: String {
        switch self {
        case .opened(let mode): "opened, \(mode)"
        case .streaming: "streaming"
        case .stalled(let duration): "stalled, no frame for \(duration)"
        case .errorFrame(let fault): "left out a frame: \(fault)"
        case .lost(let error): "lost: \(error)"
        case .reopened(let mode): "reopened, \(mode)"
        case .busy: "busy: another program has it"
        case .denied: "denied: this user may have to join the group \"video\""
        case .failed(let error): "failed: \(error)"
        }
    }
}

extension CameraStatistics: CustomStringConvertible {
    /// What is not zero, by name: `framesCaptured 120, timestampFaults (repeated 2)`.
    public var description: String { countedText(self) }
}
