#if Server
import Foundation
import RillCore
import RillTestSupport
import Testing

@testable import RillRoomClient

/// What is left of a ``Room``, and what ends it or its source.
extension RoomTests {
    @Suite struct RoomEndTests {
        /// Threads, descriptors and resident bytes of this process.
        private struct Load: CustomStringConvertible {
            let threads: Int
            let descriptors: Int
            let memory: Int

            static func now() throws -> Load {
                let files = FileManager.default
                let status = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
                return Load(
                    threads: try files.contentsOfDirectory(atPath: "/proc/self/task").count,
                    descriptors: try files.contentsOfDirectory(atPath: "/proc/self/fd").count,
                    memory: (status.count > 1 ? Int(status[1]) ?? 0 : 0) * 4096)
            }

            var description: String { "\(threads) threads, \(descriptors) descriptors, \(memory >> 20) MiB" }
        }

        /// Whether rooms that were left are still there.
        private struct Remains {
            weak var core: RoomCore?
            weak var call: VideoCall?
        }

        @Test func `Joining and leaving leaves no thread, no descriptor and no memory behind`() async throws {
            let server = try ServerProcess(hasMedia: true)
            let anna = try await server.app("Anna")
            func visit() async throws -> Remains {
                let ben = try await server.app("Ben")
                let them = try #require(ben.participants.first { $0.name == "Anna" })
                them.show(on: PictureCounter().sink())
                await ben.leave()
                return Remains(core: ben.core, call: ben.core.media.call)
            }
            var remains: [Remains] = []
            for _ in 0..<20 { remains.append(try await visit()) }
            let before = try Load.now()
            for _ in 0..<(isLongRun ? 1000 : 0) { remains.append(try await visit()) }
            let after = try Load.now()
            note("before: \(before); after \(remains.count - 20) joins and leaves: \(after)")
            // The threads of other suites, which a long run does not have beside it, and of Swift's pool.
            if isLongRun {
                #expect(after.threads <= before.threads + 4, "\(before), \(after)")
                #expect(after.descriptors <= before.descriptors + 4, "\(before), \(after)")
                #expect(after.memory <= before.memory + (16 << 20), "\(before), \(after)")
            }
            // A thread of the last one may be at its very end.
            for _ in 0..<400 where remains.contains(where: { $0.core != nil || $0.call != nil }) {
                try await Task.sleep(nanoseconds: 5_000_000)
            }
            #expect(remains.count { $0.core != nil } == 0 && remains.count { $0.call != nil } == 0)
            #expect(anna.participants.map(\.name) == ["Anna"])
            await anna.leave()
            try server.waitForMembers(0)
        }

        /// Frames of the portrait, until it is unplugged.
        private final class FragileCamera: FrameSource {
            struct Unplugged: Error {}
            private let clip: LiveClip
            private var frameCount = 0

            init() throws { clip = try LiveClip(atEnd: .loop) { try TestScenes.portrait() } }

            var format: SourceFormat { clip.format }

            func next() throws -> SourceOutput {
                frameCount += 1
                if frameCount > 30 { throw Unplugged() }
                return try clip.next()
            }
        }

        @Test func `A camera that is unplugged is reported, and another one goes on`() async throws {
            let server = try ServerProcess(hasMedia: true)
            let anna = try await server.app("Anna")
            let ben = try await Room.join(
                RoomSettings(room: "lobby", name: "Ben"), at: "http://127.0.0.1:\(server.port)", source: FragileCamera()
            )
            let (log, own) = (RoomLogbook(anna), RoomLogbook(ben))
            let them = try await log.joined("Ben")
            let screen = PictureCounter()
            them.show(on: screen.sink())
            try await own.wait("the end of the camera") {
                if case .sourceFailed(let error) = $0 { error is FragileCamera.Unplugged ? true : nil } else { nil }
            }
            let shown = try await screen.rest()
            #expect(shown > 0 && ben.status == .connected)
            ben.setSource(try LiveClip(atEnd: .loop) { try TestScenes.portrait() })
            try await screen.wait(for: 5)
            await anna.leave()
            await ben.leave()
        }

        @Test func `A token that ends takes one out, and a renewed one does not`() async throws {
            let folder = TemporaryFolder()
            let secret = try folder.write(String(repeating: "s", count: 32), as: "secret")
            func token(_ name: String, _ lifetime: String) throws -> String {
                let made = try rill([
                    "token", "--secret-file", secret, "--room", "lobby", "--subject", name, "--expires", lifetime,
                ])
                return made.text.trimmingCharacters(in: .whitespacesAndNewlines)
            }
            let server = try ServerProcess(["--secret-file", secret, "--host", "127.0.0.1"], hasMedia: true)
            var anna = try await server.app("Anna", token: try token("anna", "8s"))
            // Where other tests hold all threads of tasks, the first token may be over by now.
            for lifetime in ["30s", "120s"] {
                do {
                    try await anna.renew(token: try token("anna", "60m"))
                    break
                } catch RoomError.sessionEnded {
                    anna = try await server.app("Anna", token: try token("anna", lifetime))
                }
            }
            let ben = try await server.app("Ben", token: try token("ben", "8s"))
            let (log, own) = (RoomLogbook(anna), RoomLogbook(ben))
            try await own.wait("the end") { if case .status(.ended(.expired)) = $0 { true } else { nil } }
            try await own.over()
            try await log.wait("Ben's end") { if case .left(_, .expired) = $0 { true } else { nil } }
            #expect(anna.status == .connected)
            // Who is out cannot ask for anything, and leaving again is no fault.
            await #expect(throws: RoomError.sessionEnded) { try await ben.setMuted(true) }
            await ben.leave()
            await anna.leave()
        }
    }
}
#endif
