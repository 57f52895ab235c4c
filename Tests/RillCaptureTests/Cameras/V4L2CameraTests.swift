import CV4L2
import Glibc
import RillCore
import Testing

@testable import RillCapture

/// Opening a camera and reading its frames, over a scripted device in virtual time.
@Suite struct V4L2CameraTests {
    @Test func `Frames have the kernel's times, and the first is a discontinuity`() throws {
        let system = FakeSystem()
        let start = system.now
        let (camera, diary) = try openCamera(system)
        #expect(camera.mode.description == "YUYV 160x120 at 30")
        #expect(camera.format == SourceFormat(resolution: .qqvga, frameRate: 30, isLive: true))
        let frames = try frames(camera, system, for: .seconds(2))
        #expect(frames.count == 60)
        for (index, frame) in frames.enumerated() {
            // The kernel's timestamps count microseconds.
            let due = start + (FrameRate(30).time(ofFrame: index + 1) - .zero)
            #expect(abs((frame.captureTime - due).nanoseconds) < 1000, "frame \(index)")
            #expect(frame.isDiscontinuity == (index == 0), "frame \(index)")
        }
        #expect(diary.events == [.opened(camera.mode), .streaming])
        #expect(camera.status.statistics.framesCaptured == 60)
    }

    @Test
    func `Nothing stays open of cameras that are released, were lost, or did not start`()
        throws
    {
        let system = FakeSystem()
        do {
            let (camera, _) = try openCamera(system)
            for round in 1...20 {
                system.plan(in: .milliseconds(100 * round)) { $0.unplug("/dev/video0") }
                system.plan(in: .milliseconds(100 * round + 50)) { $0.plug(FakeCamera(), at: "/dev/video0") }
            }
            _ = try frames(camera, system, for: .seconds(4))
            #expect(camera.status.statistics.reopenings >= 10)
            #expect(system.openCount == 1 + 4, "a descriptor and four mappings")
        }
        #expect(system.openCount == 0)
        for request in Self.openingRequests {
            for place in 0..<4 {
                let system = FakeSystem()
                system.look {
                    $0.cameras["/dev/video0"]?.refusals = [request.1: Array(repeating: 0, count: place) + [EIO]]
                }
                // It may open all the same, or not; what counts is that nothing stays open.
                let opened = try? openCamera(system)
                if opened == nil { #expect(system.openCount == 0, "\(request.0), call \(place)") }
            }
        }
    }

    private static let openingRequests: [(CameraOperation, UInt)] = [
        (.queryCapabilities, CV4L2_QUERYCAP), (.enumerate, CV4L2_ENUM_FMT), (.setFormat, CV4L2_S_FMT),
        (.setRate, CV4L2_S_PARM), (.requestBuffers, CV4L2_REQBUFS), (.mapBuffer, CV4L2_QUERYBUF),
        (.queueBuffer, CV4L2_QBUF), (.startStreaming, CV4L2_STREAMON),
    ]

    /// Each request with each error code, except those that only end a list, and a rate that is refused.
    private static let openingFailures = openingRequests.indices.flatMap { place in
        [EIO, EINVAL, EBUSY, ENODEV, EACCES].map { (place, $0) }
    }.filter { place, code in
        switch openingRequests[place].0 {
        case .enumerate: code != EINVAL
        case .setRate: code == ENODEV
        default: true
        }
    }

    @Test(arguments: [EIO, EINVAL, EBUSY, EACCES, ENOTTY])
    func `A driver that refuses a rate, though it announces rates, goes on at the rate that it has`(code: Int32) throws
    {
        let system = FakeSystem()
        system.look { $0.cameras["/dev/video0"]?.refusals = [CV4L2_S_PARM: [code]] }
        let constraints = CameraConstraints(resolution: .qqvga, frameRate: 15)
        let (camera, _) = try openCamera(system, .path("/dev/video0"), constraints)
        #expect(camera.mode.frameRate == 30)
        #expect(try frames(camera, system, for: .seconds(1)).count == 30)
    }

    @Test func `A camera without formats is reported as such, with what to try`() throws {
        var bare = FakeCamera()
        bare.formats = []
        let error = #expect(throws: CameraError.noKnownFormat(path: "/dev/video0", offered: [])) {
            try openCamera(FakeSystem(bare))
        }
        #expect(error?.description.hasPrefix("/dev/video0 offers no format: a loopback device needs") == true)
    }

    @Test(arguments: openingFailures)
    func `The error names the call that fails while a camera is opened`(place: Int, code: Int32) throws {
        let (call, request) = Self.openingRequests[place]
        let system = FakeSystem()
        system.look { $0.cameras["/dev/video0"]?.refusals = [request: [code]] }
        let diary = CameraDiary(system)
        #expect(throws: CameraError.callFailed(call, path: "/dev/video0", code: code)) {
            _ = try V4L2Camera(.path("/dev/video0"), CameraConstraints(), calls: system) { diary.write($0) }
        }
        #expect(diary.events.count == 1)
        let event = try #require(diary.events.first)
        switch code {
        case EBUSY: #expect(event == .busy)
        case EACCES: #expect(event == .denied)
        default: #expect(event == .failed(.callFailed(call, path: "/dev/video0", code: code)))
        }
        #expect(system.openCount == 0)
    }

    @Test(arguments: [EBUSY, EACCES, ENOENT])
    func `A camera that cannot be opened reports why`(code: Int32) throws {
        let system = FakeSystem()
        system.look { $0.cameras["/dev/video0"]?.openRefusal = code }
        #expect(throws: CameraError.callFailed(.open, path: "/dev/video0", code: code)) { try openCamera(system) }
    }

    @Test func `Whatever a driver answers, nothing traps, and nothing stays open`() throws {
        var random = SeededGenerator(seed: 11)
        var opened = 0
        var captured = 0
        for _ in 0..<2000 {
            var camera = FakeCamera()
            camera.formats = [
                FakeFormat("YUYV", [FakeSize(Resolution(width: 32, height: 16), [30])]),
                FakeFormat("NV12", from: Resolution(width: 16, height: 16), to: .qqvga, step: 4, fastest: 60),
            ]
            camera.controls = [FakeControl(identifier: 0x98_0900, name: "Brightness")]
            let system = FakeSystem(camera)
            system.look { $0.chance = SeededGenerator(seed: random.next()) }
            _ = CameraDevice.list(system)
            // Any typed error is as good an answer as a list, here and below.
            _ = try? CameraControls(.index(0), calls: system).list()
            let constraints = CameraConstraints(resolution: Resolution(width: 32, height: 16))
            guard let (camera, _) = try? openCamera(system, .index(0), constraints) else {
                #expect(system.openCount == 0)
                continue
            }
            opened += 1
            for _ in 0..<10 { if case .frame? = try? camera.next() { captured += 1 } }
        }
        #expect(opened > 100 && captured > 500, "\(opened) opened, \(captured) frames")
    }

    @Test func `Damaged frames are never returned, and each is reported`() throws {
        var bad = FakeCamera()
        bad.picture = { number, count in
            switch number % 10 {
            case 3: FakePicture(bytes: [UInt8](repeating: 1, count: count), isFlagged: true)
            case 7: FakePicture(bytes: [UInt8](repeating: 1, count: count - 1))
            default: FakePicture(bytes: [UInt8](repeating: 100, count: count))
            }
        }
        let system = FakeSystem(bad)
        let (camera, diary) = try openCamera(system)
        let frames = try frames(camera, system, for: .seconds(1))
        #expect(frames.count == 24)
        #expect(frames.allSatisfy { $0.y[0, 0] == 100 })
        let faults = diary.events.compactMap { if case .errorFrame(let fault) = $0 { fault } else { nil } }
        #expect(
            faults
                == Array(repeating: [.flagged, .short(byteCount: 38_399, expected: 38_400)], count: 3).flatMap { $0 })
        #expect(camera.status.statistics.errorFrames == 6)
        #expect(camera.status.statistics.framesCaptured == 24)
    }

    @Test func `Frames that the driver counts and does not give are counted as missed`() throws {
        var gappy = FakeCamera()
        gappy.picture = { number, count in
            FakePicture(bytes: [UInt8](repeating: 1, count: count), gap: number % 10 == 5 ? 2 : 0)
        }
        let system = FakeSystem(gappy)
        let (camera, _) = try openCamera(system)
        _ = try frames(camera, system, for: .seconds(1))
        let statistics = camera.status.statistics
        #expect(statistics.gaps == 3 && statistics.framesMissed == 6)
    }

    @Test func `Timestamps that are replaced are counted by fault`() throws {
        var odd = FakeCamera()
        odd.picture = { number, count in
            var picture = FakePicture(bytes: [UInt8](repeating: 1, count: count))
            switch number % 10 {
            case 3: picture.stampError = .seconds(1000)
            case 7: picture.stampError = nil
            default: break
            }
            return picture
        }
        let system = FakeSystem(odd)
        let (camera, _) = try openCamera(system)
        #expect(try frames(camera, system, for: .seconds(1)).count == 30)
        let faults = camera.status.statistics.timestampFaults
        #expect(faults.future == 3 && faults.unstamped == 3 && faults.count == 6, "\(faults)")
    }

    @Test func `Frames wait with the driver while all buffers are in use`() throws {
        let system = FakeSystem()
        let (camera, _) = try openCamera(system, capacity: 2)
        var held: [VideoFrame] = []
        while held.count < 2 { if case .frame(let frame) = try camera.next() { held.append(frame) } }
        guard case .noBuffer = try camera.next() else { return #expect(Bool(false), "a third buffer of two") }
        held = []
        guard case .frame(let next) = try camera.next() else { return #expect(Bool(false), "no frame") }
        #expect(!next.isDiscontinuity)
        #expect(camera.status.statistics.framesMissed == 0)
    }

    @Test func `A camera is found by path, name and index; metadata nodes count for neither name nor index`() throws {
        let system = FakeSystem(nil)
        system.look { state in
            var metadata = FakeCamera()
            metadata.abilities = UInt32(V4L2_CAP_META_CAPTURE | V4L2_CAP_STREAMING)
            state.plug(metadata, at: "/dev/video0")
            var front = FakeCamera()
            front.name = "Front Camera"
            state.plug(front, at: "/dev/video1")
            var back = FakeCamera()
            back.name = "Back Camera"
            back.bus = "usb-2"
            state.plug(back, at: "/dev/video2")
        }
        for (selection, name) in [
            (CameraSelection("/dev/video2"), "Back Camera"), (CameraSelection("front"), "Front Camera"),
            (CameraSelection("0"), "Front Camera"), (CameraSelection("1"), "Back Camera"),
        ] {
            var finder = CameraFinder(selection)
            let found = try finder.open(system).identity.name
            #expect(found == name, "\(selection)")
        }
        #expect(throws: CameraError.notACamera(path: "/dev/video0")) { try openCamera(system, .path("/dev/video0")) }
        #expect(throws: CameraError.notFound(.name("side"))) { try openCamera(system, .name("side")) }
        #expect(throws: CameraError.notFound(.index(2))) { try openCamera(system, .index(2)) }
    }

    /// Tuners give fields: half a picture in a buffer, or its halves one behind the other.
    @Test(arguments: [V4L2_FIELD_ALTERNATE, V4L2_FIELD_SEQ_TB, V4L2_FIELD_SEQ_BT])
    func `A camera that delivers fields instead of pictures is rejected`(field: v4l2_field) {
        var tuner = FakeCamera()
        tuner.field = field.rawValue
        let system = FakeSystem(tuner)
        #expect(throws: CameraError.unusableMode(path: "/dev/video0", fourCC: "YUYV", width: 160, height: 120)) {
            _ = try openCamera(system)
        }
        #expect(system.openCount == 0)
    }

    @Test(arguments: ["NV12", "NM12", "YM12", "NM16"], [0, 64])
    func `Cameras of the multi-planar API are read, from one buffer or several`(
        fourCC: String, dataOffset: Int
    ) throws {
        var planar = FakeCamera()
        planar.dataOffset = dataOffset
        planar.abilities = UInt32(V4L2_CAP_VIDEO_CAPTURE_MPLANE | V4L2_CAP_STREAMING)
        planar.formats = [FakeFormat(fourCC, [FakeSize(.qqvga, [30])])]
        planar.picture = { _, count in
            FakePicture(bytes: (0..<2 * count).map { $0 < 160 * 120 ? 50 : 128 })
        }
        let system = FakeSystem(planar)
        let (camera, _) = try openCamera(system, .index(0), CameraConstraints(resolution: .qqvga))
        let frames = try frames(camera, system, for: .milliseconds(200))
        #expect(frames.count > 3)
        #expect(frames.allSatisfy { $0.y[5, 5] == 50 && $0.u[2, 2] == 128 && $0.v[2, 2] == 128 })
    }
}
