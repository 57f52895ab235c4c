#if Server
import NIOSSL
import RillTestSupport
import Testing

@Suite struct TLSTests {
    private static let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test func `HTTPS is served with a certificate, by TLS 1.2 and later`() async throws {
        let folder = TemporaryFolder()
        let certificate = try TestCertificate()
        let server = try ServerProcess([
            "--tls", try folder.write(certificate.certificate, as: "cert.pem"),
            try folder.write(certificate.key, as: "key.pem"),
            // The client's tasks wait for the threads that other tests hold.
            "--request-timeout", "600", "--idle-timeout", "600",
        ])
        #expect(server.greeting.hasPrefix("Listening on https://127.0.0.1:"))
        var client = TLSClient(certificate: certificate.certificate, port: server.port)
        #expect(try await client.send(Self.request).hasPrefix("HTTP/1.1 200 OK"))
        client.maximumVersion = .tlsv12
        #expect(try await client.send(Self.request).hasPrefix("HTTP/1.1 200 OK"))
        client.minimumVersion = .tlsv1
        client.maximumVersion = .tlsv11
        await #expect(throws: (any Error).self) { try await client.send(Self.request) }

        // Those who trust another certificate, and those who send no TLS at all.
        let other = TLSClient(certificate: try TestCertificate().certificate, port: server.port)
        await #expect(throws: (any Error).self) { try await other.send(Self.request) }
        let plain = try RawConnection(port: server.port)
        plain.send(Self.request)
        #expect(plain.isClosed(within: 20))
        client = TLSClient(certificate: certificate.certificate, port: server.port)
        #expect(try await client.send(Self.request).hasPrefix("HTTP/1.1 200 OK"))
        #expect(try server.end() == 0)
    }

    @Test func `A key of another certificate is refused before listening`() throws {
        let folder = TemporaryFolder()
        let outcome = try rill(
            [
                "serve", "--without-media", "--http", "0", "--tls",
                try folder.write(TestCertificate().certificate, as: "cert.pem"),
                try folder.write(TestCertificate().key, as: "key.pem"),
            ])
        #expect(outcome.status == 1 && outcome.text.contains("key.pem cannot be used for TLS"), "\(outcome.text)")
    }
}
#endif
