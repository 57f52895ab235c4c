import Foundation
import Rill
import RillPeer
import RillSecurity
import RillTestSupport
import Testing

/// A call of ours with a page whose frames pass the script that pages of the server use, encrypted from end to end.
@Suite(.serialized, .enabled(if: Peer.chromium.isInstalled, "chromium is not installed"))
struct EncryptedBrowserTests {
    private static let pages = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/Rooms/RillServer/Pages").standardized.path

    /// A page, and what serves it: a worker's script comes from its page's server.
    private struct Page {
        let peer: ChromiumPeer
        let server: RunningProgram

        func text(_ script: String) throws -> String { try peer.browser.text(script) }
        func figures() throws -> ChromiumPeer.Figures { try peer.figures() }
    }

    /// A page that sends and receives one video each, encrypted by that secret.
    private func page(_ codec: VideoCodec, secret: String, bits: Int) throws -> Page {
        let python = try existing(Program(path: "/usr/bin/python3"))
        let server = try python.start(
            ["-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", Self.pages, "0"], limit: 120)
        #expect(try wait(10) { server.outputSoFar.contains(" port ") })
        let words = server.outputSoFar.split(separator: " ")
        let place = try #require(words.firstIndex(of: "port"))
        var media = ChromiumPeer.Media()
        (media.receives, media.codec) = (true, "video/\(codec.rawValue.uppercased())")
        let peer = try ChromiumPeer(media, at: "http://127.0.0.1:\(words[place + 1])/index.html")
        let outcome = try peer.browser.evaluate(
            """
            (async () => {
              const {FrameEncryption} = await import("/rill-sframe.js");
              if (FrameEncryption.missing) return FrameEncryption.missing;
              globalThis.encryption = await FrameEncryption.create(\(literal(secret)), "monday", \(bits));
              globalThis.openings = [];
              encryption.addEventListener("opening", ({detail}) => openings.push(detail.reason ?? "opened"));
              addMedia();
              hasMedia = true;
              for (const {sender, receiver} of pc.getTransceivers()) {
                encryption.seal(sender);
                encryption.open(receiver, "picture");
              }
              return "encrypted";
            })()
            """)
        try #require(outcome as? String == "encrypted", "\(outcome ?? "nothing")")
        return Page(peer: peer, server: server)
    }

    @Test(arguments: [VideoCodec.vp8, .vp9], [SFrameSuite.aes128GCM, .aes256GCM])
    func `Both see each other with one secret`(codec: VideoCodec, suite: SFrameSuite) async throws {
        let encryption = try FrameEncryption(secret: "tulip", room: "monday", suite)
        let end = try WebRTCEnd(codec: codec, bitrate: .kilobits(300), encryption: encryption)
        let page = try page(codec, secret: "tulip", bits: suite == .aes256GCM ? 256 : 128)
        let peer = try end.port.answer(page.peer.offer(), from: "page", WebRTCSettings())
        try page.peer.accept(peer.localDescription)
        #expect(try wait(10) { peer.participant != nil })
        try end.show(peer)
        let isSeen = try wait(20) {
            let decoded = try page.figures().received.compactMap(\.framesDecoded).max() ?? 0
            return decoded > 60 && (end.pictures.values.map(\.count).max() ?? 0) > 60
        }
        let figures = try page.figures()
        #expect(isSeen, "\(figures) \(end.pictures) \(encryption.openStatistics)")
        #expect(try page.text("JSON.stringify(openings)") == "[\"opened\"]")
        let opened = encryption.openStatistics
        #expect(opened.opened > 60 && opened.refused == 0, "\(opened)")
        #expect(encryption.sealStatistics.failed == 0 && (figures.received.first?.pliCount ?? 0) <= 1)
        await end.call.end()
    }

    @Test func `With another secret neither sees the other, and both say why`() async throws {
        let encryption = try FrameEncryption(secret: "rose", room: "monday")
        let end = try WebRTCEnd(bitrate: .kilobits(300), encryption: encryption)
        let page = try page(.vp8, secret: "tulip", bits: 128)
        let peer = try end.port.answer(page.peer.offer(), from: "page", WebRTCSettings())
        try page.peer.accept(peer.localDescription)
        #expect(try wait(10) { peer.participant != nil })
        try end.show(peer)
        let areRefused = try wait(20) {
            try encryption.openStatistics.wrongKey > 60
                && page.text("JSON.stringify(openings)") == "[\"wrongKey\"]"
        }
        let figures = try page.figures()
        #expect(areRefused, "\(figures) \(encryption.openStatistics)")
        #expect(end.pictures.isEmpty && encryption.openStatistics.opened == 0)
        // Chromium decodes placeholders, and so requests nothing either.
        #expect(figures.received.allSatisfy { $0.frameWidth ?? 0 <= 16 && $0.pliCount ?? 0 == 0 }, "\(figures)")
        // We request no key frame that we could not open.
        #expect(figures.sent.allSatisfy { ($0.pliCount ?? 0) <= 1 }, "\(figures.sent)")
        let shown = peer.participant?.statistics.shown ?? []
        #expect(!shown.isEmpty && shown.allSatisfy { $0.received.decoder == DecoderStatistics() })
        await end.call.end()
    }
}
