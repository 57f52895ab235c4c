import CV4L2
import Glibc
import RillCore
import Testing

@testable import RillCapture

/// Cameras that are lost, busy or silent, and return, over a scripted device in virtual time.
@Suite struct CameraRecoveryTests {
    @Test func `An unplugged camera is lost at once, costs nothing meanwhile, and continues when it is back`()
        throws
    {
        for hears in [true, false] {
            let system = FakeSystem()
            system.look { $0.hears = hears }
            let (camera, diary) = try openCamera(system)
            system.plan(in: .seconds(1)) { $0.unplug("/dev/video0") }
            // It comes back with another number.
            system.plan(in: .seconds(11)) { $0.plug(FakeCamera(), at: "/dev/video3") }
            let before = try frames(camera, system, for: .milliseconds(900))
            let calls = system.look { ($0.calls, $0.waits, $0.opens) }
            let whileAway = try frames(camera, system, for: .seconds(10))
            let after = system.look { ($0.calls, $0.waits, $0.opens) }
            let back = try frames(camera, system, for: .seconds(2))

            #expect(before.count > 20 && whileAway.count < 5 && back.count > 25, "hears: \(hears)")
            let lost = try #require(diary.time(\.isLost))
            #expect(lost - .seconds(1) < .milliseconds(100), "lost after \(lost)")
            let reopened = try #require(diary.time(\.isReopened))
            #expect(reopened - .seconds(11) < .seconds(hears ? 0.1 : 0.3), "reopened after \(reopened)")
            #expect(
                diary.events == [
                    .opened(camera.mode), .streaming,
                    .lost(.callFailed(.dequeueBuffer, path: "/dev/video0", code: ENODEV)), .reopened(camera.mode),
                    .streaming,
                ])
            let first = try #require(back.firstIndex { $0.isDiscontinuity })
            #expect(back.filter(\.isDiscontinuity).count == 1 && first == 0)
            #expect(
                try #require(back[0].timestamps[.shown])
                    - system.look { _ in MediaTime(nanoseconds: 1_000_000_000_000) }
                    < .seconds(12))
            // Ten seconds away: a look now and then, and the waits of `next` itself.
            #expect(after.1 - calls.1 < 200 && after.2 - calls.2 < 60, "\(calls) to \(after)")
            for index in 1..<back.count { #expect(back[index].captureTime > back[index - 1].captureTime) }
            #expect(camera.status.statistics.losses == 1 && camera.status.statistics.reopenings == 1)
        }
    }

    @Test(arguments: [(CV4L2_DQBUF, CameraOperation.dequeueBuffer), (CV4L2_QBUF, .queueBuffer)])
    func `A failing call during capture loses the camera, which is reopened at once`(
        request: UInt, call: CameraOperation
    ) throws {
        let system = FakeSystem()
        let (camera, diary) = try openCamera(system)
        system.plan(in: .milliseconds(500)) { $0.cameras["/dev/video0"]?.refusals[request] = [EIO] }
        _ = try frames(camera, system, for: .seconds(1))
        #expect(
            diary.events == [
                .opened(camera.mode), .streaming, .lost(.callFailed(call, path: "/dev/video0", code: EIO)),
                .reopened(camera.mode), .streaming,
            ])
        #expect(try #require(diary.time(\.isReopened)) < .milliseconds(600))
    }

    @Test func `A device whose wait fails is lost, and reopened`() throws {
        let system = FakeSystem()
        let (camera, diary) = try openCamera(system)
        system.plan(in: .milliseconds(510)) { $0.failsWaits = true }
        _ = try frames(camera, system, for: .seconds(1))
        #expect(
            diary.events == [
                .opened(camera.mode), .streaming, .lost(.callFailed(.wait, path: "/dev/video0", code: EIO)),
                .reopened(camera.mode), .streaming,
            ])
    }

    @Test func `A camera in use by another program is retried, and reported once`() throws {
        let system = FakeSystem()
        let (camera, diary) = try openCamera(system)
        system.plan(in: .milliseconds(500)) { state in
            state.cameras["/dev/video0"]?.refusals[CV4L2_DQBUF] = [EIO]
            state.cameras["/dev/video0"]?.refusals[CV4L2_REQBUFS] = [EBUSY, EBUSY, EBUSY]
        }
        _ = try frames(camera, system, for: .seconds(3))
        #expect(diary.events.filter { $0 == .busy }.count == 1)
        #expect(diary.events.last == .streaming)
    }

    @Test func `A camera without frames stalls, and is reopened when it stays silent`() throws {
        var silent = FakeCamera()
        silent.picture = { number, count in number < 10 ? FakePicture(bytes: [UInt8](repeating: 9, count: count)) : nil
        }
        let system = FakeSystem(silent)
        let (camera, diary) = try openCamera(system)
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

    @Test func `Another camera at the same path is not mistaken for the lost one`() throws {
        let system = FakeSystem()
        let (camera, diary) = try openCamera(system)
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
        let reopened = try #require(diary.time(\.isReopened))
        #expect(reopened > .seconds(2), "reopened after \(reopened)")
    }
}
