import Foundation
import RillTestSupport
import RillWHIP
import Testing

/// `rill-http` by itself, with a server of Python's.
@Suite(
    .serialized,
    .enabled(
        if: EndpointServer.http != nil, "rill-http is not built: swift build --package-path Server --product rill-http"),
    .enabled(if: Peer.python.isInstalled, "python3 is not installed"))
struct HTTPProgramPeerTests {
    private let folder = TemporaryFolder()

    /// Echoes requests; /slow answers after two seconds, /long with 300 KiB, /moved elsewhere, /binary with no text.
    private static let script = """
        import http.server, json, ssl, sys, time

        class Echo(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if self.path == "/slow":
                    time.sleep(2)
                text = json.dumps({"body": body.decode(), "token": self.headers.get("Authorization")}).encode()
                if self.path == "/long":
                    text = b"a" * 300 * 1024
                if self.path == "/binary":
                    text = bytes([0xff, 0xfe, 0x00])
                self.send_response(307 if self.path == "/moved" else 200)
                self.send_header("Location", "/elsewhere")
                self.send_header("X-Twice", "1")
                self.send_header("X-Twice", "2")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)
            do_DELETE = do_PATCH = do_POST
            def log_message(self, *words):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
        if len(sys.argv) > 1:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[1])
            server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    /// Starts the server; its port is its first line.
    private func serve(_ arguments: [String] = []) async throws -> (port: String, program: RunningProgram) {
        guard let python = Program(path: "/usr/bin/python3") else { throw TestFailure("no Python") }
        let program = try python.start(["-u", "-c", Self.script] + arguments, limit: 60)
        for _ in 0..<1000 where !program.outputSoFar.hasSuffix("\n") { try await Task.sleep(for: .milliseconds(10)) }
        return (program.outputSoFar.trimmingCharacters(in: .newlines), program)
    }

    /// Runs rill-http over lines, and returns the responses by number.
    private func run(_ lines: [String], _ arguments: String..., seconds: Int = 5) async throws -> [Int:
        HTTPResponseLine]
    {
        let input = folder.path("input")
        try write(Array((lines.joined(separator: "\n") + "\n").utf8), to: input)
        // Its input ends when the responses are there.
        guard let http = EndpointServer.http, let shell = Program(path: "/bin/sh") else {
            throw TestFailure("no rill-http")
        }
        let program = try shell.start(
            ["-c", "{ cat '\(input)'; sleep \(seconds); } | exec '\(http.path)' \(arguments.joined(separator: " "))"],
            limit: 30)
        let outcome = try await program.finished()
        var responses: [Int: HTTPResponseLine] = [:]
        for line in outcome.text.split(separator: "\n") {
            let response = try JSONDecoder().decode(HTTPResponseLine.self, from: Data(line.utf8))
            responses[response.id] = response
        }
        return responses
    }

    private func line(
        _ id: Int, _ url: String, _ method: String = "POST", body: String = "", timeout: Int = 3000
    ) throws -> String {
        let headers = WHIPHeaders([.init("Authorization", "Bearer t")])
        let request = HTTPRequestLine(
            WHIPRequest(method, url, headers: headers, body: body), id: id, timeout: timeout)
        return String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
    }

    @Test func `Requests run at the same time, and each has its response or its reason`() async throws {
        let (port, server) = try await serve()
        let root = "http://127.0.0.1:\(port)"
        let long = String(repeating: "ä\"\n", count: 20_000)
        let responses = try await run([
            line(1, root + "/slow", timeout: 5000), line(2, root + "/a", body: long), line(3, root + "/a", "DELETE"),
            line(4, root + "/long"), line(5, root + "/moved", "PATCH"), line(6, root + "/binary"),
            line(7, root + "/slow", timeout: 500), line(8, "http://127.0.0.1:1/"), line(9, "nonsense"),
            line(10, "http://name.invalid/"), "no JSON", "{\"id\":11}",
            line(12, root + "/a", body: String(repeating: "a", count: 262_145)),
        ])
        let body = try JSONDecoder().decode([String: String].self, from: Data((responses[2]?.body ?? "").utf8))
        #expect(body == ["body": long, "token": "Bearer t"])
        #expect(responses[1]?.status == 200 && responses[3]?.status == 200)
        #expect(responses[2]?.response?.headers.values(of: "x-twice") == ["1", "2"])
        #expect(responses[4]?.error == "the response's body is longer than 256 KiB")
        #expect(responses[5]?.status == 307 && responses[5]?.response?.headers["location"] == "/elsewhere")
        #expect(responses[6]?.status == 200 && responses[6]?.body?.contains("\u{FFFD}") == true)
        #expect(responses[7]?.error == "no response in time", "\(responses[7]?.error ?? "")")
        #expect(responses[8]?.error?.contains("refused") == true, "\(responses[8]?.error ?? "")")
        #expect(responses[9]?.error != nil && responses[10]?.error != nil)
        #expect(responses[0]?.error == "the line is not a request")
        #expect(responses[12]?.error == "the request's body is longer than 256 KiB")
        try server.kill()
    }

    @Test func `A certificate is trusted when it is given, and every one only with --insecure`() async throws {
        let certificate = folder.path("server.pem")
        guard let openssl = Program(named: "openssl") else { throw TestFailure("no openssl") }
        let made = try openssl.run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", certificate,
            "-out", folder.path("certificate"), "-days", "2", "-subj", "/CN=localhost", "-addext",
            "subjectAltName=DNS:localhost,IP:127.0.0.1",
        ])
        guard made.status == 0 else { throw TestFailure(made.errors) }
        try write(try read(certificate) + read(folder.path("certificate")), to: certificate)
        let (port, server) = try await serve([certificate])
        let request = try line(1, "https://localhost:\(port)/a")
        #expect(try await run([request])[1]?.error?.isEmpty == false)
        #expect(try await run([request], "--ca", folder.path("certificate"))[1]?.status == 200)
        #expect(try await run([request], "--insecure")[1]?.status == 200)
        try server.kill()
    }
}
