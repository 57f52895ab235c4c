import RillCore
import Testing

@testable import RillCapture

/// The events of a camera, with their times.
final class CameraDiary: Sendable {
    let system: FakeSystem
    private let entries = Monitor([(time: MediaTime, event: CameraEvent)]())
    private let start: MediaTime

    init(_ system: FakeSystem) {
        self.system = system
        start = system.now
    }

    func write(_ event: CameraEvent) {
        let now = system.now
        entries.withLock { $0.append((now, event)) }
    }

    var events: [CameraEvent] { entries.withLock { $0.map(\.event) } }

    /// The time of the first matching event, since the diary's start.
    func time(_ isMeant: (CameraEvent) -> Bool) -> MediaDuration? {
        entries.withLock { entries in entries.first { isMeant($0.event) }.map { $0.time - start } }
    }
}

extension CameraEvent {
    var isLost: Bool { if case .lost = self { true } else { false } }
    var isReopened: Bool { if case .reopened = self { true } else { false } }
}

/// A camera of the system, and the diary of what it says.
func openCamera(
    _ system: FakeSystem, _ selection: CameraSelection = .path("/dev/video0"),
    _ constraints: CameraConstraints = CameraConstraints(),
    capacity: Int = 8
) throws(CameraError) -> (V4L2Camera, CameraDiary) {
    let diary = CameraDiary(system)
    return (try V4L2Camera(selection, constraints, calls: system, capacity: capacity) { diary.write($0) }, diary)
}

/// The frames of a camera within a duration.
func frames(_ camera: V4L2Camera, _ system: FakeSystem, for duration: MediaDuration) throws -> [VideoFrame] {
    let end = system.now + duration
    var frames: [VideoFrame] = []
    while system.now < end {
        switch try camera.next() {
        case .frame(var frame):
            // The number of the picture stands in its samples; the buffer goes back.
            frame.timestamps[.shown] = system.now
            frames.append(try #require(frame.small()))
        case .pending, .noBuffer: continue
        case .end: Issue.record("a camera has no end")
        }
    }
    return frames
}

extension VideoFrame {
    /// The frame's corner with all that is known of it, in memory of its own, so that the pool has its buffer back.
    fileprivate func small() -> VideoFrame? {
        // The caller demands a frame: without memory for it the test fails there.
        guard let pool = try? FramePool(resolution: Resolution(width: 8, height: 8), capacity: 1),
            var target = pool.makeFrame()
        else { return nil }
        var planes = target.planes
        planes.y.fill(y[0, 0])
        planes.u.fill(u[0, 0])
        planes.v.fill(v[0, 0])
        var frame = target.finish(captureTime: captureTime, colorSpace: colorSpace)
        frame.isDiscontinuity = isDiscontinuity
        frame.timestamps = timestamps
        return frame
    }
}
