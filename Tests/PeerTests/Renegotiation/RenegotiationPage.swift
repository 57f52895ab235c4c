import Foundation
import RillTestSupport

/// A peer connection of a browser, whose sections with video come, go, turn and stop.
struct RenegotiationPage {
    let browser: any BrowserPage

    init(_ browser: any BrowserPage) throws {
        self.browser = browser
        try browser.evaluate(RenegotiationPage.script)
    }

    /// Begins another connection.
    func begin() throws { try browser.evaluate("begin()") }
    /// Adds a section with a camera.
    func add() throws { try browser.evaluate("add()") }
    /// Adds a data channel.
    func addData() throws { try browser.evaluate("void pc.createDataChannel('data')") }
    /// Stops the transceiver of a section.
    func stop(_ mid: String) throws { try browser.evaluate("void transceiver(\(literal(mid))).stop()") }
    /// Changes the direction of a section.
    func turn(_ mid: String, _ direction: String) throws {
        try browser.evaluate("void (transceiver(\(literal(mid))).direction = \(literal(direction)))")
    }
    /// Makes an offer, with all candidates.
    func offer(restartsICE: Bool = false) throws -> String { try browser.text("offer(\(restartsICE))") }
    /// Answers an offer, with a camera in each new section; an offer of its own is taken back.
    func answer(_ offer: String) throws -> String { try browser.text("answer(\(literal(offer)))") }
    /// Takes an answer.
    func accept(_ answer: String) throws { try browser.evaluate("accept(\(literal(answer)))") }

    /// How many frames were decoded in each section in which video may arrive now.
    func framesDecoded() throws -> [String: Int] {
        let counts = try browser.object("decoded()")
        return counts.compactMapValues { ($0 as? NSNumber)?.intValue }
    }

    /// The state of the connection, and its sections, for a test that fails.
    func report() throws -> String { try browser.text("report()") }

    private static let script = """
        globalThis.pc = null;
        const camera = async () => (await navigator.mediaDevices.getUserMedia(
          {video: {width: 320, height: 240, frameRate: 15}})).getVideoTracks()[0];
        const gathered = async () => {
          if (pc.iceGatheringState !== "complete")
            await new Promise(done => pc.addEventListener("icegatheringstatechange",
              () => pc.iceGatheringState === "complete" && done()));
          return pc.localDescription.sdp;
        };
        globalThis.transceiver = mid => pc.getTransceivers().find(one => one.mid === mid);
        globalThis.begin = () => {
          pc?.close();
          document.querySelectorAll("video").forEach(one => one.remove());
          pc = new RTCPeerConnection({bundlePolicy: "max-bundle"});
          pc.ontrack = ({track}) => {
            const video = document.createElement("video");
            Object.assign(video, {muted: true, autoplay: true, srcObject: new MediaStream([track])});
            document.body.append(video);
          };
        };
        globalThis.add = async () => void pc.addTransceiver(await camera(), {direction: "sendrecv"});
        globalThis.offer = async restarts => {
          await pc.setLocalDescription(await pc.createOffer({iceRestart: restarts}));
          return gathered();
        };
        globalThis.answer = async sdp => {
          await pc.setRemoteDescription({type: "offer", sdp});
          for (const one of pc.getTransceivers()) {
            if (one.currentDirection || one.stopped || one.sender.track || !one.mid) continue;
            await one.sender.replaceTrack(await camera());
            one.direction = "sendrecv";
          }
          await pc.setLocalDescription(await pc.createAnswer());
          return gathered();
        };
        globalThis.accept = sdp => pc.setRemoteDescription({type: "answer", sdp});
        globalThis.decoded = async () => {
          const counts = {};
          for (const one of pc.getTransceivers())
            if (/recv/.test(one.currentDirection)) counts[one.mid] = 0;
          for (const one of (await pc.getStats()).values())
            if (one.type === "inbound-rtp" && one.mid in counts)
              counts[one.mid] = Math.max(counts[one.mid], one.framesDecoded ?? 0);
          return counts;
        };
        globalThis.report = async () => JSON.stringify([pc.connectionState, pc.signalingState,
          pc.getTransceivers().map(one => [one.mid, one.direction, one.currentDirection]),
          [...(await pc.getStats()).values()].filter(one => /bound-rtp/.test(one.type)).map(one => [one.type, one.mid,
            one.ssrc, one.framesDecoded ?? one.framesSent, one.packetsReceived ?? one.packetsSent])]);
        0
        """
}
