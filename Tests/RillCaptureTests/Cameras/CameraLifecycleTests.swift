import Glibc
import RillCore
import Testing

@testable import RillCapture

/// The state machine by itself: results and times in, events and the next step out.
@Suite struct CameraLifecycleTests {
    private let mode = CameraMode(pixelFormat: .yuyv, resolution: .vga, frameRate: 30, colorSpace: .bt601)
    private let slow = CameraMode(pixelFormat: .yuyv, resolution: .vga, frameRate: 2, colorSpace: .bt601)
    private let gone = CameraError.callFailed(.dequeueBuffer, path: "/dev/video0", code: ENODEV)

    private func time(_ milliseconds: Int) -> MediaTime { .zero + .milliseconds(milliseconds) }

    @Test func `A camera is opened, delivers its first frame, and streams`() {
        var lifecycle = CameraLifecycle()
        #expect(lifecycle.poll(at: time(0)) == .open)
        #expect(lifecycle.opened(mode, at: time(10)) == .opened(mode))
        #expect(lifecycle.poll(at: time(10)) == .awaitFrame(until: time(1010)))
        #expect(lifecycle.received(at: time(50)) == .streaming)
        #expect(lifecycle.received(at: time(83)) == nil)
        #expect(lifecycle.poll(at: time(83)) == .awaitFrame(until: time(1083)))
    }

    @Test func `A stall is a second without a frame, or five intervals, and ends with a frame`() {
        var lifecycle = CameraLifecycle()
        _ = lifecycle.opened(mode, at: time(0))
        _ = lifecycle.received(at: time(100))
        #expect(lifecycle.nothingCame(at: time(1099), path: "") == nil)
        #expect(lifecycle.nothingCame(at: time(1100), path: "") == .stalled(.seconds(1)))
        #expect(lifecycle.nothingCame(at: time(1200), path: "") == nil)
        #expect(lifecycle.received(at: time(1300)) == .streaming)

        var patient = CameraLifecycle()
        _ = patient.opened(slow, at: time(0))
        #expect(patient.nothingCame(at: time(2499), path: "") == nil)
        #expect(patient.nothingCame(at: time(2500), path: "") == .stalled(.milliseconds(2500)))
    }

    @Test func `A silent camera is closed and reopened`() {
        var lifecycle = CameraLifecycle()
        _ = lifecycle.opened(mode, at: time(0))
        #expect(lifecycle.nothingCame(at: time(1000), path: "p") == .stalled(.seconds(1)))
        #expect(lifecycle.poll(at: time(1000)) == .awaitFrame(until: time(3000)))
        #expect(lifecycle.nothingCame(at: time(3000), path: "p") == .lost(.timedOut(path: "p", after: .seconds(3))))
        #expect(lifecycle.poll(at: time(3000)) == .close)
        lifecycle.closed(at: time(3001))
        #expect(lifecycle.poll(at: time(3001)) == .open)
        #expect(lifecycle.opened(mode, at: time(3010)) == .reopened(mode))
    }

    @Test func `A lost camera is retried at once, then every 250 ms, and shortly after a notice`() {
        var lifecycle = CameraLifecycle()
        _ = lifecycle.opened(mode, at: time(0))
        #expect(lifecycle.failed(gone) == .lost(gone))
        #expect(lifecycle.poll(at: time(100)) == .close)
        lifecycle.closed(at: time(100))
        #expect(lifecycle.poll(at: time(100)) == .open)
        // That it is still missing is not reported again.
        #expect(lifecycle.openFailed(.notFound(.path("/dev/video0")), at: time(101)) == nil)
        #expect(lifecycle.poll(at: time(102)) == .awaitDevice(until: time(351)))
        #expect(lifecycle.poll(at: time(351)) == .open)
        _ = lifecycle.openFailed(gone, at: time(352))
        lifecycle.deviceChanged(at: time(400))
        #expect(lifecycle.poll(at: time(400)) == .awaitDevice(until: time(420)))
        #expect(lifecycle.poll(at: time(420)) == .open)
        #expect(lifecycle.opened(slow, at: time(430)) == .reopened(slow))
    }

    @Test(arguments: [EBUSY, EACCES, EPERM, EIO])
    func `The reason why a camera does not open is reported once, and again when it changes`(code: Int32) {
        var lifecycle = CameraLifecycle()
        let error = CameraError.callFailed(.open, path: "/dev/video0", code: code)
        let expected: CameraEvent = code == EBUSY ? .busy : code == EIO ? .failed(error) : .denied
        #expect(lifecycle.openFailed(error, at: time(0)) == expected)
        #expect(lifecycle.openFailed(error, at: time(250)) == nil)
        let other = CameraError.callFailed(.startStreaming, path: "/dev/video0", code: EINVAL)
        #expect(lifecycle.openFailed(other, at: time(500)) == .failed(other))
        #expect(lifecycle.openFailed(error, at: time(750)) == expected)
        _ = lifecycle.opened(mode, at: time(1000))
        #expect(lifecycle.openFailed(error, at: time(2000)) == expected, "after it was open, it is news again")
    }
}
