import Rill
import RillCore
import RillFiles
import RillRTP

/// Receiving one stream from UDP at its own pace, and decoding it.
struct ReceiveBench: BenchJob {
    let name = "receive"
    let title = "Receiving and decoding a stream as it comes"
    let heats: [Heat]
    let notices: [String]
    let explanation: [String]
    private let work: String
    private let folder: BenchFolder
    private let packets: String
    private let address: UDPAddress
    private let frameCount: Int

    /// Pictures of the clip that are sent: more would take as long as they last.
    private static let mostFrames = 120

    init(_ clip: BenchClip, work: String, in folder: BenchFolder) throws {
        self.work = work
        self.folder = folder
        packets = folder.path("packets.rtpdump")
        // FFmpeg listens at the next port too, for RTCP.
        address = try ReceiveBench.freeAddress()
        let frameCount = min(clip.frameCount, ReceiveBench.mostFrames)
        self.frameCount = frameCount
        let short = folder.path("short.y4m")
        try ReceiveBench.copy(clip.y4m, to: short, frames: frameCount)
        _ = try folder.start(Invocation(words: [work, "packets", short, packets, "\(clip.bitrate)"])).wait(limit: 600)
        var notices: [String] = []
        let ours = Contestant(
            name: "Rill", part: .ours, command: Invocation(words: [work, "receive", "\(address)", "\(frameCount)"]))
        var contestants = [ours]
        if let ffmpeg = Tool.path(of: "ffmpeg") {
            let session = folder.path("stream.sdp")
            try TextFile.write(Array(ReceiveBench.session(address).utf8), to: session)
            let words = [
                ffmpeg, "-nostdin", "-v", "error", "-nostats", "-progress", "pipe:1", "-protocol_whitelist",
                "file,udp,rtp",
                "-threads", "1", "-i", session, "-frames:v", "\(frameCount)", "-f", "null", "-",
            ]
            contestants.append(Contestant(name: "FFmpeg", part: .rival, command: Invocation(words: words)))
        } else {
            notices.append("FFmpeg is not installed (Debian: ffmpeg).")
        }
        if let gstreamer = Tool.path(of: "gst-launch-1.0") {
            let caps = "application/x-rtp,media=video,encoding-name=VP8,clock-rate=90000,payload=96"
            let words = [
                gstreamer, "--quiet", "udpsrc", "address=\(address.ip)", "port=\(address.port)", "caps=\(caps)",
                "buffer-size=\(4 << 20)", "!", "rtpjitterbuffer", "!", "rtpvp8depay", "!", "vp8dec", "threads=1", "!",
                "identity", "eos-after=\(frameCount)", "!", "fakesink", "sync=false",
            ]
            contestants.append(Contestant(name: "GStreamer", part: .rival, command: Invocation(words: words)))
        } else {
            notices.append(
                "GStreamer is not installed (Debian: gstreamer1.0-tools, gstreamer1.0-plugins-base, "
                    + "gstreamer1.0-plugins-good).")
        }
        contestants.append(ours.again)
        self.notices = notices
        heats = [Heat(title: "one decoder thread", measures: [.cpu, .memory], contestants: contestants)]
        explanation = [
            "\(frameCount) pictures of the clip, encoded once by Rill and sent at 30 a second, the same packets each time: "
                + "UDP, jitter buffer, VP8 decoder, pictures dropped. Each ends when it has as many pictures as were "
                + "sent; one that has lost a datagram waits in vain, is ended, and the turn is run again.",
            "Nothing is lost or late on the way, so the wall time is the clip's and says nothing.",
        ]
    }

    func run(_ command: Invocation, limit: Double) throws -> (turn: Turn, work: Work) {
        // Loopback loses nothing as long as who listens keeps up; on a busy machine it may not.
        for _ in 0..<2 {
            do { return try runOnce(command) } catch BenchError.overdue { continue }
        }
        return try runOnce(command)
    }

    private func runOnce(_ command: Invocation) throws -> (turn: Turn, work: Work) {
        let receiver = try folder.start(command)
        var sender: ChildProcess?
        let length = Double(frameCount) / Double(BenchClip.framesPerSecond)
        let turn = try receiver.wait(limit: length + 20) {
            guard sender == nil, ReceiveBench.somebodyListens(at: address.port) else { return }
            sender = try folder.start(
                Invocation(words: [work, "replay", packets, "\(address)"]), output: "sender")
        }
        _ = try sender?.wait(limit: 20)
        // GStreamer says nothing of them, and ends only when it has all.
        return (turn, Work(frames: PrintedFrames.count(in: turn.output) ?? frameCount))
    }

    private static func somebodyListens(at port: UInt16) -> Bool {
        let digits = String(port, radix: 16, uppercase: true)
        let entry = ":" + String(repeating: "0", count: 4 - digits.count) + digits + " 00000000:0000"
        return (try? TextFile.read("/proc/net/udp"))?.contains(entry) ?? true  // where nothing says so, it is hoped
    }

    /// A port that is free, the next one too. It could be taken until it is used, which would be found.
    private static func freeAddress() throws -> UDPAddress {
        for _ in 0..<100 {
            let port = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0)).localAddress.port & ~1
            // One that is taken is passed over.
            let pair = [port, port + 1].map { try? UDPSocket(boundTo: UDPAddress(.loopback, port: $0)) }
            if pair.allSatisfy({ $0 != nil }) { return UDPAddress(.loopback, port: port) }
        }
        throw CommandError("there are no two free ports side by side")
    }

    private static func session(_ address: UDPAddress) -> String {
        let video = MediaDescription(.video, port: address.port, formats: [.vp8(PayloadType(96))])
        return SessionDescription(connection: ConnectionAddress("\(address.ip)"), media: [video]).text
    }

    private static func copy(_ clip: String, to path: String, frames: Int) throws {
        let reader = try Y4MReader(path: clip, capacity: 2)
        let writer = try Y4MWriter(path: path, header: reader.header)
        for _ in 0..<frames {
            guard case .frame(let frame) = try reader.next() else { break }
            try writer.consume(frame)
        }
        try writer.finish()
    }
}
