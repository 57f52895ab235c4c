import Arguments
import RillForward
import RillTransport

/// A forwarder by itself, without HTTP: descriptions come and go as lines.
///
///     publish 0 OFFER    → answer 0 ANSWER
///     watch N OFFER      → answer N ANSWER
///     count 0            → what was forwarded, and key frames that arrived
struct ForwardWork {
    func run() throws {
        let server = try LiveForwarder(boundTo: UDPAddress(.loopback, port: 0), announcing: [.loopback])
        while let line = try SignalingLines.read() {
            switch line.verb {
            case "publish":
                SignalingLines.write(
                    "answer", line.number, try server.publish("x", offer: line.description).answer.text)
            case "watch":
                SignalingLines.write("answer", line.number, try server.watch("x", offer: line.description).answer.text)
            case "count":
                SignalingLines.write(
                    server.read { forwarder, now in Self.text(of: forwarder, at: now) }
                        + " sent=\(server.transportStatistics.sent)")
            default: throw WrongUse("no verb \(line.verb)")
            }
        }
        server.close()
    }

    private static func text(of forwarder: StreamForwarder, at now: MediaTime) -> String {
        let stream = forwarder.statistics(at: now).first
        let layers = stream?.layers ?? []
        return "frames=\(forwarder.counts.frames) left=\(forwarder.counts.framesLeftOut) "
            + "high=\(layers.first?.viewerCount ?? 0) keyframes=\(layers.map(\.keyFrames).max() ?? 0)"
    }
}
