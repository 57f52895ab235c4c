import Glibc
import RillCore
import RillTestSupport
import Testing

@testable import RillCapture

extension CameraMachineTests {
    /// What vivid is told to do wrong.
    @Suite struct VividFaultTests {
        private let constraints = CameraConstraints(resolution: Resolution(width: 320, height: 180), frameRate: 25)
        private static let camera = CameraSelection.path("/dev/video0")

        /// Sets one of vivid's controls, and keeps nothing open.
        private func set(_ control: String, to value: Int = 1) throws {
            try CameraControls(Self.camera).set(control, to: value)
        }

        /// Everything that a camera had open is closed when it goes.
        private func checkNothingLeaks() {
            #expect(throws: Never.self) { try #require(try CameraMachine.openCameraCount() == 0) }
        }

        /// Which call fails when the camera is opened.
        private func failedCall() -> CameraOperation? {
            do throws(CameraError) {
                _ = try V4L2Camera(Self.camera, constraints)
            } catch {
                if case .callFailed(let call, _, _) = error { return call }
            }
            return nil
        }

        @Test func `Buffers that are dropped are gaps, and nothing else`() throws {
            do {
                let watched = try WatchedCamera(Self.camera, constraints)
                try set("percentage_of_dropped_buffers", to: 30)
                try watched.take(60)
                try set("percentage_of_dropped_buffers", to: 0)
                #expect(watched.statistics.gaps > 5 && watched.statistics.framesMissed >= watched.statistics.gaps)
                #expect(watched.kinds == ["opened", "streaming"])
            }
            checkNothingLeaks()
        }

        @Test func `A frame with the error flag is reported, and dropped`() throws {
            do {
                let watched = try WatchedCamera(Self.camera, constraints)
                try watched.take(5)
                for _ in 0..<3 {
                    let before = watched.statistics.errorFrames
                    try set("inject_v4l2_buf_flag_error")
                    try watched.take { _ in watched.statistics.errorFrames > before }
                }
                try watched.take(5)
                #expect(watched.events.filter { $0 == .errorFrame(.flagged) }.count == 3)
                #expect(!watched.kinds.contains("lost"))
            }
            checkNothingLeaks()
        }

        @Test func `A fatal error loses the camera, which is reopened`() throws {
            do {
                let watched = try WatchedCamera(Self.camera, constraints)
                try watched.take(5)
                try set("inject_fatal_streaming_error")
                try watched.take { _ in watched.kinds.contains("reopened") }
                try watched.take(5)
                #expect(watched.kinds == ["opened", "streaming", "lost", "reopened", "streaming"])
                #expect(
                    watched.events[2] == .lost(.callFailed(.dequeueBuffer, path: "/dev/video0", code: EIO)),
                    "\(watched.events)")
            }
            checkNothingLeaks()
        }

        @Test(arguments: [
            ("inject_vidioc_reqbufs_error", CameraOperation.requestBuffers), ("inject_vidioc_qbuf_error", .queueBuffer),
            ("inject_vidioc_streamon_error", .startStreaming),
        ])
        func `A refusal while the camera is opened names the call, and the next attempt succeeds`(
            control: String, call: CameraOperation
        ) throws {
            try set(control)
            #expect(failedCall() == call, "\(control)")
            checkNothingLeaks()
            try WatchedCamera(Self.camera, constraints).take(3)
            checkNothingLeaks()
        }

        @Test(arguments: ["inject_vidioc_reqbufs_error", "inject_vidioc_streamon_error"])
        func `A refusal while the camera is reopened is reported, and retried`(control: String) throws {
            do {
                let watched = try WatchedCamera(Self.camera, constraints)
                try watched.take(5)
                try set(control)
                try set("inject_fatal_streaming_error")
                try watched.take { _ in watched.kinds.contains("reopened") }
                try watched.take(3)
                #expect(
                    watched.kinds == ["opened", "streaming", "lost", "failed", "reopened", "streaming"], "\(control)")
            }
            checkNothingLeaks()
        }

        @Test func `A buffer that cannot be requeued loses the camera, which is reopened`() throws {
            do {
                let watched = try WatchedCamera(Self.camera, constraints)
                try watched.take(5)
                try set("inject_vidioc_qbuf_error")
                try watched.take { _ in watched.kinds.contains("reopened") }
                try watched.take(3)
                #expect(watched.kinds == ["opened", "streaming", "lost", "reopened", "streaming"])
                guard case .lost(.callFailed(.queueBuffer, _, _)) = watched.events[2] else {
                    return #expect(Bool(false), "\(watched.events)")
                }
            }
            checkNothingLeaks()
        }

        @Test func `A second program finds the camera busy, the first one continues`() throws {
            do {
                let watched = try WatchedCamera(Self.camera, constraints)
                try watched.take(3)
                let said = Monitor([CameraEvent]())
                #expect(throws: CameraError.self) {
                    _ = try V4L2Camera(Self.camera, constraints) { event in said.withLock { $0.append(event) } }
                }
                #expect(said.withLock { $0 } == [.busy])
                try watched.take(5)
                #expect(watched.kinds == ["opened", "streaming"])
            }
            checkNothingLeaks()
        }

        @Test func `Capture continues after the driver was removed and loaded again`() throws {
            do {
                let watched = try WatchedCamera(Self.camera, constraints)
                let watch = CameraWatch()
                try watched.take(5)
                try CameraMachine.write("vivid.0", to: "/sys/bus/platform/drivers/vivid/unbind")
                try watched.take { _ in watched.kinds.contains("lost") }
                guard case .disappeared(let gone)? = watch.next(within: .seconds(20)) else {
                    return #expect(Bool(false), "nothing said of the camera that went")
                }
                #expect(gone.path == "/dev/video0")
                // Away for a while, without a frame and without a word.
                for _ in 0..<20 { if case .frame = try watched.camera.next() { Issue.record("a frame from nowhere") } }
                try CameraMachine.write("vivid.0", to: "/sys/bus/platform/drivers/vivid/bind")
                try watched.take { _ in watched.kinds.contains("reopened") }
                try watched.take(5)
                #expect(watched.kinds == ["opened", "streaming", "lost", "reopened", "streaming"])
                // The driver has two cameras, which go and come together.
                var changes: [CameraWatch.Change] = []
                while changes.count < 3, let change = watch.next(within: .seconds(20)) { changes.append(change) }
                let returned = changes.compactMap { if case .appeared(let camera) = $0 { camera.path } else { nil } }
                #expect(returned.contains("/dev/video0"), "\(changes.count) changes, of which \(returned) appear")
            }
            checkNothingLeaks()
        }

        @Test func `A disconnected camera is lost, and returns after it was released`() throws {
            do {
                let watched = try WatchedCamera(Self.camera, constraints)
                try watched.take(5)
                try set("disconnect")
                // vivid connects it again when the last descriptor is closed.
                try watched.take { _ in watched.kinds.contains("reopened") }
                try watched.take(5)
                #expect(watched.kinds == ["opened", "streaming", "lost", "reopened", "streaming"])
            }
            checkNothingLeaks()
        }
    }
}
