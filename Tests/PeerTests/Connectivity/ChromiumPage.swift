import Foundation
import RillPeer
import RillTestSupport

/// A page of Chromium's that offers a data channel to an agent, takes its answer, and tells what happens.
struct ChromiumPage {
    private let folder = TemporaryFolder()
    private let program: RunningProgram

    /// Opens the page.
    ///
    /// - Parameters:
    ///   - generations: the agent's credentials, and those after each restart.
    ///   - candidates: the agent's candidates.
    ///   - steps: JavaScript, with the functions `negotiate(generation)`, `connected()`, `selected()`,
    ///     `attribute(name)` (of the offer), `sleep(milliseconds)` and `say(words)`.
    init(
        _ generations: [ICECredentials], _ candidates: [ICECandidate], steps: String
    ) throws {
        let text = ChromiumPage.text(generations, candidates, steps)
        try text.write(toFile: folder.path("page.html"), atomically: false, encoding: .utf8)
        let chromium = try existing(Program(named: Peer.chromium.rawValue))
        program = try chromium.start(
            [
                // It refuses to run as root in its sandbox; the page is ours.
                "--headless=new", "--no-sandbox", "--disable-gpu", "--allow-loopback-in-peer-connection",
                "--enable-logging=stderr", "--user-data-dir=\(folder.path("profile"))",
                "file://\(folder.path("page.html"))",
            ], limit: 120)
    }

    /// Whether the page has said these words, or is gone.
    func hasSaid(_ words: String) -> Bool { program.hasEnded || program.errorsSoFar.contains("SAYS \(words);") }

    /// The words that followed this one the last time, once they were said that often.
    func words(after word: String, times count: Int = 1) -> [String]? {
        let parts = program.errorsSoFar.components(separatedBy: "SAYS \(word) ").suffix(1 + count)
        guard parts.count > count, let last = parts.last, let end = last.firstIndex(of: ";") else { return nil }
        return last[..<end].split(separator: " ").map(String.init)
    }

    /// All that it said, in order. Once it has ended.
    func finished() async throws -> [String] {
        let parts = try await program.finished().errors.components(separatedBy: "SAYS ").dropFirst()
        return parts.map { String($0.prefix { $0 != ";" }) }
    }

    /// Whether the browser has ended.
    var hasEnded: Bool { program.hasEnded }

    private static func text(
        _ generations: [ICECredentials], _ candidates: [ICECandidate], _ steps: String
    ) -> String {
        let lines = candidates.map { "a=\($0.text)" }.joined(separator: "\\r\\n")
        let words = generations.map { "['\($0.usernameFragment)', '\($0.password)']" }.joined(separator: ", ")
        // The certificate is nobody's: DTLS is not a part of these tests.
        let fingerprint = Array(repeating: "AB", count: 32).joined(separator: ":")
        return """
            <!DOCTYPE html><body><script>
            const generations = [\(words)];
            const say = words => console.log("SAYS " + words + ";");
            const sleep = milliseconds => new Promise(done => setTimeout(done, milliseconds));
            const connection = new RTCPeerConnection();
            connection.createDataChannel("data");
            connection.oniceconnectionstatechange = () => say("state " + connection.iceConnectionState);
            const answer = ([fragment, password]) => ["v=0", "o=- 1 1 IN IP4 0.0.0.0", "s=-", "t=0 0",
              "a=ice-options:trickle", "a=group:BUNDLE 0", "m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "c=IN IP4 0.0.0.0", "a=mid:0",
              "a=ice-ufrag:" + fragment, "a=ice-pwd:" + password, "a=fingerprint:sha-256 \(fingerprint)",
              "a=setup:passive", "a=sctp-port:5000", "\(lines)", ""].join("\\r\\n");
            const negotiate = async generation => {
              await connection.setLocalDescription(await connection.createOffer());
              await connection.setRemoteDescription({type: "answer", sdp: answer(generations[generation])});
            };
            const tell = () => say("credentials " + attribute("ice-ufrag") + " " + attribute("ice-pwd"));
            const connected = async () => {
              while (!["connected", "completed"].includes(connection.iceConnectionState)) await sleep(20);
            };
            const selected = async () => {
              for (const one of (await connection.getStats()).values())
                if (one.type === "candidate-pair" && one.nominated && one.state === "succeeded") return one;
            };
            const attribute = name => connection.localDescription.sdp.match(new RegExp("a=" + name + ":(.*)"))[1].trim();
            (async () => {
              \(steps)
            })().catch(error => say("error " + error)).finally(() => window.close());
            </script>
            """
    }
}
