import Foundation
import RillTestSupport
import Testing

extension StreamTests {
    /// A page behind a firewall, which lets it reach a TURN server alone: coturn, with names and passwords from the
    /// secret that it shares with `rill serve`.
    @Suite struct RoomRelayTests {
        @Test(
            .enabled(if: Peer.chromium.isInstalled && Peer.coturn.isInstalled, "chromium or coturn is not installed"),
            arguments: ["udp", "tcp"])
        func `A page that may only use a relay publishes and watches`(transport: String) async throws {
            let folder = TemporaryFolder()
            let secret = "0123456789abcdef0123456789abcdef"
            try "\(secret)\n".write(toFile: folder.path("secret"), atomically: true, encoding: .utf8)
            let port = try PeerEnd.freePort()
            let relay = try existing(Program(named: Peer.coturn.rawValue)).start(
                [
                    "-n", "--no-cli", "--no-tls", "--no-dtls", "--listening-ip", "127.0.0.1", "--relay-ip", "127.0.0.1",
                    "--listening-port", "\(port)", "--realm", "rill.example", "--use-auth-secret",
                    "--static-auth-secret", secret, "--allow-loopback-peers", "--log-file", "stdout", "--simple-log",
                    "--pidfile", folder.path("pid"), "--userdb", folder.path("users"),
                ], limit: 120)
            let server = try await StreamServer(options: [
                "--ice-server", "turn:127.0.0.1:\(port)?transport=\(transport)",
                "--turn-secret-file", folder.path("secret"),
            ])
            let browsers = try (0..<2).map { _ in try ChromiumBrowser(hidesAddresses: true, limit: 120) }
            for (name, browser) in zip(["Anna", "Ben"], browsers) {
                try browser.navigate(to: server.url("room"))
                let answer = try browser.text(Self.join(name, policy: name == "Ben" ? "relay" : "all"))
                #expect(answer == "in")
            }
            for browser in browsers {
                try await waitUntil("pictures; relay: \(relay.outputSoFar.suffix(1000))") {
                    try (Int(browser.text(Self.frames)) ?? 0) > 20
                }
            }
            #expect(try browsers[1].text(Self.path) == "relay \(transport)")
            #expect(try browsers[0].text(Self.path) != "relay \(transport)")
        }

        /// Comes in, publishes a camera, and wants what the others publish.
        private static func join(_ name: String, policy: String) -> String {
            """
            (async () => {
              const { Room } = await import('/rill-room.js');
              const room = await Room.join('/rooms', { room: 'lobby', name: '\(name)', iceTransportPolicy: '\(policy)' });
              const wish = () => {
                for (const { uid, media } of room.participants.values()) {
                  if (uid !== room.uid && media.has('video')) room.want(uid, 'video', 'high');
                }
              };
              room.addEventListener('change', wish);
              wish();
              const media = await navigator.mediaDevices.getUserMedia({ video: true });
              await room.publish('video', media.getVideoTracks()[0]);
              window.room = room;
              return 'in';
            })()
            """
        }

        /// How many frames were decoded.
        private static let frames = """
            room.getStats().then((stats) => `${[...stats.values()].filter(({ type }) => type === 'inbound-rtp')
              .reduce((sum, { framesDecoded = 0 }) => sum + framesDecoded, 0)}`)
            """

        /// The kind of the candidate from which it sends, and how it reaches its relay.
        private static let path = """
            room.getStats().then((stats) => {
              const transport = [...stats.values()].find(({ type }) => type === 'transport');
              const { candidateType, relayProtocol } = stats.get(stats.get(transport.selectedCandidatePairId).localCandidateId);
              return `${candidateType} ${relayProtocol}`;
            })
            """
    }
}
