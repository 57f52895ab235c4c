import RillCore
import RillPeer
import RillSecurity
import RillTestSupport
import RillTransport
import Testing

/// OpenSSL's own programs as the other side, over sockets and in real time.
@Suite(.serialized, .enabled(if: Program(named: "openssl") != nil, "openssl is not installed"))
struct OpenSSLPeerTests {
    private let openssl: Program
    private let folder: TemporaryFolder

    init() throws {
        openssl = try existing(Program(named: "openssl"))
        folder = TemporaryFolder()
    }

    /// Makes a certificate and its key, and returns its fingerprint.
    private func makeCertificate(_ algorithm: [String]) throws -> DTLSFingerprint {
        let made = try openssl.run(
            ["req", "-x509", "-nodes", "-newkey"] + algorithm
                + ["-subj", "/CN=peer", "-keyout", folder.path("key"), "-out", folder.path("certificate")])
        guard made.status == 0 else { throw TestFailure(made.errors) }
        let shown = try openssl.run(["x509", "-in", folder.path("certificate"), "-noout", "-fingerprint", "-sha256"])
        let pairs = shown.text.split(separator: "=").last.map { $0.filter { !$0.isWhitespace } } ?? ""
        return try DTLSFingerprint(parsing: "sha-256 " + pairs)
    }

    private var common: [String] {
        ["-dtls1_2", "-cert", folder.path("certificate"), "-key", folder.path("key")]
    }

    private func exporting(_ profile: SRTPProfile) -> [String] {
        ["-keymatexport", "EXTRACTOR-dtls_srtp", "-keymatexportlen", "\(2 * profile.keyAndSaltByteCount)"]
    }

    /// What the program printed as the keys: both keys, and then both salts.
    private func material(in text: String) throws -> [UInt8] {
        let line = text.split(separator: "\n").first { $0.contains("Keying material: ") }
        let digits = try existing(line?.split(separator: " ").last).compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    private func expect(_ keys: DTLSSRTPKeys, _ material: [UInt8], role: DTLSRole) throws {
        let (key, salt) = (keys.profile.keyByteCount, keys.profile.saltByteCount)
        try #require(material.count == 2 * (key + salt))
        func part(_ number: Int) -> [UInt8] {
            Array(material[number * key..<(number + 1) * key])
                + Array(material[2 * key + number * salt..<2 * key + (number + 1) * salt])
        }
        let sides = try (0..<2).map { try SRTPKey(part($0).span, keys.profile) }
        #expect((role == .client ? keys.sending : keys.receiving) == sides[0])
        #expect((role == .client ? keys.receiving : keys.sending) == sides[1])
    }

    private static let profiles: [(SRTPProfile, String, [String])] = [
        (
            .aeadAES128GCM, "SRTP_AES128_CM_SHA1_80:SRTP_AEAD_AES_128_GCM",
            ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        ),
        (.aeadAES256GCM, "SRTP_AEAD_AES_256_GCM", ["rsa:2048"]),
        (.aesCM128Tag80, "SRTP_AES128_CM_SHA1_80", ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]),
    ]

    @Test(arguments: profiles)
    func `s_client exports the same keys`(profile: SRTPProfile, names: String, algorithm: [String]) async throws {
        let end = try SocketEnd(.server)
        end.endpoint.setRemoteFingerprints([try makeCertificate(algorithm)], at: end.now)
        let program = try openssl.start(
            ["s_client", "-connect", "127.0.0.1:\(end.port)", "-use_srtp", names] + common + exporting(profile),
            limit: 30)
        try end.run(atMost: .seconds(20)) { end.endpoint.state == .closed || end.endpoint.state == .failed }
        let outcome = try await program.finished()
        #expect(end.events == [.connected, .closed], "\(outcome.text) \(outcome.errors)")
        let keys = try #require(end.endpoint.srtpKeys)
        #expect(keys.profile == profile)
        try expect(keys, try material(in: outcome.text), role: .server)
    }

    @Test(arguments: profiles)
    func `s_server exports the same keys`(profile: SRTPProfile, names: String, algorithm: [String]) async throws {
        let end = try SocketEnd(.client)
        end.endpoint.setRemoteFingerprints([try makeCertificate(algorithm)], at: end.now)
        let port = try SocketEnd.freePort()
        // The server's order counts.
        let names = names.split(separator: ":").reversed().joined(separator: ":")
        // It ends when its input does: a pipe that nobody writes to.
        let shell = try existing(Program(path: "/bin/sh"))
        let program = try shell.start(
            ["-c", #"mkfifo "$0" && exec "$@" <> "$0""#, folder.path("pipe"), openssl.path]
                + ["s_server", "-accept", "127.0.0.1:\(port)", "-use_srtp", names, "-Verify", "1", "-naccept", "1"]
                + common + exporting(profile), limit: 30)
        try await RunningPeer.waitUntilListening(port: port)
        end.remote = UDPAddress(.loopback, port: port)
        end.endpoint.begin(at: end.now)
        try end.run(atMost: .seconds(20)) { end.endpoint.state == .connected || end.endpoint.state == .failed }
        if end.endpoint.state == .connected { try end.endpoint.send(Array("ping\n".utf8).span, at: end.now) }
        end.endpoint.close(at: end.now)
        try end.run(atMost: .seconds(20)) { program.hasEnded }
        let outcome = try await program.finished()
        #expect(end.events == [.connected], "\(outcome.text) \(outcome.errors)")
        #expect(outcome.text.contains("ping"))
        let keys = try #require(end.endpoint.srtpKeys)
        #expect(keys.profile == profile)
        try expect(keys, try material(in: outcome.text), role: .client)
    }

    @Test func `An RSA certificate that OpenSSL made serves a server`() async throws {
        let fingerprint = try makeCertificate(["rsa:2048"])
        func text(_ name: String) throws -> String { String(decoding: try read(folder.path(name)), as: UTF8.self) }
        let certificate = try DTLSCertificate(pem: text("certificate"), privateKey: text("key"))
        #expect(certificate.fingerprint == fingerprint)
        let end = try SocketEnd(.server, certificate)
        end.endpoint.setRemoteFingerprints([fingerprint], at: end.now)
        let names = "SRTP_AEAD_AES_128_GCM"
        let program = try openssl.start(
            ["s_client", "-connect", "127.0.0.1:\(end.port)", "-use_srtp", names] + common, limit: 30)
        try end.run(atMost: .seconds(20)) { end.endpoint.state == .closed || end.endpoint.state == .failed }
        let outcome = try await program.finished()
        #expect(end.events == [.connected, .closed], "\(outcome.text) \(outcome.errors)")
        let cipher = try #require(end.endpoint.cipherName)
        #expect(cipher.hasPrefix("TLS_ECDHE_RSA_WITH_"))
    }

    @Test func `A peer without SRTP is refused, and so is one without a certificate`() async throws {
        let theirs = try makeCertificate(["ec", "-pkeyopt", "ec_paramgen_curve:P-256"])
        let end = try SocketEnd(.server)
        end.endpoint.setRemoteFingerprints([theirs], at: end.now)
        let program = try openssl.start(["s_client", "-connect", "127.0.0.1:\(end.port)"] + common, limit: 30)
        try end.run(atMost: .seconds(20)) { end.endpoint.state == .failed }
        #expect(end.events == [.failed(.noSRTPProfile)])
        _ = try await program.finished()

        let other = try SocketEnd(.server)
        other.endpoint.setRemoteFingerprints([theirs], at: other.now)
        let anonymous = try openssl.start(
            ["s_client", "-connect", "127.0.0.1:\(other.port)", "-dtls1_2", "-use_srtp", "SRTP_AEAD_AES_128_GCM"],
            limit: 30)
        try other.run(atMost: .seconds(20)) { other.endpoint.state == .failed }
        guard case .failed(.handshakeFailed(_, let reason, .some(.handshakeFailure))) = other.events.first else {
            Issue.record("\(other.events)")
            return
        }
        #expect(reason.contains("peer did not return a certificate"))
        _ = try await anonymous.finished()
    }
}

/// An endpoint on a socket of this machine, in real time.
private final class SocketEnd {
    let endpoint: DTLSEndpoint
    private(set) var events: [DTLSEvent] = []
    /// Where datagrams go: where the last one came from.
    var remote: UDPAddress?
    private let socket: UDPSocket
    private let start = ContinuousClock.now

    init(_ role: DTLSRole, _ certificate: DTLSCertificate? = nil) throws {
        endpoint = DTLSEndpoint(role, certificate: try certificate ?? DTLSCertificate(wallClock: 1_800_000_000))
        socket = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
    }

    var port: UInt16 { socket.localAddress.port }

    var now: MediaTime { .zero + MediaDuration(start.duration(to: .now)) }

    static func freePort() throws -> UInt16 { try UDPSocket(boundTo: UDPAddress(.loopback, port: 0)).localAddress.port }

    /// Runs until `isDone`, for at most that long; throws if it is not by then.
    func run(atMost duration: MediaDuration, isDone: () -> Bool) throws {
        let end = now + duration
        var bytes: [UInt8] = []
        while true {
            guard now < end else { throw TestFailure("not done: \(endpoint.state), \(events)") }
            poll: while true {
                switch endpoint.poll(at: now, into: &bytes) {
                case .transmit: if let remote { try socket.send(bytes.span, to: remote) }
                case .event(let event): events.append(event)
                case .wait: break poll
                }
            }
            if isDone() { return }
            guard let datagram = try socket.receive(into: &bytes, within: .milliseconds(5)) else { continue }
            remote = datagram.source
            endpoint.insert(bytes.span, at: now)
        }
    }
}
