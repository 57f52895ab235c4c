import ArgumentParser
import AsyncHTTPClient
import Glibc
import NIOCore
import NIOSSL

/// `rill-http`: executes requests of HTTP for another program.
@main
struct HTTPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rill-http",
        abstract: "Execute HTTP requests for rill publish and rill watch.",
        discussion: """
            Reads a request from each line of standard input, and writes the response as a line of standard output, as \
            soon as it is there. Requests run at the same time. Redirections are not followed. Bodies have at most \
            256 KiB. Ends when standard input ends; SIGINT, SIGTERM and SIGHUP are ignored, so that the other program can \
            still say goodbye.

              {"id":1,"method":"GET","url":"https://example.org/","headers":[],"timeout":5000}
              {"id":1,"status":200,"headers":[["Content-Type","text/plain"]],"body":"hello"}

            Without a response the line is {"id":1,"error":"…"}.
            """)

    @Option(help: "Trust also the certificates in this PEM file.")
    var ca: String?

    @Flag(help: "Trust any server: anybody on the path can read and change everything.")
    var insecure = false

    func validate() throws {
        if insecure, ca != nil { throw ValidationError("--insecure trusts any server: leave --ca out") }
    }

    func run() async throws {
        // Ctrl-C, and a terminal that is closed, reach the whole group of processes.
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_IGN) }
        let executor = RequestExecutor(HTTPClient(eventLoopGroupProvider: .singleton, configuration: try settings()))
        await executor.run(lines: InputLines.standardInput)
        // Whoever closed our input waits for nothing.
        Glibc.exit(0)
    }

    private func settings() throws -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let ca {
            // An error here, and not with the first request.
            do { _ = try NIOSSLCertificate.fromPEMFile(ca) } catch {
                throw ValidationError("--ca \(ca): not a readable PEM file of certificates")
            }
            tls.additionalTrustRoots = [.file(ca)]
        }
        if insecure { tls.certificateVerification = .none }
        var settings = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        settings.decompression = .disabled
        settings.connectionPool.idleTimeout = .seconds(30)
        // When to try again is for whoever asks.
        settings.connectionPool.retryConnectionEstablishment = false
        return settings
    }
}
