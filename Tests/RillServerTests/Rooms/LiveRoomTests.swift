#if Server
import Foundation
import RillCore
import RillRoomClient
import RillScenes
import RillTestSupport
import Testing

extension RoomTests {
    @Suite struct LiveRoomTests {
        @Test func `Two see each other, in the layer that each wants, and both leave`() async throws {
            let server = try ServerProcess(hasMedia: true)
            let anna = try await server.app("Anna")
            let ben = try await server.app("Ben")
            let log = RoomLogbook(anna), others = RoomLogbook(ben)
            let themBen = try await log.joined("Ben")
            let screen = PictureCounter(), low = PictureCounter()
            themBen.show(on: screen.sink())
            let size = try await log.wait("Ben's picture") {
                if case .firstPicture(_, .video, let size, _) = $0 { size } else { nil }
            }
            #expect(size == .scene)
            try await screen.wait(for: 20)
            let themAnna = try await others.joined("Anna")
            themAnna.want(.low)
            themAnna.show(on: low.sink())
            try await low.wait(for: 5)
            #expect(low.sizes == [.qqvga])
            #expect(themAnna.slot()?.layer == "low" && themBen.slot()?.layer == "high")
            #expect(themBen.statistics()?.framesShown ?? 0 >= 20)
            // From low to high, without a step between.
            themAnna.want(.high)
            try await low.wait("high") { $0.last == .scene }
            await ben.leave()
            try await log.left("Ben", .quit)
            #expect(screen.isFinished && low.isFinished && anna.participants.map(\.name) == ["Anna"])
            try await others.over()
            await anna.leave()
            try server.waitForMembers(0)
        }

        @Test func `What a room is told shows at others: muted, another source, another profile, nothing`() async throws
        {
            let server = try ServerProcess(hasMedia: true)
            let (anna, ben) = (try await server.app("Anna"), try await server.app("Ben"))
            let log = RoomLogbook(anna)
            let them = try await log.joined("Ben")
            let screen = PictureCounter()
            them.show(on: screen.sink())
            try await screen.wait(for: 5)

            try await ben.setMuted(true)
            try await log.wait("muted") { if case .muted(them, .video, by: them.uid) = $0 { true } else { nil } }
            #expect(!them.sends() && ben.isMuted && ben.own?.sends() == false)
            let shown = try await screen.rest()
            try await ben.setMuted(false)
            try await log.wait("unmuted") { if case .unmuted(them, .video) = $0 { true } else { nil } }
            try await screen.wait(for: 5)
            #expect(screen.count > shown && them.sends())

            ben.setSource(try LiveClip(atEnd: .loop) { try TestScenes.portrait(Resolution(width: 240, height: 320)) })
            try await screen.wait(for: 5)
            try ben.setProfile(VideoProfile(Resolution(width: 240, height: 320), bitrate: .kilobits(200)))
            try await screen.wait("the other size") { $0.last == Resolution(width: 240, height: 320) }

            // Nothing is coded that nobody wants.
            them.hide()
            #expect(try await screen.finished())
            try await ben.unpublish()
            try await log.wait("unpublished") { if case .unpublished(them, .video) = $0 { true } else { nil } }
            let again = PictureCounter()
            them.show(on: again.sink())
            try await ben.publish()
            try await again.wait(for: 5)
            #expect(anna.participants.count == 2)
            await anna.leave()
            await ben.leave()
            #expect(try server.metric("rill_room_joins_total") == 2)
        }

        @Test func `A host mutes, takes roles and removes, and who is removed is out`() async throws {
            let server = try ServerProcess(hasMedia: true)
            let host = try await server.app("Anna") { $0.join.role = .host }
            let ben = try await server.app("Ben")
            let (log, own) = (RoomLogbook(host), RoomLogbook(ben))
            let them = try await log.joined("Ben")
            let screen = PictureCounter()
            them.show(on: screen.sink())
            try await screen.wait(for: 5)
            try await host.mute(them)
            let me = try await own.joined("Ben")
            try await own.wait("muted") { if case .muted(me, .video, by: host.own?.uid) = $0 { true } else { nil } }
            #expect(me.isOwn && ben.isMuted)
            _ = try await screen.rest()
            try await host.setRole(.viewer, of: them)
            try await own.wait("viewer") {
                if case .roleChanged(me) = $0 { me.info.role == .viewer ? true : nil } else { nil }
            }
            await #expect(throws: RoomError.notAllowed(.video)) { try await ben.publish() }
            await #expect(throws: RoomError.notAllowed(.moderate)) { try await ben.setLocked(true) }
            try await host.remove(them)
            try await log.left("Ben", .removed)
            try await own.wait("removed") { if case .status(.ended(.removed)) = $0 { true } else { nil } }
            try await own.over()
            await host.leave()
        }

        @Test func `Who is refused is told why`() async throws {
            let folder = TemporaryFolder()
            let secret = try folder.write(String(repeating: "s", count: 32), as: "secret")
            let server = try ServerProcess(["--secret-file", secret, "--host", "127.0.0.1"], hasMedia: true)
            let refused = await #expect(throws: RoomJoinError.self) { try await server.app("Anna", token: "x") }
            #expect("\(try #require(refused))".hasPrefix("join failed: 401 unauthorized"))
            let nobody = await #expect(throws: RoomJoinError.self) {
                var settings = RoomSettings(room: "lobby", name: "Anna")
                settings.joinTimeout = .milliseconds(700)
                _ = try await Room.join(settings, at: "http://127.0.0.1:9")
            }
            #expect("\(try #require(nobody))".contains("connection refused"))
            await #expect(throws: RoomURLError.self) {
                _ = try await Room.join("lobby", room: "lobby", name: "Anna")
            }
        }

        @Test func `A room that is released ends`() async throws {
            let server = try ServerProcess(hasMedia: true)
            let screen = PictureCounter()
            do {
                let (anna, ben) = (try await server.app("Anna"), try await server.app("Ben"))
                let them = try await RoomLogbook(anna).joined("Ben")
                them.show(on: screen.sink())
                try await screen.wait(for: 2)
                withExtendedLifetime(ben) {}
            }
            try server.waitForMembers(0)
            #expect(try await screen.finished())
        }
    }
}
#endif
