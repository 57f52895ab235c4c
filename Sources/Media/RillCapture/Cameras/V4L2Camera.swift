public import RillCore

/// A camera as a frame source: V4L2, with recovery.
///
/// ```swift
/// let camera = try V4L2Camera(.path("/dev/video0"), CameraConstraints(resolution: .hd720)) { event in print(event) }
/// print(camera.mode)                    // the negotiated mode
/// let call = try VideoCall(settings, source: camera)
/// ```
///
/// Frames are I420 in limited range. Capture times are the kernel's timestamps (`CLOCK_MONOTONIC`); implausible ones
/// are replaced. Damaged frames are dropped.
///
/// A lost camera is noticed within 100 ms. Waiting for it costs almost nothing. It is reopened within a second of its
/// return, at whatever port, and the source continues. The first frame is then marked as a discontinuity
/// (``/RillCore/VideoFrame/isDiscontinuity``), so that every layer sends a key frame.
///
/// ``next()`` waits for a frame for at most ``frameTimeout`` and then returns ``/RillCore/SourceOutput/pending``. So
/// its driver can stop it at any time, whatever the camera does.
///
/// One owner, one thread at a time, like every source; ``status`` is readable from any thread. Cost: one pass from
/// the driver's memory into the frame, three system calls, and for raw formats no allocation except the frame's
/// lease. (MJPEG also needs the decoder's working memory, and the tables of each picture.)
public final class V4L2Camera: FrameSource {
    /// The camera's counts, readable from any thread.
    public let status = CameraStatus()
    /// The requested properties.
    public let constraints: CameraConstraints

    private let calls: any DeviceCalls
    private let finder: CameraFinder
    private let onEvent: (@Sendable (CameraEvent) -> Void)?
    private var lifecycle = CameraLifecycle()
    private var session: CameraSession?
    private var negotiatedMode: CameraMode
    private var pools: ResizingPool
    /// Whether the next frame is the first since the camera was opened.
    private var isDiscontinuity = false

    /// How long ``next()`` waits for a frame before it returns ``/RillCore/SourceOutput/pending``.
    public static let frameTimeout = MediaDuration.milliseconds(90)

    /// Opens a camera and starts it.
    ///
    /// - Parameters:
    ///   - selection: which camera to open.
    ///   - constraints: the requested properties; ``mode`` holds the negotiated ones.
    ///   - capacity: how many frames may be in use downstream at once.
    ///   - onEvent: called with each event, on the thread that calls ``next()``; the first time on this thread.
    /// - Throws: ``CameraError``. Later failures do not throw: they are events, and the camera recovers from them.
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
        pools = ResizingPool(capacity: capacity)
        do throws(CameraError) {
            let session = try CameraSession(try finder.open(calls), constraints)
            self.session = session
            negotiatedMode = session.mode
            self.finder = finder
        } catch {
            if let event = lifecycle.openFailed(error, at: calls.now) { onEvent?(event) }
            throw error
        }
        isDiscontinuity = true
        tell(lifecycle.opened(negotiatedMode, at: calls.now))
    }

    /// The mode of the camera. It may change when a lost camera comes back.
    public var mode: CameraMode { negotiatedMode }

    /// The size and rate of ``mode``, in real time.
    public var format: SourceFormat {
        SourceFormat(resolution: mode.resolution, frameRate: mode.frameRate, isLive: true)
    }

    /// Returns the next frame, or ``/RillCore/SourceOutput/pending`` if none arrived in time, or
    /// ``/RillCore/SourceOutput/noBuffer``.
    ///
    /// A camera never returns ``/RillCore/SourceOutput/end``.
    ///
    /// - Throws: ``CameraError/frames(_:)`` if there is no memory for its pictures.
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
            negotiatedMode = session.mode
            isDiscontinuity = true
            tell(lifecycle.opened(session.mode, at: calls.now))
        } catch {
            tell(lifecycle.openFailed(error, at: calls.now))
        }
    }

    private func close() {
        session = nil
        lifecycle.closed(at: calls.now)
    }

    /// Waits for a frame and reads it. Returns `nil` if none arrived, or if it was dropped.
    private func awaitFrame(until deadline: MediaTime) throws(CameraError) -> SourceOutput? {
        guard let session else { preconditionFailure("a camera that is open has a session") }
        // The target comes first: without one, the frame stays with the driver.
        guard let target = try target(session.mode.resolution) else { return .noBuffer }
        do throws(CameraError) {
            let outcome = try session.next(until: deadline, into: target)
            if case .nothing = outcome {
                tell(lifecycle.nothingCame(at: calls.now, path: session.path))
                return nil
            }
            status.note(session.takeCounts())
            tell(lifecycle.received(at: calls.now))
            guard case .frame(var frame) = outcome else {
                if case .damaged(let fault) = outcome { tell(.errorFrame(fault)) }
                return nil
            }
            frame.isDiscontinuity = isDiscontinuity
            isDiscontinuity = false
            return .frame(frame)
        } catch {
            tell(lifecycle.failed(error))
            return nil
        }
    }

    private func target(_ resolution: Resolution) throws(CameraError) -> MutableFrame? {
        do { return try pools.pool(for: resolution).makeFrame() } catch { throw .frames(error) }
    }

    private func tell(_ event: CameraEvent?) {
        guard let event else { return }
        status.note(event)
        onEvent?(event)
    }
}
