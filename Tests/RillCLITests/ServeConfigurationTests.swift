#if Server
import Foundation
import Glibc
import RillTestSupport
import Testing

/// What `rill serve` takes from a file and from its environment.
@Suite struct ServeConfigurationTests {
    private let folder = TemporaryFolder()

    private func file(_ json: String) throws -> String {
        let path = folder.path("serve.json")
        try write(Array(json.utf8), to: path)
        return path
    }

    /// The first line of a server, or why there is none.
    private func start(_ words: [String], _ environment: [String: String] = [:]) throws -> String {
        var program = try rillProgram()
        program.environment = environment
        let server = try program.start(["serve"] + words, limit: 60)
        while !server.outputSoFar.contains("\n"), !server.hasEnded { usleep(10_000) }
        server.interrupt()
        let outcome = try server.wait()
        return outcome.text + outcome.errors
    }

    @Test func `An option counts before a variable, and that before the file`() throws {
        let secret = folder.path("secret")
        try write(Array(repeating: 0x41, count: 40), to: secret)
        let path = try file(
            #"{"host": "127.0.0.2", "http": 0, "media": 0, "sessions": 30, "secretFile": "\#(secret)", "verbose": true}"#
        )
        #expect(try start(["--config", path]).hasPrefix("Listening on http://127.0.0.2:"))
        let host = ["RILL_SERVE_HOST": "127.0.0.3"]
        #expect(try start(["--config=\(path)"], host).hasPrefix("Listening on http://127.0.0.3:"))
        #expect(try start(["--config", path, "--host", "127.0.0.4"], host).hasPrefix("Listening on http://127.0.0.4:"))
        // The file may be named by a variable, and lists have spaces between their parts.
        let all = [
            "RILL_SERVE_CONFIG": path, "RILL_SERVE_ICE_SERVER": "stun:a.example turn:b.example,me,secret",
            "RILL_SERVE_VERBOSE": "false",
        ]
        #expect(try start([], all).hasPrefix("Listening on http://127.0.0.2:"))
    }

    @Test(arguments: [
        (#"{"htpp": 80}"#, #"no option "htpp"; it has addressConnections, "#),
        (#"{"http": "a"}"#, #""http" is not a whole number"#),
        (#"{"http": 70000}"#, "The value '70000' is invalid for '--http"),
        (#"{"verbose": "yes"}"#, #""verbose" is not true or false"#),
        (#"{"allowHost": "a"}"#, #""allowHost" is not a list of texts"#),
        (#"{"tls": ["one.pem"]}"#, "--tls needs two files"),
        (#"{"http": 80"#, "is no object of JSON"), ("[]", "is no object of JSON"), ("", "is no object of JSON"),
    ])
    func `A file that says nothing, or what no option has, is refused by name`(_ json: String, _ reason: String) throws
    {
        let answer = try start(["--config", try file(json)])
        #expect(answer.contains(reason), "\(answer)")
    }

    @Test func `A variable that no option has, and a file that is not there, are refused by name`() throws {
        #expect(try start([], ["RILL_SERVE_PORT": "80"]).contains("RILL_SERVE_PORT: `rill serve` has no such option"))
        #expect(
            try start([], ["RILL_SERVE_HTTP": "eighty"]).contains(#"RILL_SERVE_HTTP is "eighty" and no whole number"#))
        #expect(try start([], ["RILL_SERVE_VERBOSE": "1"]).contains("it may be true or false"))
        #expect(try start(["--config", "/nonexistent.json"]).contains("/nonexistent.json"))
    }

    @Test func `Each option of its help can be configured`() throws {
        let help = try rillProgram().run(["serve", "--help"]).text
        var names = Set(help.matches(of: /--([a-z-]+)/).map { String($0.1) })
        names.subtract(["help", "help-hidden", "version", "config", "metrics"])
        #expect(!names.isEmpty)
        for name in names {
            let variable = "RILL_SERVE_" + name.uppercased().replacing("-", with: "_")
            // A number, flag or text that is wrong for it; lists of nothing are none.
            let answer = try start(["--http", "70000"], [variable: ""])
            #expect(!answer.contains("has no such option"), "\(name)")
        }
    }
}
#endif
