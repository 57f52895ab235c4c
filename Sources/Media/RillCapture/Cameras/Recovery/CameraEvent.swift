public import RillCore

/// An event of a camera.
public enum CameraEvent: Equatable, Sendable {
    /// It was opened and started, in that mode.
    case opened(CameraMode)
    /// Its first frame arrived, or the first after a stall.
    case streaming
    /// No frame arrived for that time.
    case stalled(MediaDuration)
    /// A frame was damaged and dropped.
    case errorFrame(FrameFault)
    /// It is gone, or failed while streaming. It is reopened as soon as possible.
    case lost(CameraError)
    /// It was opened and started again after it was lost. The mode may differ.
    case reopened(CameraMode)
    /// Another program uses it. Opening is retried.
    case busy
    /// Permission to open it is missing. Opening is retried.
    case denied
    /// It is connected but does not start. Opening is retried.
    case failed(CameraError)
}

/// A camera's counts so far.
public struct CameraStatistics: Codable, Hashable, Sendable {
    /// Frames passed on.
    public var framesCaptured = 0
    /// Frames that the driver counted but did not deliver: it had no buffer for them, or its device lost them.
    public var framesMissed = 0
    /// How often the driver's sequence number advanced by more than one.
    public var gaps = 0
    /// Damaged frames, which were dropped.
    public var errorFrames = 0
    /// Invalid timestamps of the driver, which were replaced.
    public var timestampFaults = TimestampFaults()
    /// Stalls: periods without a frame.
    public var stalls = 0
    /// Times that the camera was lost.
    public var losses = 0
    /// Times that it was reopened afterwards.
    public var reopenings = 0
}

extension CameraEvent: CustomStringConvertible {
    /// A short description for people.
    public var description: String {
        switch self {
        case .opened(let mode): "opened, \(mode)"
        case .streaming: "streaming"
        case .stalled(let duration): "stalled, no frame for \(duration)"
        case .errorFrame(let fault): "dropped a frame: \(fault)"
        case .lost(let error): "lost: \(error)"
        case .reopened(let mode): "reopened, \(mode)"
        case .busy: "busy: another program uses it"
        case .denied: "denied: this user may have to join the group \"video\""
        case .failed(let error): "failed: \(error)"
        }
    }
}

extension CameraStatistics: CustomStringConvertible {
    /// The counts that are not zero, by name: `framesCaptured 120, timestampFaults (repeated 2)`.
    public var description: String { countedText(self) }
}

/// A camera's counts, readable from any thread while another one uses the camera.
public final class CameraStatus: Sendable {
    private let state = Monitor(CameraStatistics())

    init() {}

    /// Counts since the camera was created.
    public var statistics: CameraStatistics { state.withLock { $0 } }

    func note(_ counts: CameraStatistics) {
        state.withLock { statistics in
            statistics.framesCaptured += counts.framesCaptured
            statistics.framesMissed += counts.framesMissed
            statistics.gaps += counts.gaps
            statistics.timestampFaults = statistics.timestampFaults + counts.timestampFaults
        }
    }

    func note(_ event: CameraEvent) {
        state.withLock { statistics in
            switch event {
            case .stalled: statistics.stalls += 1
            case .errorFrame: statistics.errorFrames += 1
            case .lost: statistics.losses += 1
            case .reopened: statistics.reopenings += 1
            case .opened, .streaming, .busy, .denied, .failed: break
            }
        }
    }
}
