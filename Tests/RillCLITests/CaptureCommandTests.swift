import RillTestSupport
import Testing

/// The commands that make captures, look into them and send them again.
@Suite struct CaptureCommandTests {
    private let folder = TemporaryFolder()

    /// A short call over a lossy network, recorded.
    private func record(_ name: String) throws -> String {
        let path = folder.path(name)
        let outcome = try rill(
            "loopback", try movingClip(in: folder, frames: 15, width: 160, height: 120), "--no-compare", "--network",
            "loss=5%,delay=20ms,seed=3",
            "--capture", path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return path
    }

    /// The number that stands behind a name in JSON, the first time.
    private func number(_ name: String, in json: String) -> Int? {
        json.split(separator: "\"\(name)\" : ").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) }
    }

    @Test(arguments: ["call.pcap", "call.pcapng", "call.rtpdump"])
    func `What loopback records, inspect shows, the same every time`(name: String) throws {
        let path = try record(name)
        #expect(try read(path) == read(try record("again-" + name)))
        let table = try rill("inspect", path).text
        for word in ["VP8", "160x120", "picture ID, bits", "payload type 96", "lost", "SR", "RR"] {
            #expect(table.contains(word), "\(word) in \(table)")
        }
    }

    @Test func `Inspect writes the frames of a stream, and reports which one`() throws {
        let (path, frames) = (try record("call.pcap"), folder.path("out.ivf"))
        let json = try rill("inspect", path, "--frames", frames, "--json").text
        let extraction = try #require(json.split(separator: "\"extraction\"").last.map(String.init))
        let count = try #require(number("frames", in: extraction))
        #expect(count > 10 && number("keyFrames", in: extraction) ?? 0 >= 1)
        #expect(number("frames", in: try rill("inspect", frames, "--json").text) == count)
    }

    @Test func `Replay sends the whole recording, and reports it`() throws {
        let path = try record("call.pcap")
        let socket = try LocalSocket()
        let outcome = try rill("replay", path, "--to", "127.0.0.1:\(socket.port)", "--speed", "10", "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let received = try socket.received()
        #expect(received.count > 10 && number("sent", in: outcome.text) == received.count)
        #expect(number("sentBytes", in: outcome.text) == received.joined().count)

        let rtp = try rill(
            "replay", path, "--to", "127.0.0.1:\(socket.port)", "--speed", "100", "--rtp-only", "--loop", "2")
        #expect(rtp.status == 0 && rtp.text.contains("packets"))
        #expect(try socket.received().allSatisfy { !(192...223).contains($0[1]) })
    }

    @Test(arguments: [
        ["replay", "x.pcap", "--to", "nowhere"], ["replay", "x.pcap", "--to", "127.0.0.1:1", "--speed", "0"],
        ["replay", "x.pcap", "--to", "127.0.0.1:1", "--loop", "0"],
        ["replay", "-", "--to", "127.0.0.1:1", "--loop", "2"],
        ["replay", "x.pcap", "--to", "127.0.0.1:1", "--ssrc", "0x1_"], ["inspect", "x.pcap", "--ssrc", "1"],
        ["inspect", "-", "--frames", "x.ivf"], ["inspect", "x.pcap", "--codec", "av1"],
        ["loopback", "--capture", "x.ivf"], ["loopback", "--capture", "-"],
    ])
    func `Invalid options are rejected with the usage`(arguments: [String]) throws {
        let outcome = try rillProgram().run(arguments)
        #expect(outcome.status == 64 && outcome.errors.contains("Usage:"), "\(outcome.errors)")
    }

    @Test func `A file that is not a capture is rejected by its name`() throws {
        let outcome = try rill("replay", folder.path("none.pcap"), "--to", "127.0.0.1:1")
        #expect(outcome.status == 2 && outcome.errors.contains("none.pcap: no such file"), "\(outcome.errors)")
    }
}
