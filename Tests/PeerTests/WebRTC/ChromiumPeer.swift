import Foundation
import RillTestSupport

/// A peer connection of Chromium's, with the browser's camera.
struct ChromiumPeer {
    let browser: ChromiumBrowser
    private let media: Media

    /// What the page sends and receives.
    struct Media {
        /// Whether it sends its camera.
        var sends = true
        /// Whether it sends two layers, `h` and `l`.
        var isSimulcast = false
        /// Whether the section with its camera receives too.
        var receives = false
        /// Further sections that only receive.
        var receivingSections = 0
        /// Whether there is an audio section, and a data channel.
        var hasOthers = false
        /// The codec to prefer.
        var codec = "video/VP8"
    }

    /// - Parameter url: the page that it is; `nil` for an empty one.
    init(_ media: Media, at url: String? = nil, camera: String? = nil, limit seconds: Int = 120) throws {
        browser = try ChromiumBrowser(camera: camera, limit: seconds)
        if let url { try browser.navigate(to: url) }
        try browser.evaluate(ChromiumPeer.script)
        self.media = media
        try begin()
    }

    /// Begins another connection, without an end to the one before.
    func begin() throws {
        try browser.evaluate(
            """
            prepare({sends: \(media.sends), isSimulcast: \(media.isSimulcast), receives: \(media.receives),
              sections: \(media.receivingSections), hasOthers: \(media.hasOthers), codec: "\(media.codec)"})
            """)
    }

    /// Makes an offer, with all candidates.
    func offer(restartsICE: Bool = false) throws -> String { try browser.text("offer(\(restartsICE))") }
    /// Answers an offer, with all candidates.
    func answer(_ offer: String) throws -> String { try browser.text("answer(\(literal(offer)))") }
    /// Takes an answer.
    func accept(_ answer: String) throws { try browser.evaluate("accept(\(literal(answer)))") }
    /// The state of the connection.
    func state() throws -> String { try browser.text("pc.connectionState") }

    /// What Chromium counted.
    func figures() throws -> Figures {
        let data = Data(try browser.text("figures()").utf8)
        return try JSONDecoder().decode(Figures.self, from: data)
    }

    struct Figures: Decodable {
        var state: String
        var dtls: String?
        var srtp: String?
        /// From the descriptions to the connection, in ms.
        var connected: Double?
        /// From the descriptions to the first picture of each section that receives, in ms.
        var pictures: [Double?]
        var received: [Received]
        var sent: [Sent]

        struct Received: Decodable {
            var mid: String
            var framesReceived: Int?
            var framesDecoded: Int?
            var keyFramesDecoded: Int?
            var frameWidth: Int?
            var packetsLost: Int?
            var freezeCount: Int?
            var pliCount: Int?
            var nackCount: Int?
        }
        struct Sent: Decodable {
            var rid: String?
            var framesSent: Int?
            var keyFramesEncoded: Int?
            var frameWidth: Int?
            var pliCount: Int?
            var bytesSent: Int?
        }
    }

    private static let script = """
        let pc, start = 0, connected = null, camera = null, hasMedia = false, wanted;
        const pictures = [];
        const gathered = async () => {
          if (pc.iceGatheringState !== "complete")
            await new Promise(done => pc.addEventListener("icegatheringstatechange",
              () => pc.iceGatheringState === "complete" && done()));
          return pc.localDescription.sdp;
        };
        const prefer = transceiver => {
          const all = RTCRtpReceiver.getCapabilities("video").codecs;
          const first = all.filter(one => one.mimeType === wanted.codec);
          transceiver.setCodecPreferences([...first, ...all.filter(one => !first.includes(one))]);
        };
        const encodings = () => wanted.isSimulcast
          // Without a mode, several encodings of VP9 are spatial layers of one stream.
          ? [{rid: "h", maxFramerate: 30, maxBitrate: 1200000, scalabilityMode: "L1T1"},
             {rid: "l", maxFramerate: 5, scaleResolutionDownBy: 4.5, maxBitrate: 100000, scalabilityMode: "L1T1"}]
          : [{maxFramerate: 30, maxBitrate: 1200000}];
        const prepare = async (options) => {
          wanted = options;
          pc?.close();
          [connected, hasMedia] = [null, false];
          pc = new RTCPeerConnection({bundlePolicy: "max-bundle"});
          pc.onconnectionstatechange = () => {
            if (pc.connectionState === "connected") connected ??= performance.now() - start;
          };
          pc.ontrack = ({track}) => {
            if (track.kind !== "video") return;
            const video = document.createElement("video"), place = pictures.push(null) - 1;
            Object.assign(video, {muted: true, autoplay: true, srcObject: new MediaStream([track])});
            document.body.append(video);
            video.requestVideoFrameCallback(() => pictures[place] = performance.now() - start);
          };
          if (wanted.sends) {
            const media = await navigator.mediaDevices.getUserMedia(
              {video: {width: 1280, height: 720, frameRate: 30}, audio: wanted.hasOthers});
            camera = media.getVideoTracks()[0];
            if (wanted.hasOthers) {
              pc.addTrack(media.getAudioTracks()[0], media);
              pc.createDataChannel("data");
            }
          }
        };
        const addMedia = () => {
          if (pc.getTransceivers().some(one => one.mid === null && one.receiver.track.kind === "video")) return;
          if (camera) prefer(pc.addTransceiver(camera,
            {direction: wanted.receives ? "sendrecv" : "sendonly", sendEncodings: encodings()}));
          for (let n = 0; n < wanted.sections; n++) prefer(pc.addTransceiver("video", {direction: "recvonly"}));
        };
        const offer = async restarts => {
          if (!hasMedia) addMedia();
          hasMedia = true;
          await pc.setLocalDescription(await pc.createOffer({iceRestart: restarts}));
          return gathered();
        };
        const answer = async sdp => {
          start = performance.now();
          await pc.setRemoteDescription({type: "offer", sdp});
          if (!hasMedia && camera) {
            // The first section that the other side receives.
            const one = pc.getTransceivers().find(one => one.receiver.track.kind === "video");
            await one.sender.replaceTrack(camera);
            one.direction = wanted.receives ? "sendrecv" : "sendonly";
            const parameters = one.sender.getParameters();
            const all = encodings();
            parameters.encodings.forEach((encoding, n) =>
              Object.assign(encoding, all.find(one => one.rid === encoding.rid) ?? all[n] ?? {maxFramerate: 30}));
            await one.sender.setParameters(parameters);
          }
          hasMedia = true;
          await pc.setLocalDescription(await pc.createAnswer());
          return gathered();
        };
        const accept = sdp => {
          start = performance.now();
          return pc.setRemoteDescription({type: "answer", sdp});
        };
        const figures = async () => {
          const all = [...(await pc.getStats()).values()];
          const transport = all.find(one => one.type === "transport") ?? {};
          const video = type => all.filter(one => one.type === type && one.kind === "video");
          return JSON.stringify({
            state: pc.connectionState, dtls: transport.dtlsState, srtp: transport.srtpCipher, connected, pictures,
            received: video("inbound-rtp"), sent: video("outbound-rtp"),
          });
        };
        0
        """
}
