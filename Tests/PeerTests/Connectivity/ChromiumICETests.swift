import Foundation
import RillCore
import RillPeer
import RillTestSupport
import Testing

/// Chromium checks, nominates and keeps up consent towards a lite agent.
@Suite(.serialized, .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
struct ChromiumICETests {
    private let folder = TemporaryFolder()

    @Test func `Chromium connects to a lite agent, stays for ten seconds, and restarts`() async throws {
        let end = try ICEEnd(.lite)
        var generator = SystemRandomNumberGenerator()
        let second = ICECredentials(using: &generator)
        try page([end.agent.credentials, second], end.agent.localCandidates)
            .write(toFile: folder.path("page.html"), atomically: false, encoding: .utf8)
        let chromium = try existing(Program(named: Peer.chromium.rawValue))
        let program = try chromium.start(
            [
                // It refuses to run as root in its sandbox; the page is ours.
                "--headless=new", "--no-sandbox", "--disable-gpu", "--allow-loopback-in-peer-connection",
                "--enable-logging=stderr", "--user-data-dir=\(folder.path("profile"))",
                "file://\(folder.path("page.html"))",
            ], limit: 90)
        try end.run(atMost: .seconds(60)) { said("STATE connected", program) || program.hasEnded }
        let first = try existing(end.agent.selectedPath)
        // Chromium counts itself as connected before it nominates.
        try end.run(atMost: .seconds(20)) { end.agent.state == .completed || program.hasEnded }
        try end.run(atMost: .seconds(20)) { said("RESTART", program) || program.hasEnded }
        let before = try existing(end.agent.statistics.first { $0.isSelected })
        // Chromium checks a connected pair at least every 2.5 s.
        #expect(before.path == first && before.counts.requestsReceived >= 4)
        #expect(before.counts.requestsReceived == before.counts.responsesSent)

        end.agent.restart(with: second)
        try end.run(atMost: .seconds(20)) { said("STATE restarted", program) || program.hasEnded }
        let outcome = try await finish(program, end)
        #expect(end.agent.state == .completed && end.agent.statistics.contains { $0.isNominated })
        #expect(outcome.contains("STATE connected") && outcome.contains("STATE restarted"), "\(outcome.suffix(2000))")
        let isLost = end.events.contains { if case .consentLost = $0 { true } else { false } }
        #expect(!isLost)
    }

    private func said(_ words: String, _ program: RunningProgram) -> Bool { program.errorsSoFar.contains(words) }

    private func finish(_ program: RunningProgram, _ end: ICEEnd) async throws -> String {
        try end.run(atMost: .seconds(30)) { program.hasEnded }
        return try await program.finished().errors
    }

    /// A page that offers a data channel, takes an answer with each of the credentials, and tells its states.
    private func page(_ generations: [ICECredentials], _ candidates: [ICECandidate]) -> String {
        let lines = candidates.map { "a=\($0.text)" }.joined(separator: "\\r\\n")
        let words = generations.map { "['\($0.usernameFragment)', '\($0.password)']" }.joined(separator: ", ")
        // The certificate is nobody's: DTLS is not a part of this test.
        let fingerprint = Array(repeating: "AB", count: 32).joined(separator: ":")
        return """
            <!DOCTYPE html><body><script>
            const generations = [\(words)];
            const connection = new RTCPeerConnection();
            connection.createDataChannel("data");
            const sleep = milliseconds => new Promise(done => setTimeout(done, milliseconds));
            const answer = ([fragment, password]) => ["v=0", "o=- 1 " + fragment.length + " IN IP4 0.0.0.0", "s=-", "t=0 0",
              "a=ice-lite", "a=group:BUNDLE 0", "m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "c=IN IP4 0.0.0.0",
              "a=mid:0", "a=ice-ufrag:" + fragment, "a=ice-pwd:" + password, "a=fingerprint:sha-256 \(fingerprint)",
              "a=setup:passive", "a=sctp-port:5000", "\(lines)", ""].join("\\r\\n");
            const negotiate = async generation => {
              await connection.setLocalDescription(await connection.createOffer());
              await connection.setRemoteDescription({type: "answer", sdp: answer(generation)});
            };
            const connected = async () => {
              while (!["connected", "completed"].includes(connection.iceConnectionState)) await sleep(20);
            };
            const selected = async () => {
              for (const one of (await connection.getStats()).values())
                if (one.type === "candidate-pair" && one.nominated && one.state === "succeeded") return one;
            };
            (async () => {
              await negotiate(generations[0]);
              await connected();
              console.log("STATE connected");
              await sleep(10000);
              console.log("RESTART", JSON.stringify(await selected()));
              connection.restartIce();
              await negotiate(generations[1]);
              const id = (await selected())?.id;
              await sleep(1000);
              for (let n = 0; n < 100 && (await selected())?.id === id; n++) await sleep(50);
              await connected();
              console.log("STATE restarted");
              window.close();
            })().catch(error => { console.log("ERROR " + error); window.close(); });
            </script>
            """
    }
}
