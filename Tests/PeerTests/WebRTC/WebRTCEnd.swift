import Glibc
import Rill
import RillPeer
import RillScenes
import RillTestSupport
import RillThreads

/// Our end of a call with a WebRTC peer, live: a portrait that is sent, and counts of what is shown.
final class WebRTCEnd {
    let call: VideoCall
    let port: WebRTCPort
    private let shown = Monitor<[StreamLayer.RID: Shown]>([:])
    /// The pictures of a layer that were shown.
    struct Shown {
        var count = 0
        /// When the first one was shown.
        var time: ContinuousClock.Instant
        var size: Resolution
    }

    /// - Parameters:
    ///   - codec: the codec of both layers.
    ///   - bitrate: the bitrate of the high layer.
    ///   - sends: whether there is a picture to send.
    ///   - congestion: how the call follows the network.
    ///   - encryption: the end-to-end encryption of the call.
    init(
        codec: VideoCodec = .vp8, bitrate: Bitrate = .kilobits(600), sends: Bool = true,
        congestion: CongestionSettings? = CongestionSettings(), encryption: FrameEncryption? = nil
    ) throws {
        let high = LayerSettings.high(.vga, bitrate: bitrate, codec: codec)
        let usual = LayerSettings.low
        let low = LayerSettings(
            rid: .low, resolution: usual.resolution, frameRate: usual.frameRate, bitrate: usual.bitrate,
            encoder: EncoderSettings(codec))
        var settings = VideoCallSettings(layers: [high, low])
        settings.send.congestion = congestion
        settings.encryption = encryption
        call = try VideoCall(
            settings, source: sends ? PortraitScene(resolution: .vga, frameRate: 30) : nil)
        port = try WebRTCPort(for: call)
    }

    /// Shows all layers of a peer.
    func show(_ peer: WebRTCPeer) throws {
        let participant = try existing(peer.participant)
        for layer in participant.layers { try show(layer, of: participant) }
    }

    /// Shows a layer of a peer.
    func show(_ layer: StreamLayer.RID, of participant: CallParticipant) throws {
        try participant.show(layer, on: Counter(layer, of: self))
    }

    /// The pictures that were shown.
    var pictures: [StreamLayer.RID: Shown] { shown.withLock { $0 } }

    private func note(_ frame: VideoFrame, of layer: StreamLayer.RID) {
        shown.withLock { shown in
            shown[layer, default: Shown(time: .now, size: frame.resolution)].count += 1
            shown[layer]?.size = frame.resolution
        }
    }

    private final class Counter: FrameSink, Sendable {
        private let layer: StreamLayer.RID
        private let note: @Sendable (VideoFrame) -> Void

        init(_ layer: StreamLayer.RID, of end: WebRTCEnd) {
            self.layer = layer
            // The end waits for its sinks.
            nonisolated(unsafe) let end = end
            note = { unsafe end.note($0, of: layer) }
        }

        func consume(_ frame: VideoFrame) { note(frame) }
        func finish() {}
    }
}

/// Waits for something, in this thread since those of the pool may be busy with other tests, and returns whether it
/// came.
func wait(_ seconds: Double, for isTrue: () throws -> Bool) throws -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
        if try isTrue() { return true }
        usleep(50_000)
    }
    return try isTrue()
}
