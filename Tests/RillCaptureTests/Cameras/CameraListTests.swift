import CV4L2
import Glibc
import RillCore
import RillTestSupport
import Testing

@testable import RillCapture

/// The list of cameras, and the events when they are connected and disconnected.
@Suite struct CameraListTests {
    @Test func `Only capture nodes are listed, with all their properties`() throws {
        let system = FakeSystem(nil)
        system.look { state in
            var webcam = FakeCamera()
            webcam.name = "HD Webcam"
            webcam.bus = "usb-0000:00:14.0-1"
            webcam.formats = [
                FakeFormat("MJPG", [FakeSize(.hd720, [30, 15]), FakeSize(.vga, [FrameRate(30000, per: 1001)])]),
                FakeFormat("H264", [FakeSize(.hd720, [30])]),
                FakeFormat("NV12", from: .qqvga, to: .hd720, step: 8, fastest: 60),
                FakeFormat("YUYV", from: .qqvga, to: .vga, step: 1, fastest: 25, isContinuous: true),
            ]
            state.plug(webcam, at: "/dev/video0")
            var metadata = webcam
            metadata.abilities = UInt32(V4L2_CAP_META_CAPTURE | V4L2_CAP_STREAMING)
            state.plug(metadata, at: "/dev/video1")
            var output = webcam
            output.abilities = UInt32(V4L2_CAP_VIDEO_OUTPUT | V4L2_CAP_STREAMING)
            state.plug(output, at: "/dev/video2")
            var locked = webcam
            locked.openRefusal = EACCES
            state.plug(locked, at: "/dev/video3")
        }
        let list = CameraDevice.list(system)
        #expect(list.count == 1)
        let camera = try #require(list.first)
        #expect(camera.path == "/dev/video0" && camera.stablePath == "/dev/v4l/by-id/video0")
        #expect(camera.name == "HD Webcam" && camera.bus == "usb-0000:00:14.0-1" && camera.driver == "fake")
        #expect(camera.formats.map(\.fourCC) == ["MJPG", "H264", "NV12", "YUYV"])
        #expect(camera.formats.map(\.pixelFormat) == [.mjpeg, nil, .nv12, .yuyv])
        #expect(
            camera.formats[0].sizes
                == .discrete([
                    CameraSize(resolution: .hd720, rates: .discrete([30, 15])),
                    CameraSize(resolution: .vga, rates: .discrete([FrameRate(30000, per: 1001)])),
                ]))
        #expect(
            camera.formats[2].sizes
                == .stepwise(
                    minimum: .qqvga, maximum: .hd720, widthStep: 8, heightStep: 8,
                    rates: .range(slowest: 1, fastest: 60)))
        #expect(
            camera.formats[3].sizes
                == .stepwise(
                    minimum: .qqvga, maximum: .vga, widthStep: 1, heightStep: 1, rates: .range(slowest: 1, fastest: 25))
        )
        #expect(system.openCount == 0)
    }

    @Test func `Added and removed cameras are reported, with and without notices`() throws {
        for hears in [true, false] {
            let system = FakeSystem()
            system.look { $0.hears = hears }
            let watch = CameraWatch(system)
            #expect(watch.devices.map(\.path) == ["/dev/video0"])
            let start = system.now
            system.plan(in: .seconds(2)) { state in
                var second = FakeCamera()
                second.name = "Second"
                state.plug(second, at: "/dev/video1")
            }
            system.plan(in: .seconds(5)) { $0.unplug("/dev/video0") }
            guard case .appeared(let second)? = watch.next(within: .seconds(10)) else {
                return #expect(Bool(false), "nothing came, hears: \(hears)")
            }
            #expect(second.name == "Second" && system.now - start < .seconds(3))
            guard case .disappeared(let first)? = watch.next(within: .seconds(10)) else {
                return #expect(Bool(false), "nothing went, hears: \(hears)")
            }
            #expect(first.path == "/dev/video0" && system.now - start < .seconds(6))
            #expect(watch.next(within: .seconds(3)) == nil)
            #expect(watch.devices.map(\.name) == ["Second"])
        }
    }

    @Test func `A camera that cannot be opened yet is reported when it can`() {
        let system = FakeSystem(nil)
        let watch = CameraWatch(system)
        system.plan(in: .seconds(1)) { state in
            var locked = FakeCamera()
            locked.openRefusal = EACCES
            state.plug(locked, at: "/dev/video0")
        }
        // udev gives the rights a moment later, and nothing more is heard of it.
        system.plan(in: .seconds(1.4)) { $0.cameras["/dev/video0"]?.openRefusal = 0 }
        #expect(watch.next(within: .seconds(5)) != nil)
    }

    @Test func `Notices of the kernel are read`() {
        let text = "add@/devices/pci0000:00/usb1/video4linux/video0\0ACTION=add\0SUBSYSTEM=video4linux\0MINOR=0\0"
        let notice = UeventNotice(parsing: Array(text.utf8))
        #expect(notice.action == "add" && notice.isAboutVideo)
        #expect(!UeventNotice(parsing: Array("ACTION=add\0SUBSYSTEM=usb\0".utf8)).isAboutVideo)
        #expect(!UeventNotice(parsing: []).isAboutVideo)
        for input in MutatedInputs(of: [Array(text.utf8)], count: 100_000, using: SeededGenerator(seed: 7)) {
            let mutated = UeventNotice(parsing: input)
            #expect(mutated.action.utf8.count + mutated.subsystem.utf8.count <= 3 * input.count)
        }
    }

    @Test func `A selection is read from words`() {
        #expect(CameraSelection("/dev/video2") == .path("/dev/video2"))
        #expect(CameraSelection("3") == .index(3))
        #expect(CameraSelection("C920") == .name("C920"))
        #expect(CameraSelection("") == .name(""))
        #expect(CameraSelection("99999999999999999999999") == .name("99999999999999999999999"))
    }
}
