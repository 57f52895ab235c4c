import Foundation
import RillTestSupport

/// A page of rill serve in a browser of its own, used as a person would.
struct StreamPage {
    let browser: ChromiumBrowser

    /// Opens the page that publishes the camera, and begins.
    static func publishing(_ name: String, at server: StreamServer) throws -> StreamPage {
        try StreamPage(server.url("publish?start&stream=\(name)"))
    }

    /// Opens the page that watches a stream.
    ///
    /// - Parameter isHidden: whether it is behind another page.
    static func watching(_ name: String, at server: StreamServer, isHidden: Bool = false) throws -> StreamPage {
        try StreamPage(server.url("watch?stream=\(name)"), isHidden: isHidden)
    }

    /// Opens any page.
    init(at url: String) throws { try self.init(url) }

    private init(_ url: String, isHidden: Bool = false) throws {
        browser = try ChromiumBrowser(hidesAddresses: true, limit: 300)
        try browser.runBefore(StreamPage.script)
        if isHidden { try browser.hide() }
        try browser.navigate(to: url)
    }

    /// What the page says about itself.
    func status() throws -> String { try browser.text("document.getElementById('status').textContent") }

    /// Clicks the radio button of a layer.
    func choose(_ layer: String) throws { try browser.click("#layers input[value='\(layer)']") }

    /// Whether the viewer can choose a layer.
    func offers(_ layer: String) throws -> Bool {
        try browser.evaluate("!!document.querySelector(\"#layers input[value='\(layer)']\")") as? Bool ?? false
    }

    /// The time to the first picture, as the page shows it, in ms.
    func firstPicture() throws -> Int? {
        Int(try browser.text("document.querySelector('#numbers td:last-child').textContent").prefix { $0.isNumber })
    }

    /// Goes over to another codec without an offer: `encodings[i].codec` (W3C webrtc-extensions §4).
    ///
    /// - Parameter size: by how much the high layer is made smaller at once.
    func change(to codec: String, scaledDownBy size: Double = 1) throws {
        let answer = try browser.text("change('video/\(codec)', \(size))")
        guard answer == "changed" else { throw TestFailure("\(codec): \(answer)") }
    }

    /// Counts the longest time without a picture from now on.
    func beginGaps() throws { _ = try browser.text("(longest = 0, last = performance.now(), 'begun')") }

    /// What the page counted.
    func counts() throws -> Counts {
        try JSONDecoder().decode(Counts.self, from: Data(try browser.text("counts()").utf8))
    }

    /// How many pictures it has shown.
    func picturesShown() throws -> Int { try counts().shown.values.reduce(0, +) }

    struct Counts: Decodable {
        /// Pictures that were shown, by their width.
        var shown: [String: Int]
        /// The width of the picture that is shown now.
        var width: Int
        /// Frames that were sent by the connection of now, by the name of the layer.
        var sent: [String: Int]
        /// What is sent of each layer now: its size, as 1280x720.
        var sizes: [String: String]
        /// Frames that arrived in the connection of now.
        var received: Int
        /// How many of them were decoded.
        var decoded: Int
        /// The codec that arrives: video/VP8.
        var codec: String?
        /// The longest time without a picture, in ms.
        var longest: Double
        /// Round trips that the viewer measured, by extended reports (RFC 3611).
        var roundTrips: Int
        /// The profile of SRTP.
        var cipher: String?
    }

    /// Keeps what the page counts: its connections, and the pictures that it shows.
    private static let script = """
        const peers = [], shown = {};
        let last = performance.now(), longest = 0;
        window.RTCPeerConnection = class extends RTCPeerConnection {
          constructor(...all) { super(...all); peers.push(this); }
        };
        addEventListener("DOMContentLoaded", () => {
          const video = document.getElementById("video");
          const note = () => {
            shown[video.videoWidth] = (shown[video.videoWidth] ?? 0) + 1;
            longest = Math.max(longest, performance.now() - last);
            last = performance.now();
            video.requestVideoFrameCallback(note);
          };
          video.requestVideoFrameCallback(note);
        });
        const change = async (type, size) => {
          const sender = peers.at(-1).getSenders().find(one => one.track?.kind === "video");
          const parameters = sender.getParameters();
          const codec = parameters.codecs.find(one => one.mimeType === type);
          if (!codec) return "not negotiated: " + parameters.codecs.map(one => one.mimeType);
          for (const encoding of parameters.encodings) {
            Object.assign(encoding, {codec, scalabilityMode: "L1T1"});
            if (encoding.rid === "high") encoding.scaleResolutionDownBy = size;
          }
          try { await sender.setParameters(parameters); } catch (error) { return String(error); }
          return "changed";
        };
        const counts = async () => {
          const reports = await peers.at(-1)?.getStats() ?? new Map();
          const all = [...reports.values()].filter(one => one.kind === "video");
          const sent = all.filter(one => one.type === "outbound-rtp");
          const got = all.find(one => one.type === "inbound-rtp");
          return JSON.stringify({
            shown, width: document.getElementById("video").videoWidth,
            sent: Object.fromEntries(sent.map(one => [one.rid ?? "high", one.framesSent ?? 0])),
            sizes: Object.fromEntries(sent.map(one => [one.rid ?? "high", `${one.frameWidth}x${one.frameHeight}`])),
            codec: reports.get(got?.codecId)?.mimeType, longest,
            received: got?.framesReceived ?? 0, decoded: got?.framesDecoded ?? 0,
            cipher: [...reports.values()].find(one => one.type === "transport")?.srtpCipher,
            roundTrips: all.find(one => one.type === "remote-outbound-rtp")?.roundTripTimeMeasurements ?? 0,
          });
        };
        """
}
