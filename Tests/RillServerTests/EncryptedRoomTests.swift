#if Server
import Foundation
import RillCodec
import RillCore
import RillScenes
import RillSecurity
import RillTestSupport
import Testing

@testable import RillCLI

/// Rooms whose frames are encrypted from end to end: bots at `rill serve`, each a process of its own.
@Suite(.serialized) struct EncryptedRoomTests {
    private static let switching = ["--count", "2", "--want", "high=1", "--decode", "--switch-every", "1s"]

    private static let codecs: [VideoCodec] = isLongRun ? [.vp8, .vp9] : [.vp9]
    private static let suites = isLongRun ? ["none", "aes128", "aes256"] : ["aes128"]

    @Test(arguments: codecs, suites)
    func `Bots open all frames of each other, with one key frame a switch as in the clear`(
        codec: VideoCodec, suite: String
    ) throws {
        let server = try ServerProcess(hasMedia: true)
        let encryption = suite == "none" ? [] : ["--encryption", suite]
        let bots = try BotProcess(
            at: server.port, Self.switching + ["--codec", codec.rawValue] + encryption, secret: "tulip")
        try bots.wait(forPictures: 1)
        usleep(4_500_000)
        for bot in try bots.end().bots {
            #expect(bot.errors.isEmpty && bot.undecodable == 0 && bot.refused == 0, "\(bot)")
            let frames = bot.received.reduce(0) { $0 + $1.frames }
            #expect(frames > 30 && bot.decoded == frames, "\(bot)")
            #expect((bot.opened != nil) == (suite != "none") && bot.opened?.pictures.refused ?? 0 == 0, "\(bot)")
            #expect(bot.opened.map { $0.pictures.opened >= frames } ?? true, "\(bot)")
            // One for each switch of the other's, and one for the start.
            #expect(bot.switches >= 3 && bot.keyFrameRequests <= bot.switches + 2, "\(bot)")
            #expect(bot.requests == 0, "\(bot)")
            note(
                "\(codec.rawValue) \(suite): \(frames) frames, \(bot.decoded) decoded, \(bot.switches) switches, "
                    + "\(bot.keyFrameRequests) key frames for the other's, \(bot.requests) requests")
        }
    }

    /// Another suite, another secret, and none.
    private static let others = [["--encryption", "aes256"], ["--encryption", "aes128"], []]

    @Test(arguments: isLongRun ? others : [others[1]])
    func `With another secret, another suite or none nothing is shown, and nothing requested`(
        options: [String]
    ) throws {
        let server = try ServerProcess(hasMedia: true)
        let quiet = ["--count", "1", "--want", "high=1", "--decode"]
        let one = try BotProcess(
            at: server.port, quiet + ["--name", "one", "--encryption", "aes128"], secret: "tulip")
        try one.wait("1 of 1")
        let secret = options.last == "aes128" ? "rose" : "tulip"
        let other = try BotProcess(at: server.port, quiet + ["--name", "other"] + options, secret: secret)
        try other.wait("1 of 1")
        usleep(4_000_000)
        let reports = [try one.end(), try other.end()].flatMap(\.bots)
        for bot in reports {
            #expect(bot.errors.isEmpty && bot.undecodable == 0 && bot.received.isEmpty, "\(bot)")
            #expect(bot.decoded == 0 && bot.refused == 0 && bot.requests == 0, "\(bot)")
        }
        let refused = reports.compactMap(\.opened?.pictures)
        #expect(refused.allSatisfy { $0.opened == 0 && $0.refused > 0 }, "\(refused)")
        // Who has no secret does not ask for what it cannot read; who has one sees that the other's is in the clear.
        #expect(refused.count == (options.isEmpty ? 1 : 2))
        if options.isEmpty { #expect(refused[0].unknownLayout + refused[0].malformed + refused[0].wrongKey > 0) }
    }

    @Test(.enabled(if: MemorySearch.isAllowed, "the memory of other processes cannot be read"))
    func `The server's memory has no plain bytes of a frame, and the same search finds them in the clear`() throws {
        let size = Resolution(width: 320, height: 180)
        let high = LayerSettings.high(size, bitrate: .suggested(for: size, codec: .vp8), codec: .vp8)
        // The same bytes as those of the bots.
        let clip = try CodedClip(
            PortraitScene(resolution: size, frameRate: 30), [high, .low(.vp8)], longest: .seconds(10))
        // In one packet each, behind the clear head.
        var pieces: Set<[UInt8]> = []
        for frame in clip.layers[0].variants.joined() where frame.bytes.count > 132 {
            for start in [40, 100] { pieces.insert(Array(frame.bytes[start..<start + 32])) }
        }
        let distinct = Array(pieces)
        let words = "correct horse battery staple"
        #expect(distinct.count > 300)
        var counts: [String: Int] = [:]
        for suite in isLongRun ? ["none", "aes128", "aes256"] : ["none", "aes256"] {
            let server = try ServerProcess(hasMedia: true)
            let encryption = suite == "none" ? [] : ["--encryption", suite]
            let bots = try BotProcess(at: server.port, ["--count", "3"] + encryption, secret: words)
            try bots.wait(forPictures: 1)
            usleep(2_000_000)
            let search = try server.search(for: distinct + [Array(words.utf8)])
            let report = try bots.end()
            #expect(report.bots.allSatisfy { bot in bot.received.reduce(0) { $0 + $1.frames } > 60 }, "\(report)")
            counts[suite] = search.found.count
            #expect(search.byteCount > 1 << 20 && !search.found.contains(distinct.count))
            note("\(suite): \(search.found.count) of \(distinct.count) pieces in \(search.byteCount >> 20) MB")
        }
        #expect(counts["none"] ?? 0 > 10 && counts["aes256"] == 0 && counts["aes128"] ?? 0 == 0, "\(counts)")
    }

    @Test func `Bots need a secret that their words do not show, and a suite`() throws {
        let folder = TemporaryFolder()
        let join = ["join", "http://127.0.0.1:9", "--room", "lobby", "--wait", "1s", "--size", "320x180"]
        let without = try rill(join + ["--encryption", "aes128"])
        #expect(without.status == 2 && without.text.contains("needs a secret"), "\(without)")
        let file = try folder.write("tulip\n", as: "secret")
        #expect(try rill(join + ["--encryption-secret-file", file]).status == 64)
        #expect(try rill(join + ["--encryption", "aes512", "--encryption-secret-file", file]).status == 64)
        let empty = try folder.write("\n", as: "empty")
        let refused = try rill(join + ["--encryption", "aes256", "--encryption-secret-file", empty])
        #expect(refused.status == 2 && refused.text.contains("no secret"), "\(refused)")
        let read = try rill(join + ["--encryption", "aes256", "--encryption-secret-file", file])
        #expect(read.status == 2 && read.text.contains("connection refused"), "\(read)")
    }
}
#endif
