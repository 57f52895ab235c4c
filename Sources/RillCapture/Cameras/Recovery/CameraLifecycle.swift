import RillCore

/// What becomes of a camera, as a pure state machine: it is told results and times, and says what to do next.
///
///     var lifecycle = CameraLifecycle()
///     switch lifecycle.poll(at: now) {
///     case .open: …          // then `opened` or `openFailed`
///     case .awaitFrame(let deadline): …   // then `received`, `nothingCame` or `failed`
///     case .awaitDevice(let deadline): …  // then `deviceChanged`, or nothing
///     }
///
/// While the camera is away, it waits for a notice that devices have changed, and looks again in any case after
/// ``retryInterval``: a camera that comes back is running again within a second of that, with or without notices.
struct CameraLifecycle: Sendable {
    /// What to do next.
    enum Step: Equatable, Sendable {
        /// Open the camera and start it.
        case open
        /// Wait for a frame, until then at the longest.
        case awaitFrame(until: MediaTime)
        /// Close the camera: it is to be opened anew.
        case close
        /// Wait for devices to change, until then at the longest.
        case awaitDevice(until: MediaTime)
    }

    /// Where the camera is.
    enum State: Equatable, Sendable {
        /// Not opened: to be tried at that time, or when devices change.
        case away(tryAt: MediaTime)
        /// Opened: no frame has come yet, since then.
        case opened(since: MediaTime)
        /// Frames come; the last one then.
        case streaming(last: MediaTime)
        /// No frame comes; the last one, or the start, was then.
        case stalled(last: MediaTime)
        /// It has failed, and is still to be closed.
        case failed
    }

    private(set) var state: State = .away(tryAt: .zero)
    /// Whether it was open before: what opens then is reopened.
    private var wasOpen = false
    /// What was last said of why it cannot be opened, so that it is said once.
    private var lastRefusal: CameraEvent?
    private var interval = MediaDuration.milliseconds(33)

    /// How long to wait between two attempts to open.
    static let retryInterval = MediaDuration.milliseconds(250)
    /// How long to wait after devices have changed: udev gives the rights a moment after the node.
    static let settlingTime = MediaDuration.milliseconds(20)
    /// So many times the stall's own time without a frame, and the camera is opened anew.
    static let stallsBeforeReopening = 3

    /// How long without a frame is a stall: a second, or five intervals, whichever is longer.
    var stallLimit: MediaDuration { max(.seconds(1), interval * 5) }

    func poll(at now: MediaTime) -> Step {
        switch state {
        case .away(let time): now >= time ? .open : .awaitDevice(until: time)
        case .opened(let last), .streaming(let last): .awaitFrame(until: last + stallLimit)
        case .stalled(let last): .awaitFrame(until: last + stallLimit * Self.stallsBeforeReopening)
        case .failed: .close
        }
    }

    /// The camera was opened and started.
    mutating func opened(_ mode: CameraMode, at now: MediaTime) -> CameraEvent {
        interval = mode.interval
        state = .opened(since: now)
        lastRefusal = nil
        defer { wasOpen = true }
        return wasOpen ? .reopened(mode) : .opened(mode)
    }

    /// It could not be opened; `nil` where that was said before, or goes without saying.
    mutating func openFailed(_ error: CameraError, at now: MediaTime) -> CameraEvent? {
        state = .away(tryAt: now + Self.retryInterval)
        let event: CameraEvent =
            error.isBusy ? .busy : error.isDenied ? .denied : .failed(error)
        // That a camera which is lost is not there yet is no news.
        guard !(error.isGone && wasOpen), event != lastRefusal else { return nil }
        lastRefusal = event
        return event
    }

    /// A frame has come, good or damaged.
    mutating func received(at now: MediaTime) -> CameraEvent? {
        defer { state = .streaming(last: now) }
        if case .streaming = state { return nil }
        return .streaming
    }

    /// The wait for a frame is over without one.
    mutating func nothingCame(at now: MediaTime, path: String) -> CameraEvent? {
        switch state {
        case .opened(let last), .streaming(let last):
            guard now >= last + stallLimit else { return nil }
            state = .stalled(last: last)
            return .stalled(now - last)
        case .stalled(let last):
            guard now >= last + stallLimit * Self.stallsBeforeReopening else { return nil }
            return failed(.timedOut(path: path, after: now - last))
        case .away, .failed: return nil
        }
    }

    /// A call has failed that must not.
    mutating func failed(_ error: CameraError) -> CameraEvent {
        state = .failed
        return .lost(error)
    }

    /// The camera was closed, to be opened again.
    mutating func closed(at now: MediaTime) {
        state = .away(tryAt: now)
    }

    /// Devices have come or gone.
    mutating func deviceChanged(at now: MediaTime) {
        guard case .away(let time) = state else { return }
        state = .away(tryAt: min(time, now + Self.settlingTime))
    }
}
