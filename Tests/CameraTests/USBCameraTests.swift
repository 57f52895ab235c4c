import Glibc
import RillCore
import RillTestSupport
import Testing

@testable import RillCapture

extension CameraMachineTests {
    /// A USB webcam behind the kernel's uvcvideo.
    @Suite struct USBCameraTests {
        private let small = CameraConstraints(resolution: Resolution(width: 320, height: 240), pixelFormat: .mjpeg)

        @Test func `A webcam is listed once, without its metadata node`() throws {
            let plug = try CameraMachine.plugUSBCamera()
            try WatchedCamera(CameraMachine.usbCamera, small).take(2)
            let found = CameraDevice.list().filter { $0.name.contains("Rill USB Camera") }
            #expect(found.count == 1)
            let camera = try #require(found.first)
            #expect(camera.driver == "uvcvideo" && camera.bus.hasPrefix("usb-"))
            #expect(camera.formats.map(\.fourCC) == ["MJPG", "YUYV"])
            guard case .discrete(let sizes)? = camera.formats.first?.sizes else {
                return #expect(Bool(false), "\(camera.formats)")
            }
            #expect(sizes.map(\.resolution) == [.hd720, .vga, Resolution(width: 320, height: 240)])
            #expect(sizes[1].rates == .discrete([30, 20, 15]))
            _ = plug
        }

        @Test func `MJPEG is taken for 1280x720, and packed YUV where it suffices`() throws {
            let plug = try CameraMachine.plugUSBCamera()
            #expect(
                try WatchedCamera(CameraMachine.usbCamera, CameraConstraints(resolution: .hd720)).camera.mode
                    .description
                    == "MJPG 1280x720 at 30")
            let half = Resolution(width: 320, height: 240)
            #expect(
                try WatchedCamera(CameraMachine.usbCamera, CameraConstraints(resolution: half)).camera.mode.description
                    == "YUYV 320x240 at 30")
            _ = plug
        }

        @Test func `Frames with the error bit are dropped by the driver, and counted as gaps`() throws {
            let plug = try CameraMachine.plugUSBCamera("--error-every", "5")
            let watched = try WatchedCamera(CameraMachine.usbCamera, small)
            try watched.take(20)
            #expect(watched.statistics.gaps + watched.statistics.errorFrames >= 3, "\(watched.statistics)")
            #expect(!watched.kinds.contains("lost"))
            _ = plug
        }

        @Test func `Frames that are cut never come out`() throws {
            let plug = try CameraMachine.plugUSBCamera("--truncate-every", "4")
            let watched = try WatchedCamera(CameraMachine.usbCamera, small)
            try watched.take(20)
            #expect(watched.statistics.gaps + watched.statistics.errorFrames >= 4, "\(watched.statistics)")
            _ = plug
        }

        @Test func `JPEGs without Huffman tables are read`() throws {
            let plug = try CameraMachine.plugUSBCamera("--no-dht")
            let watched = try WatchedCamera(CameraMachine.usbCamera, small)
            try watched.take(10)
            #expect(watched.statistics.errorFrames == 0)
            _ = plug
        }

        @Test func `An unplugged webcam is lost, and continues when it is plugged in again`() throws {
            do {
                var plug: RunningProgram? = try CameraMachine.plugUSBCamera("--unplug-after", "12")
                let watched = try WatchedCamera(CameraMachine.usbCamera, small)
                try watched.take { _ in watched.kinds.contains("lost") }
                let (start, used) = (CameraMachine.now(CLOCK_MONOTONIC), CameraMachine.now(CLOCK_THREAD_CPUTIME_ID))
                for _ in 0..<50 { if case .frame = try watched.camera.next() { Issue.record("a frame from nowhere") } }
                // Waiting costs nothing: the machine's clock counts instructions, so that a share of time says so
                // there.
                let share =
                    (CameraMachine.now(CLOCK_THREAD_CPUTIME_ID) - used) / (CameraMachine.now(CLOCK_MONOTONIC) - start)
                #expect(share < 0.03, "\(share) of a processor while away")
                plug = nil
                plug = try CameraMachine.plugUSBCamera()
                try watched.take { _ in watched.kinds.contains("reopened") }
                try watched.take(5)
                #expect(watched.kinds == ["opened", "streaming", "lost", "reopened", "streaming"])
                _ = plug
            }
            #expect(try CameraMachine.openCameraCount() == 0)
        }
    }
}
