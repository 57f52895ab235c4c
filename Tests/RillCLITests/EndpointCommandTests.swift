import Foundation
import RillTestSupport
import Testing

/// `rill publish`, `rill watch` and `rill serve`, with stand-ins for the programs that they run.
@Suite struct EndpointCommandTests {
    private let folder = TemporaryFolder()

    @Test(arguments: [
        (["publish"], "<source>"), (["publish", "clip.y4m"], "\"clip.y4m\" is not a URL"),
        (["publish", "clip.y4m", "ftp://h/"], "\"ftp://h/\" is not a URL"),
        (["publish", "http://a/", "http://b/"], "is a URL: give the source first"),
        (["publish", "http://a/", "--duration", "0s"], "--duration must be greater than zero"),
        (["publish", "http://a/", "--layers", "mid"], "'high' and 'high,low'"),
        (["publish", "http://a/", "--token", "t", "--token-file", "f"], "contradict each other"),
        (["publish", "http://a/", "--insecure", "--ca", "f"], "leave --ca out"),
        (["publish", "http://a/", "--wait", "0s"], "--wait must be greater than zero"),
        (["publish", "f.y4m", "http://a/", "--report", "f.y4m"], "the same file"),
        (["watch"], "<url>"), (["watch", "stream.sdp"], "expected one like https://example.org/whep/stage"),
        (["watch", "https://a/", "--output", "shown.png"], "must end in .y4m, .ivf, .webm or .mkv"),
        (["watch", "https://a/", "--output", "shown.y4m", "--preview"], "contradict each other"),
        (["watch", "https://a/", "--layer", ""], "--layer must have"),
        (["watch", "https://a/", "--token-file", "f.y4m", "--output", "f.y4m"], "the same file"),
    ])
    func `Wrong arguments are refused with their reason`(_ words: [String], _ reason: String) throws {
        let outcome = try rillProgram().run(words)
        #expect(outcome.status == 64 && outcome.errors.contains(reason), "\(outcome.errors)")
    }

    @Test func `A missing program is named, and how to build it`() throws {
        let rill = try Stage(folder)
        for (words, program) in [
            (["publish", "http://127.0.0.1:9/"], "rill-http"), (["watch", "http://127.0.0.1:9/"], "rill-http"),
            (["serve", "--http", "80"], "rill-serve"),
        ] {
            let outcome = try rill.run(words)
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("needs \(program), which is built separately"), "\(outcome.errors)")
            #expect(outcome.errors.contains("swift build -c release --package-path Server"))
        }
    }

    @Test func `rill serve becomes rill-serve, with all that is behind it`() throws {
        let rill = try Stage(folder)
        try rill.add("rill-serve", "printf '[%s]' \"$@\"; exit 7")
        let outcome = try rill.run(["serve", "--http", "80", "--help", "a b"])
        #expect(outcome.status == 7 && outcome.text == "[--http][80][--help][a b]", "\(outcome.text) \(outcome.errors)")
    }

    @Test func `A server that is not there is tried until the time is over`() throws {
        let rill = try Stage(folder)
        try rill.add("rill-http", Stage.answering(#""error":"connection refused""#))
        let clip = try movingClip(in: folder, frames: 10)
        for (words, status) in [(["publish", clip], 1), (["watch"], 2)] as [([String], Int32)] {
            let outcome = try rill.run(words + ["http://127.0.0.1:9/x", "--wait", "2s"])
            #expect(outcome.status == status, "\(outcome.errors)")
            // Told once, not with each attempt.
            #expect(outcome.errors.split(separator: "connection refused; trying again").count == 2, "\(outcome.errors)")
            #expect(outcome.errors.contains("Error: no connection within"), "\(outcome.errors)")
            let requests = try rill.log()
            #expect(requests.count >= 2, "\(requests)")
            try rill.clearLog()
        }
    }

    @Test func `A refusal ends it at once, with the server's own words`() throws {
        let rill = try Stage(folder)
        try rill.add(
            "rill-http",
            Stage.answering(
                #""status":401,"headers":[["Content-Type","application/problem+json"]],"body":"{\"detail\":\"expired\"}""#
            ))
        let token = folder.path("token")
        try write(Array(" secret-token\n".utf8), to: token)
        let outcome = try rill.run(["watch", "https://example.org/whep/a?b", "--token-file", token])
        #expect(outcome.status == 2, "\(outcome.errors)")
        #expect(outcome.errors.contains("Error: the server wants another token (401: expired)"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("secret-token"))
        let requests = try rill.log()
        #expect(requests.count == 1)
        #expect(requests[0].contains(#"["Authorization","Bearer secret-token"]"#), "\(requests)")
        #expect(requests[0].contains("a=recvonly") && !requests[0].contains("a=sendonly"))
    }

    @Test func `A program that does not end with its input is killed`() throws {
        let rill = try Stage(folder)
        try rill.add("rill-http", "read -r line; echo '{\"id\":1,\"status\":403}'; exec sleep 60")
        let start = ContinuousClock.now
        let outcome = try rill.run(["watch", "http://127.0.0.1/whep/a"])
        #expect(outcome.status == 2 && outcome.errors.contains("does not allow this (403)"), "\(outcome.errors)")
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test func `A publisher offers both layers in one section, and a receiver of nothing`() throws {
        let rill = try Stage(folder)
        try rill.add("rill-http", Stage.answering(#""status":403"#))
        let clip = try movingClip(in: folder, frames: 10)
        #expect(try rill.run(["publish", clip, "http://127.0.0.1/whip/a"]).status == 1)
        let request = try rill.log()[0]
        #expect(request.contains("a=sendonly") && request.contains("a=rid:high send"), "\(request)")
        #expect(request.contains("a=simulcast:send high;low") && request.contains("a=setup:actpass"), "\(request)")
        #expect(request.components(separatedBy: "m=video").count == 2 && request.contains("a=candidate:"))
    }

    @Test func `A token that is none, an answer that is none, and a program that is gone, are told`() throws {
        let rill = try Stage(folder)
        try rill.add("rill-http", "exit 1")
        let clip = try movingClip(in: folder, frames: 10)
        var outcome = try rill.run(["publish", clip, "http://127.0.0.1/", "--token", "a b"])
        #expect(outcome.status == 64 && outcome.errors.contains("the token has characters"), "\(outcome.errors)")
        let missing = folder.path("missing")
        outcome = try rill.run(["publish", clip, "http://127.0.0.1/", "--token-file", missing])
        #expect(outcome.status == 2 && outcome.errors.contains("no such file"), "\(outcome.errors)")
        outcome = try rill.run(["publish", clip, "http://127.0.0.1/"])
        #expect(outcome.status == 1 && outcome.errors.contains("rill-http has ended"), "\(outcome.errors)")
        try rill.add(
            "rill-http",
            Stage.answering(
                #""status":201,"headers":[["Content-Type","application/sdp"],["Location","/s"]],"body":"v=0\r\nnonsense""#
            ))
        outcome = try rill.run(["publish", clip, "http://127.0.0.1/"])
        #expect(
            outcome.status == 1 && outcome.errors.contains("the server's answer cannot be used"), "\(outcome.errors)")
        // The session is ended.
        #expect(try rill.log().last?.contains(#""method":"DELETE""#) == true)
    }
}

/// A copy of rill in a folder of its own, where no other program of Rill's is found.
///
/// Other processes write the programs: a test beside this one that forks while a program is open for writing would have
/// it busy ("Text file busy").
private struct Stage {
    private let folder: TemporaryFolder

    init(_ folder: TemporaryFolder) throws {
        self.folder = folder
        try Stage.shell("cp \"$1\" \"$2\"", try rillProgram().path, folder.path("rill"))
    }

    /// Adds a program beside it.
    func add(_ name: String, _ script: String) throws {
        try Stage.shell(
            "printf '%s' \"$1\" >\"$2\" && chmod 755 \"$2\"", "#!/bin/sh\n\(script)\n", folder.path(name))
    }

    private static func shell(_ script: String, _ arguments: String...) throws {
        guard let shell = Program(path: "/bin/sh") else { throw TestFailure("no shell") }
        let outcome = try shell.run(["-ec", script, "sh"] + arguments)
        guard outcome.status == 0 else { throw TestFailure(outcome.errors) }
    }

    /// A rill-http that answers every request alike, and keeps the requests.
    static func answering(_ fields: String) -> String {
        """
        while IFS= read -r line; do
            printf '%s\\n' "$line" >>"$(dirname "$0")/log"
            id=$(printf '%s' "$line" | sed 's/.*"id":\\([0-9]*\\).*/\\1/')
            printf '{"id":%s,%s}\\n' "$id" '\(fields)'
        done
        """
    }

    /// The requests so far, without the escapes that JSON does not need.
    func log() throws -> [String] {
        String(decoding: try read(folder.path("log")), as: UTF8.self).replacing("\\/", with: "/")
            .split(separator: "\n").map(String.init)
    }

    func clearLog() throws { try FileManager.default.removeItem(atPath: folder.path("log")) }

    func run(_ words: [String]) throws -> RunningProgram.Outcome {
        guard let env = Program(named: "env") else { throw TestFailure("no env") }
        return try env.run(["-C", folder.path("."), "PATH=/usr/bin:/bin", folder.path("rill")] + words)
    }
}
