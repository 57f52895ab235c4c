public import RillCore

/// A camera as a source of frames: V4L2, with recovery.
///
///     let camera = try V4L2Camera(.path("/dev/video0"), CameraConstraints(resolution: .hd720)) { event in print(event) }
///     print(camera.mode)                    // what it got
///     let sender = LiveSender(pipeline, source: camera, packets: socket)
///
/// Frames are I420 in limited range, at the times that the kernel has stamped them with (`CLOCK_MONOTONIC`), those that
/// cannot be replaced. Damaged frames are left out. A camera that is lost is noticed within 100 ms, waited for without
/// work, opened again within a second of its return, wherever it is then plugged in, and goes on at the same place; the
/// first frame then is marked as a beginning (``RillCore/VideoFrame/isDiscontinuity``), so that every layer sends a key
/// frame.
///
/// ``next()`` waits for a frame for ``frameTimeout`` at the most and then says ``RillCore/SourceOutput/pending``: whoever
/// drives it can stop it at any time, whatever the camera does.
///
/// One owner, one thread at a time, like every source; ``status`` may be asked from any. Cost: one pass from the driver's
/// memory into the frame, three system calls, and of raw formats no allocation but the frame's lease (MJPEG: a decoder's
/// working memory, and the tables that each picture brings).
public final class V4L2Camera: FrameSource {
    /// What can be asked of the camera from any thread.
    public let status = CameraStatus()
    /// What is wanted.
    public let constraints: CameraConstraints

    private let calls: any DeviceCalls
    private let finder: CameraFinder
    private let onEvent: (@Sendable (CameraEvent) -> Void)?
    private var lifecycle = CameraLifecycle()
    private var session: CameraSession?
    private var settledMode: CameraMode
    private var pools: FittingPool
    /// Whether the next frame is the first since the camera was opened.
    private var isDiscontinuity = false

    /// How long ``next()`` waits for a frame before it says that none has come.
    public static let frameTimeout = MediaDuration.milliseconds(90)

    /// Opens a camera and starts it.
    ///
    /// - Parameters:
    ///   - selection: which one.
    ///   - constraints: what is wanted of it; ``mode`` says what it gives.
    ///   - capacity: how many frames may be in use downstream at once.
    ///   - onEvent: is called with what happens, on the thread that calls ``next()``; first on this one.
    /// - Throws: ``CameraError``. What happens later does not throw: it is an event, and is recovered from.
    public convenience init(
        _ selection: CameraSelection, _ constraints: CameraConstraints = CameraConstraints(), capacity: Int = 8,
        onEvent: (@Sendable (CameraEvent) -> Void)? = nil
    ) throws(CameraError) {
        try self.init(selection, constraints, calls: SystemDeviceCalls(), capacity: capacity, onEvent: onEvent)
    }

    package init(
        _ selection: CameraSelection, _ constraints: CameraConstraints, calls: any DeviceCalls, capacity: Int = 8,
        onEvent: (@Sendable (CameraEvent) -> Void)? = nil
    ) throws(CameraError) {
        self.calls = calls
        self.constraints = constraints
        self.onEvent = onEvent
        var finder = CameraFinder(selection)
        pools = FittingPool(capacity: capacity)
        do throws(CameraError) {
            let session = try CameraSession(try finder.open(calls), constraints)
            self.session = session
            settledMode = session.mode
            self.finder = finder
        } catch {
            if let event = lifecycle.openFailed(error, at: calls.now) { onEvent?(event) }
            throw error
        }
        isDiscontinuity = true
        tell(lifecycle.opened(settledMode, at: calls.now))
    }

    /// What the camera gives; after it was lost and came back, what it gives now.
    public var mode: CameraMode { settledMode }

    /// Size and rate of ``mode``, in real time.
    public var format: SourceFormat {
        SourceFormat(resolution: mode.resolution, frameRate: mode.frameRate, isLive: true)
    }

    /// The next frame, ``RillCore/SourceOutput/pending`` where none came in time, or ``RillCore/SourceOutput/noBuffer``.
    ///
    /// A camera has no end: it never says ``RillCore/SourceOutput/end``.
    ///
    /// - Throws: ``CameraError/frames(_:)`` where there is no memory for its pictures.
    public func next() throws -> SourceOutput {
        let deadline = calls.now + Self.frameTimeout
        while true {
            let now = calls.now
            switch lifecycle.poll(at: now) {
            case .open: open()
            case .close: close()
            case .awaitDevice(let time):
                guard now < deadline else { return .pending }
                if calls.waitForChange(until: min(time, deadline)) { lifecycle.deviceChanged(at: calls.now) }
            case .awaitFrame(let time):
                if let output = try awaitFrame(until: min(time, deadline)) { return output }
                guard calls.now < deadline else { return .pending }
            }
        }
    }

    private func open() {
        do throws(CameraError) {
            let session = try CameraSession(try finder.reopen(calls), constraints)
            self.session = session
            settledMode = session.mode
            isDiscontinuity = true
            tell(lifecycle.opened(session.mode, at: calls.now))
        } catch {
            if let event = lifecycle.openFailed(error, at: calls.now) { tell(event) }
        }
    }

    private func close() {
        session = nil
        lifecycle.closed(at: calls.now)
    }

    /// Waits for a frame and reads it; `nil` where none came, or one that is not passed on.
    private func awaitFrame(until deadline: MediaTime) throws(CameraError) -> SourceOutput? {
        guard let session else { preconditionFailure("a camera that is open has a session") }
        // First the place to put it: a frame that is not taken stays with the driver.
        guard let target = try target(session.mode.resolution) else { return .noBuffer }
        do throws(CameraError) {
            switch try session.next(until: deadline, into: target) {
            case .nothing:
                if let event = lifecycle.nothingCame(at: calls.now, path: session.path) { tell(event) }
                return nil
            case .damaged(let fault):
                note(session)
                if let event = lifecycle.received(at: calls.now) { tell(event) }
                tell(.errorFrame(fault))
                return nil
            case .frame(var frame):
                frame.isDiscontinuity = isDiscontinuity
                isDiscontinuity = false
                note(session)
                if let event = lifecycle.received(at: calls.now) { tell(event) }
                return .frame(frame)
            }
        } catch {
            tell(lifecycle.failed(error))
            return nil
        }
    }

    private func target(_ resolution: Resolution) throws(CameraError) -> MutableFrame? {
        do { return try pools.pool(for: resolution).makeFrame() } catch { throw .frames(error) }
    }

    private func note(_ session: CameraSession) {
        status.note(session.takeCounts())
    }

    private func tell(_ event: CameraEvent) {
        status.note(event)
        onEvent?(event)
    }
}
