import RillCore

/// The lifecycle of a camera as a pure state machine: it takes results and times, and returns the next step.
///
/// ```swift
/// var lifecycle = CameraLifecycle()
/// switch lifecycle.poll(at: now) {
/// case .open: …                       // then `opened` or `openFailed`
/// case .awaitFrame(let deadline): …   // then `received`, `nothingCame` or `failed`
/// case .close: …                      // then `closed`
/// case .awaitDevice(let deadline): …  // then `deviceChanged`, or nothing
/// }
/// ```
///
/// While the camera is away, it waits for a notification of changed devices, and retries after ``retryInterval`` in
/// any case. A camera that returns runs again within a second, with or without notifications.
struct CameraLifecycle: Sendable {
    /// The next step.
    enum Step: Equatable, Sendable {
        /// Open the camera and start it.
        case open
        /// Wait for a frame, at most until then.
        case awaitFrame(until: MediaTime)
        /// Close the camera, to reopen it.
        case close
        /// Wait for devices to change, at most until then.
        case awaitDevice(until: MediaTime)
    }

    /// The state of the camera.
    enum State: Equatable, Sendable {
        /// Not open. Opening is tried at that time, or when devices change.
        case away(tryAt: MediaTime)
        /// Open since then, with no frame yet.
        case opened(since: MediaTime)
        /// Frames arrive; the last one at that time.
        case streaming(last: MediaTime)
        /// No frames arrive; the last one, or the start, was at that time.
        case stalled(last: MediaTime)
        /// It failed and must still be closed.
        case failed
    }

    private(set) var state: State = .away(tryAt: .zero)
    /// Whether it was open before: the next opening is reported as a reopening.
    private var wasOpen = false
    /// The last reported reason why it cannot be opened, to report it only once.
    private var lastRefusal: CameraEvent?
    private var interval = MediaDuration.milliseconds(33)

    /// The time between two attempts to open.
    static let retryInterval = MediaDuration.milliseconds(250)
    /// The wait after devices have changed: udev sets the permissions a moment after the node appears.
    static let debounceTime = MediaDuration.milliseconds(20)
    /// After this many stall limits without a frame, the camera is reopened.
    static let stallsBeforeReopening = 3

    /// The time without a frame that counts as a stall: a second, or five intervals, whichever is longer.
    var stallLimit: MediaDuration { max(.seconds(1), interval * 5) }

    func poll(at now: MediaTime) -> Step {
        switch state {
        case .away(let time): now >= time ? .open : .awaitDevice(until: time)
        case .opened(let last), .streaming(let last): .awaitFrame(until: last + stallLimit)
        case .stalled(let last): .awaitFrame(until: last + stallLimit * Self.stallsBeforeReopening)
        case .failed: .close
        }
    }

    /// Records that the camera was opened and started.
    mutating func opened(_ mode: CameraMode, at now: MediaTime) -> CameraEvent {
        interval = mode.interval
        state = .opened(since: now)
        lastRefusal = nil
        defer { wasOpen = true }
        return wasOpen ? .reopened(mode) : .opened(mode)
    }

    /// Records that it could not be opened. Returns `nil` if that was reported before, or is expected.
    mutating func openFailed(_ error: CameraError, at now: MediaTime) -> CameraEvent? {
        state = .away(tryAt: now + Self.retryInterval)
        let event: CameraEvent =
            error.isBusy ? .busy : error.isDenied ? .denied : .failed(error)
        // A lost camera that is not back yet is not news.
        guard !(error.isGone && wasOpen), event != lastRefusal else { return nil }
        lastRefusal = event
        return event
    }

    /// Records that a frame arrived, valid or damaged.
    mutating func received(at now: MediaTime) -> CameraEvent? {
        defer { state = .streaming(last: now) }
        if case .streaming = state { return nil }
        return .streaming
    }

    /// Records that the wait for a frame ended without one.
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

    /// Records that a call failed that must not fail.
    mutating func failed(_ error: CameraError) -> CameraEvent {
        state = .failed
        return .lost(error)
    }

    /// Records that the camera was closed, to be reopened.
    mutating func closed(at now: MediaTime) {
        state = .away(tryAt: now)
    }

    /// Records that devices appeared or disappeared.
    mutating func deviceChanged(at now: MediaTime) {
        guard case .away(let time) = state else { return }
        state = .away(tryAt: min(time, now + Self.debounceTime))
    }
}
