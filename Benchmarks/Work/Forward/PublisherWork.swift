import Arguments
import Clips
import Rill
import RillPeer

/// A call that publishes a clip, forwards and backwards, until its input ends: the high layer, and with `--low 1` the
/// low one.
///
///     publisher --clip C --size WxH --bitrate B [--low 1]    prints an offer, and reads its answer
struct PublisherWork {
    private let clip: HeldClip
    private let layers: [LayerSettings]

    init(_ arguments: Arguments) throws {
        clip = try HeldClip(path: arguments["clip"], resolution: Resolution(notation: arguments["size"]))
        let high = LayerSettings.high(clip.resolution, bitrate: try Bitrate(notation: arguments["bitrate"]))
        layers = try arguments.number("low") == nil ? [high] : [high, .low]
    }

    func run() throws {
        let call = try VideoCall(VideoCallSettings(layers: layers), source: Pendulum(clip.frames))
        let port = try WebRTCPort(for: call, announcing: [.loopback])
        var settings = WebRTCSettings()
        settings.receives = false
        let peer = try port.offer(settings)
        SignalingLines.write("offer", 0, peer.localDescription)
        guard let answer = try SignalingLines.read() else { return }
        try peer.accept(answer.description)
        while try SignalingLines.read() != nil {}
        peer.close()
    }
}
