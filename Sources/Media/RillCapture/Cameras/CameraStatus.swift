import RillCore

/// A camera's counts, readable from any thread while another one uses the camera.
public final class CameraStatus: Sendable {
    private let state = Monitor(CameraStatistics())

    init() {}

    /// Counts since the camera was created.
    public var statistics: CameraStatistics { state.withLock { $0 } }

    func note(_ counts: CameraSession.Counts) {
        state.withLock { statistics in
            statistics.framesCaptured += counts.frames
            statistics.framesMissed += counts.missed
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
