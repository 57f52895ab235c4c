#if Server
import Foundation
import RillCore
import RillTestSupport
import RillTransport
import RillWHIP
import Testing

/// `rill join` at `rill serve`, each a process of its own: whole members, with sockets and DTLS.
@Suite(.serialized) struct BotTests {
    private static let count = 6
    private static let names = (1...count).map { "bot \($0)" }

    @Test func `Bots see each other after one offer each, while others come and go, and nobody stays behind`() throws {
        let server = try ServerProcess(hasMedia: true)
        let bots = try BotProcess(at: server.port, ["--join-leave", "2"])
        try bots.wait(forPictures: 1)
        // So many come and go.
        usleep(5_000_000)
        let report = try bots.end()
        #expect(report.bots.map(\.name) == Self.names)
        for bot in report.bots {
            #expect(bot.status == "connected" && bot.errors.isEmpty, "\(bot)")
            #expect(bot.joins == 1 && bot.offers == 1 && bot.restarts == 0 && bot.snapshots == 1, "\(bot)")
            #expect(bot.gaps == 0 && bot.duplicates == 0 && bot.undecodable == 0, "\(bot)")
            #expect(Self.names.allSatisfy { $0 == bot.name || bot.frames(of: $0) > 0 }, "\(bot)")
            #expect(bot.missing.allSatisfy { $0.hasPrefix("guest") }, "\(bot)")
            #expect(bot.firstPictureMilliseconds.count >= Self.count - 1)
        }
        #expect(report.guests.joined > 2 && report.guests.left > 0 && report.guests.errors.isEmpty, "\(report.guests)")
        // All have the same picture of the room.
        #expect(Set(report.bots.map(\.participants)).count == 1)
        try server.waitForMembers(0)
        #expect(try server.metric("rill_room_members_dropped_total") == 0)
        #expect(try server.metric("rill_room_joins_total") == Self.count + report.guests.joined)
    }

    @Test func `After a server was killed all are back with their pictures, and nobody is shown that is not there`()
        throws
    {
        let folder = TemporaryFolder()
        let secret = try folder.write(String(repeating: "s", count: 32), as: "secret")
        let options = ["--secret-file", secret, "--host", "127.0.0.1"]
        let media = try UDPSocket(boundTo: UDPAddress(.v4(0), port: 0)).localAddress.port
        var server = try ServerProcess(options, hasMedia: true, ports: (0, media))
        let port = server.port
        let bots = try BotProcess(at: port, ["--secret-file", secret])
        try bots.wait(forPictures: 1)
        let times = bots.count(of: "0 of \(Self.count)")
        #expect(try server.end(by: SIGKILL) == 137)
        // Nothing was heard for four seconds.
        try bots.wait("0 of \(Self.count)", times: times + 1)
        server = try ServerProcess(options, hasMedia: true, ports: (port, media))
        try bots.wait(forPictures: 2)
        let report = try bots.end()
        for bot in report.bots {
            #expect(bot.status == "connected" && bot.joins == 2 && bot.offers == 2 && bot.snapshots == 2, "\(bot)")
            #expect(bot.gaps == 0 && bot.duplicates == 0 && bot.undecodable == 0 && bot.missing.isEmpty, "\(bot)")
            #expect(bot.participants == Self.names, "\(bot)")
            #expect(bot.returns.count == 1 && bot.returns[0].picture != nil, "\(bot)")
        }
        note("pictures after \(report.bots.map { $0.returns.first?.picture ?? -1 }) ms")
        // Their numbers are those that they had: what was received before counts for the same ones.
        #expect(Set(report.bots.flatMap { $0.received.map(\.uid) }) == Set(report.bots.compactMap(\.uid)))
        let made = try rill(["token", "--secret-file", secret, "--metrics"])
        let bearer = "Authorization: Bearer " + made.text.trimmingCharacters(in: .whitespacesAndNewlines)
        try server.waitForMembers(0, [bearer])
        #expect(try server.metric("rill_room_members_dropped_total", [bearer]) == 0)
    }

    @Test func `Who is refused says why`() throws {
        let folder = TemporaryFolder()
        let secret = try folder.write(String(repeating: "s", count: 32), as: "secret")
        let server = try ServerProcess(["--secret-file", secret, "--host", "127.0.0.1"], hasMedia: true)
        let join = ["join", "http://127.0.0.1:\(server.port)", "--room", "lobby", "--size", "320x180"]
        let refused = try rill(join)
        #expect(refused.status == 2 && refused.text.contains("401 unauthorized"), "\(refused)")
        let nobody = try rill(["join", "http://127.0.0.1:9", "--room", "lobby", "--wait", "1s", "--size", "320x180"])
        #expect(nobody.status == 2 && nobody.text.contains("connection refused"), "\(nobody)")
        for wrong in [["--want", "all"], ["--count", "0"], ["--secret-file", secret, "--token", "x"]] {
            #expect(try rill(join + wrong).status == 64, "\(wrong)")
        }
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
    func `Sound of a file is heard by those who want it`() throws {
        let folder = TemporaryFolder()
        let sound = folder.path("tone.webm")
        try Peer.ffmpeg.run(
            "-loglevel", "error", "-f", "lavfi", "-i", "sine=frequency=440:duration=2", "-c:a", "libopus", sound)
        let server = try ServerProcess(hasMedia: true)
        let bots = try BotProcess(at: server.port, ["--sound", sound, "--count", "2"])
        try bots.wait(forPictures: 1)
        usleep(1_000_000)
        let report = try bots.end()
        for bot in report.bots {
            #expect(bot.soundSent > 20 && bot.soundReceived > 20 && bot.errors.isEmpty, "\(bot)")
        }
    }
}

extension ServerProcess {
    /// A metric; `nil` if there is none of that name.
    func metric(_ name: String, _ fields: [String] = []) throws -> Int? {
        let lines = try send("GET", "/metrics", fields).body.split(separator: "\n")
        return lines.first { $0.hasPrefix("\(name) ") }.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) }
    }

    /// Waits until so many are in rooms.
    func waitForMembers(_ count: Int, _ fields: [String] = []) throws {
        var members: Int?
        for _ in 0..<1000 {
            members = try metric("rill_room_members", fields)
            if members == count { return }
            usleep(10_000)
        }
        throw TestFailure("\(members ?? -1) members, not \(count)")
    }
}
#endif
