#if Server
import Foundation
import RillCore
import RillTestSupport
import RillWHIP
import Testing

@testable import RillCLI

/// The requests of `rill publish` and `rill watch` by themselves, with a server of Python's.
@Suite(.serialized, .enabled(if: Peer.python.isInstalled, "python3 is not installed"))
struct HTTPRequestsPeerTests {
    private let folder = TemporaryFolder()

    /// Echoes requests; /slow answers after two seconds, /never after a minute, /long with 300 KiB, /moved elsewhere,
    /// /binary with no text.
    private static let script = """
        import http.server, json, ssl, sys, time

        class Echo(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if self.path == "/slow":
                    time.sleep(2)
                if self.path == "/never":
                    time.sleep(60)
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
        server.daemon_threads = True
        server.serve_forever()
        """

    /// Starts the server; its port is its first line.
    private func serve(_ arguments: [String] = []) async throws -> (port: String, program: RunningProgram) {
        guard let python = Program(path: "/usr/bin/python3") else { throw TestFailure("no Python") }
        let program = try python.start(["-u", "-c", Self.script] + arguments, limit: 60)
        for _ in 0..<1000 where !program.outputSoFar.hasSuffix("\n") { try await Task.sleep(for: .milliseconds(10)) }
        return (program.outputSoFar.trimmingCharacters(in: .newlines), program)
    }

    /// Sends requests at the same time; returns their responses, or the reasons why there are none.
    private func send(
        _ requests: [(request: WHIPRequest, timeout: MediaDuration)], trusting certificates: String? = nil,
        orAnybody isInsecure: Bool = false
    ) async throws -> [Result<WHIPResponse, NoResponse>] {
        let http = try HTTPRequests(trusting: certificates, orAnybody: isInsecure)
        defer { http.close() }
        let (results, continuation) = AsyncStream.makeStream(of: (Int, Result<WHIPResponse, NoResponse>).self)
        for (index, (request, timeout)) in requests.enumerated() {
            http.send(request, timeout: timeout) { continuation.yield((index, $0)) }
        }
        var found: [Int: Result<WHIPResponse, NoResponse>] = [:]
        for await (index, result) in results {
            found[index] = result
            if found.count == requests.count { break }
        }
        return requests.indices.compactMap { found[$0] }
    }

    private func request(_ url: String, _ method: String = "POST", body: String = "") -> WHIPRequest {
        WHIPRequest(method, url, headers: WHIPHeaders([.init("Authorization", "Bearer t")]), body: body)
    }

    @Test func `Requests run at the same time, and each has its response or its reason`() async throws {
        let (port, server) = try await serve()
        let root = "http://127.0.0.1:\(port)"
        let long = String(repeating: "ä\"\n", count: 20_000)
        let requests = [
            request(root + "/slow"), request(root + "/a", body: long), request(root + "/a", "DELETE"),
            request(root + "/long"), request(root + "/moved", "PATCH"), request(root + "/binary"),
            request(root + "/never", "PATCH"), request("http://127.0.0.1:1/"), request("nonsense"),
            request("http://name.invalid/"),
        ]
        let results = try await send(
            requests.enumerated().map { ($0.element, .milliseconds([0, 6].contains($0.offset) ? 500 : 5000)) })
        func response(_ index: Int) throws -> WHIPResponse { try results[index].get() }
        func reason(_ index: Int) -> String {
            if case .failure(let failure) = results[index] { failure.reason } else { "" }
        }
        let body = try JSONDecoder().decode([String: String].self, from: Data(try response(1).body.utf8))
        #expect(body == ["body": long, "token": "Bearer t"])
        // A POST that takes too long may have made a session, which is to be ended.
        #expect(try response(0).status == 200 && response(2).status == 200)
        #expect(try response(1).headers.values(of: "x-twice") == ["1", "2"])
        #expect(reason(3) == "the response's body is longer than 256 KiB")
        #expect(try response(4).status == 307 && response(4).headers["location"] == "/elsewhere")
        #expect(try response(5).status == 200 && response(5).body.contains("\u{FFFD}"))
        #expect(reason(6) == "no response in time")
        #expect(reason(7).contains("refused"), "\(reason(7))")
        #expect(!reason(8).isEmpty && !reason(9).isEmpty)
        try server.kill()
    }

    @Test func `Requests under way end when it is closed`() async throws {
        let (port, server) = try await serve()
        // Some are not even sent when it is closed.
        for round in 0..<20 {
            let http = try HTTPRequests(trusting: nil, orAnybody: false)
            let failures = Monitor(0)
            for _ in 0..<round {
                http.send(request("http://127.0.0.1:\(port)/slow"), timeout: .seconds(60)) { result in
                    if case .failure = result { failures.change { $0 += 1 } }
                }
            }
            http.close()
            #expect(failures.withLock { $0 } == round)
        }
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
        let requests = [(request("https://localhost:\(port)/a"), MediaDuration.seconds(5))]
        let results = try await send(requests)
        #expect(throws: NoResponse.self) { try results[0].get() }
        #expect(try await send(requests, trusting: folder.path("certificate"))[0].get().status == 200)
        #expect(try await send(requests, orAnybody: true)[0].get().status == 200)
        try server.kill()
    }
}
#endif
