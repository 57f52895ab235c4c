#if Server
import Foundation
import RillSecurity
import RillTestSupport

/// `rill join` beside a test.
final class BotProcess {
    private let program: RunningProgram

    /// - Parameters:
    ///   - port: the server's.
    ///   - options: of `rill join`.
    ///   - secret: what all members of an encrypted room have.
    init(at port: UInt16, _ options: [String], secret: String? = nil) throws {
        var rill = try Program(builtAs: "rill")
        if let secret { rill.environment["RILL_ENCRYPTION_SECRET"] = secret }
        // Small pictures, which are coded soon.
        program = try rill.start(
            [
                "join", "http://127.0.0.1:\(port)", "--room", "lobby", "--count", "6", "--size", "320x180", "--json",
            ] + options, limit: 120)
    }

    /// How often it has said something.
    func count(of line: String) -> Int {
        program.errorsSoFar.split(separator: "\n").count { $0.hasPrefix(line) || $0.hasSuffix(line) }
    }

    /// Waits until it has said something.
    func wait(_ line: String, times: Int = 1) throws {
        for _ in 0..<12_000 {
            if count(of: line) >= times { return }
            guard !program.hasEnded else { break }
            usleep(5000)
        }
        throw TestFailure("no \"\(line)\": \(program.errorsSoFar)")
    }

    /// Waits until all see all, for that time.
    func wait(forPictures times: Int) throws { try wait("all pictures there", times: times) }

    /// Presses Ctrl-C.
    func end() throws -> BotsOutcome {
        program.interrupt()
        let outcome = try program.wait()
        guard outcome.status == 0 else { throw TestFailure("\(outcome.status): \(outcome.errors)") }
        return try JSONDecoder().decode(BotsOutcome.self, from: Data(outcome.output))
    }
}

/// What bots report, as far as tests need it.
struct BotsOutcome: Decodable {
    struct Bot: Decodable {
        struct Opened: Decodable {
            var pictures: SFrameOpenStatistics
            var sounds: SFrameOpenStatistics
        }
        struct Received: Decodable {
            var uid: Int
            var name: String?
            var frames: Int
        }
        struct Return: Decodable {
            var picture: Double?
        }
        var name: String
        var uid: Int?
        var status: String
        var (joins, offers, restarts, snapshots, gaps, duplicates, undecodable) = (0, 0, 0, 0, 0, 0, 0)
        var (soundSent, soundReceived) = (0, 0)
        var (switches, keyFrames, keyFrameRequests, requests, decoded, refused) = (0, 0, 0, 0, 0, 0)
        var opened: Opened?
        var sent: [String: Int] = [:]
        var received: [Received]
        var firstPictureMilliseconds: [Double]
        var returns: [Return]
        var participants: [String]
        var missing: [String]
        var errors: [String: Int]

        func frames(of name: String) -> Int { received.reduce(0) { $0 + ($1.name == name ? $1.frames : 0) } }
    }
    struct Guests: Decodable {
        var joined: Int
        var left: Int
        var errors: [String: Int]
    }
    var bots: [Bot]
    var guests: Guests
}
#endif
