#if Server
import Foundation
import RillTestSupport
import Testing

/// `rill publish` and `rill watch`, with a server that stands in for one of WHIP and WHEP.
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

    @Test func `A server that is not there is tried until the time is over`() throws {
        let clip = try movingClip(in: folder, frames: 10)
        // Nothing listens on this port.
        for (words, status) in [(["publish", clip], 1), (["watch"], 2)] as [([String], Int32)] {
            let outcome = try rillProgram().run(words + ["http://127.0.0.1:1/x", "--wait", "2s"])
            #expect(outcome.status == status, "\(outcome.errors)")
            // Said once, not with each attempt.
            #expect(outcome.errors.split(separator: "connection refused; trying again").count == 2, "\(outcome.errors)")
            #expect(outcome.errors.contains("Error: no connection within"), "\(outcome.errors)")
        }
    }

    @Test func `A server that is not ready is asked again`() throws {
        let server = try StandInServer("503 -")
        let outcome = try rillProgram().run(["watch", "http://127.0.0.1:\(server.port)/x", "--wait", "2s"])
        #expect(outcome.status == 2 && outcome.errors.contains("Error: no connection within"), "\(outcome.errors)")
        #expect(server.log.count >= 2, "\(server.log)")
    }

    @Test func `A refusal ends it at once, with the server's own words`() throws {
        let server = try StandInServer(
            "401 -\r\nContent-Type: application/problem+json", body: #"{"detail":"expired"}"#)
        let token = folder.path("token")
        try write(Array(" secret-token\n".utf8), to: token)
        let outcome = try rillProgram().run([
            "watch", "http://127.0.0.1:\(server.port)/whep/a?b", "--token-file", token,
        ])
        #expect(outcome.status == 2, "\(outcome.errors)")
        #expect(outcome.errors.contains("Error: the server wants another token (401: expired)"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("secret-token"))
        let requests = server.log
        #expect(requests.count == 1 && requests[0].hasPrefix("POST /whep/a?b HTTP/1.1\r\n"), "\(requests)")
        #expect(requests[0].contains("Authorization: Bearer secret-token\r\n"), "\(requests)")
        #expect(requests[0].contains("a=recvonly") && !requests[0].contains("a=sendonly"))
    }

    @Test func `A publisher offers both layers in one section, and a receiver of nothing`() throws {
        let server = try StandInServer("403 -")
        let clip = try movingClip(in: folder, frames: 10)
        let outcome = try rillProgram().run(["publish", clip, "http://127.0.0.1:\(server.port)/whip/a"])
        #expect(outcome.status == 1 && outcome.errors.contains("does not allow this (403)"), "\(outcome.errors)")
        let request = try #require(server.log.first)
        #expect(request.contains("a=sendonly") && request.contains("a=rid:high send"), "\(request)")
        #expect(request.contains("a=simulcast:send high;low") && request.contains("a=setup:actpass"), "\(request)")
        #expect(request.components(separatedBy: "m=video").count == 2 && request.contains("a=candidate:"))
    }

    @Test func `A token, a certificate and an answer that cannot be used are reported`() throws {
        let clip = try movingClip(in: folder, frames: 10)
        var outcome = try rillProgram().run(["publish", clip, "http://127.0.0.1/", "--token", "a b"])
        #expect(outcome.status == 64 && outcome.errors.contains("the token has characters"), "\(outcome.errors)")
        let missing = folder.path("missing")
        outcome = try rillProgram().run(["publish", clip, "http://127.0.0.1/", "--token-file", missing])
        #expect(outcome.status == 2 && outcome.errors.contains("no such file"), "\(outcome.errors)")
        outcome = try rillProgram().run(["watch", "https://127.0.0.1/", "--ca", clip])
        #expect(outcome.status == 64 && outcome.errors.contains("not a readable PEM file"), "\(outcome.errors)")
        let server = try StandInServer(
            "201 -\r\nContent-Type: application/sdp\r\nLocation: /s", body: "v=0\r\nnonsense")
        outcome = try rillProgram().run(["publish", clip, "http://127.0.0.1:\(server.port)/"])
        #expect(
            outcome.status == 1 && outcome.errors.contains("the server's answer cannot be used"), "\(outcome.errors)")
        // The session is ended.
        #expect(server.log.last?.hasPrefix("DELETE /s ") == true, "\(server.log)")
    }
}
#else
import RillTestSupport
import Testing

@Suite struct EndpointCommandTests {
    @Test(arguments: ["publish", "watch", "serve", "token"])
    func `A command that was not built says how to build it, also for its help`(command: String) throws {
        for words in [[command, "https://example.org/"], [command, "--help"]] {
            let outcome = try rillProgram().run(words)
            #expect(outcome.status == 2, "\(outcome.errors)")
            #expect(outcome.errors.contains("rill \(command) needs the trait Server"), "\(outcome.errors)")
            #expect(outcome.errors.contains("--traits default,Server"), "\(outcome.errors)")
        }
        #expect(try rillProgram().run(["--help"]).text.contains(" \(command) "))
    }
}
#endif
