import Rill
import RillMediaSupport
import RillPeer
import RillTestSupport

/// A call with two layers, or one that only watches, at a port for WebRTC peers.
final class WebRTCCallEnd: Sendable {
    static let high = Resolution(width: 320, height: 240)
    static let low = LayerSettings.low.resolution

    let call: VideoCall
    let port: WebRTCPort
    private let shown = Monitor(Shown())

    private struct Shown {
        var counts: [StreamLayer.RID: Int] = [:]
        var sizes: [Resolution] = []
        var last: [StreamLayer.RID: MediaTime] = [:]
        var stepsBack = 0

        mutating func note(_ frame: VideoFrame, _ layer: StreamLayer.RID) {
            counts[layer, default: 0] += 1
            if sizes.last != frame.resolution { sizes.append(frame.resolution) }
            if let before = last[layer], frame.captureTime <= before { stepsBack += 1 }
            last[layer] = frame.captureTime
        }
    }

    init(sends: Bool = true, at ip: IPAddress = .loopback) throws {
        let layers = [LayerSettings.high(WebRTCCallEnd.high, bitrate: .kilobits(300)), .low]
        let source = try LoopedPictures(WebRTCCallEnd.high, frameCount: 30 * 120)
        call = try VideoCall(VideoCallSettings(layers: layers), source: sends ? source : nil)
        port = try WebRTCPort(for: call, boundTo: UDPAddress(ip, port: 0), announcing: [ip])
    }

    func show(_ peer: WebRTCPeer) throws {
        let participant = try existing(peer.participant)
        for layer in participant.layers {
            try participant.show(layer, on: FrameTap { [shown] frame in shown.withLock { $0.note(frame, layer) } })
        }
    }

    var counts: [StreamLayer.RID: Int] { shown.withLock { $0.counts } }
    var sizes: [Resolution] { shown.withLock { $0.sizes } }
    var stepsBack: Int { shown.withLock { $0.stepsBack } }
}
