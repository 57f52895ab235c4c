import Foundation
import RillTestSupport
import Testing

/// `rill send` and `rill receive`, as two people run them.
@Suite struct StreamCommandTests {
    private let folder = TemporaryFolder()

    // MARK: From one to the other

    @Test func `A clip arrives complete by its description, which only its owner can read`() throws {
        let (port, key) = (try freePorts(1)[0], folder.path("stream.key"))
        let clip = try movingClip(in: folder, frames: 30, width: 162, height: 122)
        let (sdp, output, page) = (folder.path("out.sdp"), folder.path("got.y4m"), folder.path("got.html"))
        _ = try rill("key", key, "--suite", "cm-80")
        // One that is there already, for all to read.
        try write(Array("old".utf8), to: sdp)
        let sender = try rillProgram().start(
            [
                "send", clip, "--to", "127.0.0.1:\(port)", "--key-file", key, "--sdp", sdp, "--delay", "1s",
                "--json",
                "--report", folder.path("sent.html"),
            ], limit: 60)
        try waitForDescription(sdp)
        let mode = try FileManager.default.attributesOfItem(atPath: sdp)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let receiver = try rill("receive", sdp, "--output", output, "--report", page, "--json")
        let sent = try sender.wait()
        #expect(sent.status == 0 && receiver.status == 0, "\(sent.errors)\n\(receiver.errors)")
        #expect(sent.errors.contains("ffplay -protocol_whitelist file,udp,rtp,srtp -i \(sdp)"), "\(sent.errors)")
        for line in ["AES_CM_128_HMAC_SHA1_80", "joined", "first picture of the sender's high layer: 162x122", "left"] {
            #expect(receiver.errors.contains(line), "\(receiver.errors)")
        }
        #expect(try decoded(receiver) == 30, "\(receiver.text)")
        let pictures = try read(output)
        #expect(String(decoding: pictures.prefix(24), as: UTF8.self).hasPrefix("YUV4MPEG2 W162 H122 F30"))
        for path in [page, folder.path("sent.html")] {
            #expect((try report(onPage: path)["layers"] as? [String])?.first == "high")
        }
        let secret = String(decoding: try read(key), as: UTF8.self).trimmingCharacters(in: .newlines)
        #expect(!(receiver.errors + receiver.text + sent.text).contains(secret))
    }

    @Test(arguments: ["ivf", "webm"])
    func `The packets of the chosen layer are written unchanged`(kind: String) throws {
        let (port, sdp, output) = (try freePorts(1)[0], folder.path("out.sdp"), folder.path("low.\(kind)"))
        let sender = try rillProgram().start(
            [
                "send", try movingClip(in: folder, frames: 30, width: 320, height: 240), "--to", "127.0.0.1:\(port)",
                "--layers", "high,low", "--sdp", sdp, "--delay", "1s",
            ], limit: 60)
        try waitForDescription(sdp)
        let receiver = try rill("receive", sdp, "--layer", "low", "--output", output, "--json")
        let sent = try sender.wait()
        #expect(sent.status == 0 && receiver.status == 0, "\(sent.errors)\n\(receiver.errors)")
        #expect(try decoded(receiver) == 5 && receiver.errors.contains("low layer: 160x120"), "\(receiver.errors)")
        let again = folder.path("again.y4m")
        #expect(try rill("transcode", output, again).status == 0)
        #expect(String(decoding: try read(again).prefix(20), as: UTF8.self).hasPrefix("YUV4MPEG2 W160 H120"))
    }

    @Test func `A description can be piped`() throws {
        let (port, clip) = (try freePorts(1)[0], try movingClip(in: folder, frames: 20))
        let shell = try #require(Program(path: "/bin/sh"))
        let line = "exec \"$0\" send \"$1\" --to 127.0.0.1:$2 --sdp - --delay 1s | \"$0\" receive - --json"
        let outcome = try shell.run(["-c", line, rillProgram().path, clip, port])
        #expect(try outcome.status == 0 && decoded(outcome) == 20, "\(outcome.errors)")
    }

    private func waitForDescription(_ path: String) throws {
        for _ in 0..<1000 {
            if let text = try? read(path), text.starts(with: Array("v=0".utf8)) { return }  // there is none at first
            usleep(10_000)
        }
        throw TestFailure("no description")
    }

    private func decoded(_ outcome: RunningProgram.Outcome) throws -> Int? {
        let json = try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [String: Any]
        let them = ((json?["statistics"] as? [String: Any])?["participants"] as? [[String: Any]])?.first
        let shown = (them?["shown"] as? [[String: Any]])?.first?["received"] as? [String: Any]
        return (shown?["decoder"] as? [String: Any])?["framesDecoded"] as? Int
    }

    // MARK: What does not go

    @Test func `Unencrypted sending to other machines must be confirmed`() throws {
        let outcome = try rill("send", "--to", "192.0.2.1:5004")
        #expect(outcome.status == 64 && outcome.errors.contains("--clear"), "\(outcome.errors)")
        try describe("c=IN IP4 192.0.2.7\nm=video 5004 RTP/AVP 96\na=rtpmap:96 VP8/90000")
        let receiver = try rill("receive", folder.path("in.sdp"))
        #expect(receiver.status == 64 && receiver.errors.contains("--listen 192.0.2.7"), "\(receiver.errors)")
    }

    @Test(arguments: [
        ["send", "--to", "127.0.0.1:0"], ["send", "--to", "127.0.0.1:9", "--fec", "101%"],
        ["send", "--to", "127.0.0.1:9", "--sdp", "-", "--json"], ["send", "--to", "127.0.0.1:9", "--layers", "medium"],
        ["send", "--to", "127.0.0.1:9", "--packet-size", "9000"], ["receive"], ["receive", "--port", "0"],
        ["receive", "--port", "9", "--output", "x.avi"], ["receive", "x.sdp", "--codec", "vp9"],
        ["receive", "--port", "9", "--listen", "example.org"],
    ])
    func `Meaningless arguments are rejected`(arguments: [String]) throws {
        let outcome = try rillProgram().run(arguments)
        #expect(outcome.status == 64, "\(arguments): \(outcome.status) \(outcome.errors)")
    }

    @Test(arguments: [
        ("m=audio 5002 RTP/AVP 97\na=rtpmap:97 opus/48000/2", "no m=video"),
        ("m=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000", "line 5, m=video 5004 RTP/AVP 96 is H264"),
        ("m=video 5004 RTP/AVP 26", "is payload type 26"),
        // Nothing of it moves a terminal's cursor.
        (
            "m=video 5004 \u{1B}[2JRTP/AVP 96\na=rtpmap:96 VP8/90000",
            "line 5, m=video 5004 ?[2JRTP/AVP 96 is ?[2JRTP/AVP"
        ),
        ("m=video 5004 RTP/AVP 98\na=rtpmap:98 VP9/90000\na=fmtp:98 profile-id=2", "is VP9 of profile 2"),
        ("m=video 0 RTP/AVP 96\na=rtpmap:96 VP8/90000", "give one with --port"),
        ("m=video 5004 RTP/AVP 72\na=rtpmap:72 VP8/90000", "payload type 72"),
        ("m=video 5004 RTP/AVP 96\na=rtpmap:96 VP8/90000\na=recvonly", "nothing is sent"),
        ("m=video 5004 RTP/SAVPF 96\na=rtpmap:96 VP8/90000", "give the key with --key-file"),
        ("m=video 5004 RTP/AVP 96\nc=IN IP4 239.1.2.3\na=rtpmap:96 VP8/90000", "multicast"), ("hello", "line 5"),
    ])
    func `A description that cannot be received is rejected with the reason`(media: String, reason: String) throws {
        try describe(media)
        let outcome = try rill("receive", folder.path("in.sdp"))
        #expect(outcome.status == 2 && outcome.errors.contains(reason), "\(outcome.errors)")
    }

    @Test func `No peer, another key and no key are distinguished, and nothing hangs`() throws {
        let (ports, description) = (
            try freePorts(3),
            "c=IN IP4 127.0.0.1\r\nm=audio 5002 RTP/AVP 97\r\nm=video 5004 RTP/AVP 96\r\na=rtpmap:96 VP8/90000"
        )
        try describe(description)
        let nobody = try rill("receive", folder.path("in.sdp"), "--port", ports[0], "--wait", "300ms")
        #expect(
            nobody.status == 2 && nobody.errors.contains("no packet arrived on port \(ports[0])"), "\(nobody.errors)")
        #expect(nobody.errors.contains("left out: line 6, m=audio"), "\(nobody.errors)")
        let keys = [folder.path("a.key"), folder.path("b.key")]
        for key in keys { _ = try rill("key", key) }
        let clip = try movingClip(in: folder, frames: 60, width: 160, height: 120)
        for (port, options, reason) in [
            (ports[1], ["--key-file", keys[0], "--wait", "2s"], "the keys differ"),
            (ports[2], ["--timeout", "500ms"], "they may be encrypted"),
        ] {
            let receiver = try rillProgram().start(["receive", "--port", port] + options, limit: 60)
            let sender = try rill("send", clip, "--to", "127.0.0.1:\(port)", "--key-file", keys[1], "--delay", "500ms")
            let outcome = try receiver.wait()
            #expect(sender.status == 0)
            #expect(outcome.status == 2 && outcome.errors.contains(reason), "\(outcome.errors)")
        }
    }

    private func describe(_ media: String) throws {
        try write(Array("v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nt=0 0\n\(media)\n".utf8), to: folder.path("in.sdp"))
    }
}
