import CV4L2
import Glibc
import RillCore
import Testing

@testable import RillCapture

/// A whole camera, over a device that fails as it is told, in virtual time.
@Suite struct V4L2CameraTests {
    /// What was said, and when.
    private final class Diary: Sendable {
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
        /// When the first such thing was said, since the diary's beginning.
        func time(_ isMeant: (CameraEvent) -> Bool) -> MediaDuration? {
            entries.withLock { entries in entries.first { isMeant($0.event) }.map { $0.time - start } }
        }
    }

    private func camera(
        _ system: FakeSystem, _ selection: CameraSelection = .path("/dev/video0"), _ wish: CameraWish = CameraWish(),
        capacity: Int = 8
    ) throws(CameraError) -> (V4L2Camera, Diary) {
        let diary = Diary(system)
        return (try V4L2Camera(selection, wish, calls: system, capacity: capacity) { diary.write($0) }, diary)
    }

    /// What a camera gives until so much time has passed.
    private func frames(_ camera: V4L2Camera, _ system: FakeSystem, for duration: MediaDuration) throws -> [VideoFrame]
    {
        let end = system.now + duration
        var frames: [VideoFrame] = []
        while system.now < end {
            switch try camera.next() {
            case .frame(var frame):
                // The number of the picture stands in its samples; the buffer goes back.
                frame.stamps[.shown] = system.now
                frames.append(try #require(frame.small()))
            case .pending, .noBuffer: continue
            case .end: Issue.record("a camera has no end")
            }
        }
        return frames
    }

    private static func isLost(_ event: CameraEvent) -> Bool { if case .lost = event { true } else { false } }
    private static func isReopened(_ event: CameraEvent) -> Bool { if case .reopened = event { true } else { false } }

    @Test func `Frames come at the kernel's times, the first one as a beginning`() throws {
        let system = FakeSystem()
        let start = system.now
        let (camera, diary) = try camera(system)
        #expect(camera.mode.description == "YUYV 160x120 at 30")
        #expect(camera.format == SourceFormat(resolution: .qqvga, frameRate: 30, isLive: true))
        let frames = try frames(camera, system, for: .seconds(2))
        #expect(frames.count == 60)
        for (index, frame) in frames.enumerated() {
            // The kernel's stamps count microseconds.
            let due = start + (FrameRate(30).time(ofFrame: index + 1) - .zero)
            #expect(abs((frame.captureTime - due).nanoseconds) < 1000, "frame \(index)")
            #expect(frame.isBeginning == (index == 0), "frame \(index)")
        }
        #expect(diary.events == [.opened(camera.mode), .streaming])
        #expect(camera.status.statistics.framesCaptured == 60)
    }

    @Test func `A camera that is unplugged is lost at once, costs nothing while away, and goes on when it is back`()
        throws
    {
        for hears in [true, false] {
            let system = FakeSystem()
            system.look { $0.hears = hears }
            let (camera, diary) = try camera(system)
            system.plan(in: .seconds(1)) { $0.unplug("/dev/video0") }
            // It comes back with another number.
            system.plan(in: .seconds(11)) { $0.plug(FakeCamera(), at: "/dev/video3") }
            let before = try frames(camera, system, for: .milliseconds(900))
            let calls = system.look { ($0.calls, $0.waits, $0.opens) }
            let whileAway = try frames(camera, system, for: .seconds(10))
            let after = system.look { ($0.calls, $0.waits, $0.opens) }
            let back = try frames(camera, system, for: .seconds(2))

            #expect(before.count > 20 && whileAway.count < 5 && back.count > 25, "hears: \(hears)")
            let lost = try #require(diary.time(Self.isLost))
            #expect(lost - .seconds(1) < .milliseconds(100), "lost after \(lost)")
            let reopened = try #require(diary.time(Self.isReopened))
            #expect(reopened - .seconds(11) < .seconds(hears ? 0.1 : 0.3), "reopened after \(reopened)")
            #expect(
                diary.events == [
                    .opened(camera.mode), .streaming,
                    .lost(.callFailed(.dequeueBuffer, path: "/dev/video0", code: ENODEV)), .reopened(camera.mode),
                    .streaming,
                ])
            let first = try #require(back.firstIndex { $0.isBeginning })
            #expect(back.filter(\.isBeginning).count == 1 && first == 0)
            #expect(
                try #require(back[0].stamps[.shown]) - system.look { _ in MediaTime(nanoseconds: 1_000_000_000_000) }
                    < .seconds(12))
            // Ten seconds away: a look now and then, and the waits of `next` itself.
            #expect(after.1 - calls.1 < 200 && after.2 - calls.2 < 60, "\(calls) to \(after)")
            for index in 1..<back.count { #expect(back[index].captureTime > back[index - 1].captureTime) }
            #expect(camera.status.statistics.losses == 1 && camera.status.statistics.reopenings == 1)
        }
    }

    @Test
    func `Nothing stays open: neither of cameras that are let go, nor of those that were lost or would not start`()
        throws
    {
        let system = FakeSystem()
        do {
            let (camera, _) = try camera(system)
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
                let opened = try? camera(system)
                if opened == nil { #expect(system.openCount == 0, "\(request.0), call \(place)") }
            }
        }
    }

    private static let openingRequests: [(CameraCall, UInt)] = [
        (.queryCapabilities, CV4L2_QUERYCAP), (.enumerate, CV4L2_ENUM_FMT), (.setFormat, CV4L2_S_FMT),
        (.setRate, CV4L2_S_PARM), (.requestBuffers, CV4L2_REQBUFS), (.mapBuffer, CV4L2_QUERYBUF),
        (.queueBuffer, CV4L2_QBUF), (.startStreaming, CV4L2_STREAMON),
    ]

    @Test(arguments: openingRequests.indices, [EIO, EINVAL, EBUSY, ENODEV, EACCES])
    func `Whatever call fails while a camera is opened, the error names it`(place: Int, code: Int32) throws {
        let (call, request) = Self.openingRequests[place]
        // The end of a list is no failure.
        guard call != .enumerate || code != EINVAL else { return }
        let system = FakeSystem()
        system.look { $0.cameras["/dev/video0"]?.refusals = [request: [code]] }
        let diary = Diary(system)
        #expect(throws: CameraError.callFailed(call, path: "/dev/video0", code: code)) {
            _ = try V4L2Camera(.path("/dev/video0"), CameraWish(), calls: system) { diary.write($0) }
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
    func `A camera that cannot be opened says why`(code: Int32) throws {
        let system = FakeSystem()
        system.look { $0.cameras["/dev/video0"]?.openRefusal = code }
        #expect(throws: CameraError.callFailed(.open, path: "/dev/video0", code: code)) { try camera(system) }
    }

    @Test(arguments: [(CV4L2_DQBUF, CameraCall.dequeueBuffer), (CV4L2_QBUF, .queueBuffer)])
    func `A call that fails while frames come loses the camera, which is opened again at once`(
        request: UInt, call: CameraCall
    ) throws {
        let system = FakeSystem()
        let (camera, diary) = try camera(system)
        system.plan(in: .milliseconds(500)) { $0.cameras["/dev/video0"]?.refusals[request] = [EIO] }
        _ = try frames(camera, system, for: .seconds(1))
        #expect(
            diary.events == [
                .opened(camera.mode), .streaming, .lost(.callFailed(call, path: "/dev/video0", code: EIO)),
                .reopened(camera.mode), .streaming,
            ])
        #expect(try #require(diary.time(Self.isReopened)) < .milliseconds(600))
    }

    @Test func `A device that only says that waiting for it fails is lost, and opened again`() throws {
        let system = FakeSystem()
        let (camera, diary) = try camera(system)
        system.plan(in: .milliseconds(510)) { $0.failsWaits = true }
        _ = try frames(camera, system, for: .seconds(1))
        #expect(
            diary.events == [
                .opened(camera.mode), .streaming, .lost(.callFailed(.wait, path: "/dev/video0", code: EIO)),
                .reopened(camera.mode), .streaming,
            ])
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
            let wish = CameraWish(resolution: Resolution(width: 32, height: 16))
            guard let (camera, _) = try? self.camera(system, .index(0), wish) else {
                #expect(system.openCount == 0)
                continue
            }
            opened += 1
            for _ in 0..<10 { if case .frame? = try? camera.next() { captured += 1 } }
        }
        #expect(opened > 100 && captured > 500, "\(opened) opened, \(captured) frames")
    }

    @Test func `While another program has the camera it is tried again, and said once`() throws {
        let system = FakeSystem()
        let (camera, diary) = try camera(system)
        system.plan(in: .milliseconds(500)) { state in
            state.cameras["/dev/video0"]?.refusals[CV4L2_DQBUF] = [EIO]
            state.cameras["/dev/video0"]?.refusals[CV4L2_REQBUFS] = [EBUSY, EBUSY, EBUSY]
        }
        _ = try frames(camera, system, for: .seconds(3))
        #expect(diary.events.filter { $0 == .busy }.count == 1)
        #expect(diary.events.last == .streaming)
    }

    @Test func `A camera that gives no frames stalls, and is opened anew when it stays silent`() throws {
        var silent = FakeCamera()
        silent.picture = { number, count in number < 10 ? FakePicture(bytes: [UInt8](repeating: 9, count: count)) : nil
        }
        let system = FakeSystem(silent)
        let (camera, diary) = try camera(system)
        _ = try frames(camera, system, for: .seconds(4))
        let kinds = diary.events.map { event in
            switch event {
            case .opened: "opened"
            case .streaming: "streaming"
            case .stalled: "stalled"
            case .lost: "lost"
            case .reopened: "reopened"
            default: "\(event)"
            }
        }
        #expect(kinds == ["opened", "streaming", "stalled", "lost", "reopened", "streaming"])
        let stalled = try #require(diary.time { if case .stalled = $0 { true } else { false } })
        #expect(stalled >= .milliseconds(1333) && stalled < .milliseconds(1440), "stalled after \(stalled)")
    }

    @Test func `Damaged frames never come out, and each is said`() throws {
        var bad = FakeCamera()
        bad.picture = { number, count in
            switch number % 10 {
            case 3: FakePicture(bytes: [UInt8](repeating: 1, count: count), isFlagged: true)
            case 7: FakePicture(bytes: [UInt8](repeating: 1, count: count - 1))
            default: FakePicture(bytes: [UInt8](repeating: 100, count: count))
            }
        }
        let system = FakeSystem(bad)
        let (camera, diary) = try camera(system)
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
        let (camera, _) = try camera(system)
        _ = try frames(camera, system, for: .seconds(1))
        let statistics = camera.status.statistics
        #expect(statistics.gaps == 3 && statistics.framesMissed == 6)
    }

    @Test func `Frames wait with the driver while all buffers are in use`() throws {
        let system = FakeSystem()
        let (camera, _) = try camera(system, capacity: 2)
        var held: [VideoFrame] = []
        while held.count < 2 { if case .frame(let frame) = try camera.next() { held.append(frame) } }
        guard case .noBuffer = try camera.next() else { return #expect(Bool(false), "a third buffer of two") }
        held = []
        guard case .frame(let next) = try camera.next() else { return #expect(Bool(false), "no frame") }
        #expect(!next.isBeginning)
        #expect(camera.status.statistics.framesMissed == 0)
    }

    @Test func `A camera is found by path, name and place; by name and place metadata nodes do not count`() throws {
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
        #expect(throws: CameraError.notACamera(path: "/dev/video0")) { try camera(system, .path("/dev/video0")) }
        #expect(throws: CameraError.notFound(.name("side"))) { try camera(system, .name("side")) }
        #expect(throws: CameraError.notFound(.index(2))) { try camera(system, .index(2)) }
    }

    @Test func `Another camera at the old place is not taken for the one that was lost`() throws {
        let system = FakeSystem()
        let (camera, diary) = try camera(system)
        system.plan(in: .milliseconds(500)) { state in
            state.unplug("/dev/video0")
            var other = FakeCamera()
            other.name = "Other"
            state.plug(other, at: "/dev/video0")
        }
        system.plan(in: .seconds(2)) { state in
            var same = FakeCamera()
            same.bus = "usb-9"
            state.plug(same, at: "/dev/video1")
        }
        _ = try frames(camera, system, for: .seconds(3))
        let reopened = try #require(diary.time(Self.isReopened))
        #expect(reopened > .seconds(2), "reopened after \(reopened)")
    }

    /// Tuners give fields: half a picture in a buffer, or its halves one behind the other.
    @Test(arguments: [V4L2_FIELD_ALTERNATE, V4L2_FIELD_SEQ_TB, V4L2_FIELD_SEQ_BT])
    func `A camera that gives fields in place of pictures is refused`(field: v4l2_field) {
        var tuner = FakeCamera()
        tuner.field = field.rawValue
        let system = FakeSystem(tuner)
        #expect(throws: CameraError.unusableMode(path: "/dev/video0", fourCC: "YUYV", width: 160, height: 120)) {
            _ = try camera(system)
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
        let (camera, _) = try camera(system, .index(0), CameraWish(resolution: .qqvga))
        let frames = try frames(camera, system, for: .milliseconds(200))
        #expect(frames.count > 3)
        #expect(frames.allSatisfy { $0.y[5, 5] == 50 && $0.u[2, 2] == 128 && $0.v[2, 2] == 128 })
    }
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
        frame.isBeginning = isBeginning
        frame.stamps = stamps
        return frame
    }
}
