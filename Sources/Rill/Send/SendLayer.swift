import RillCodec
import RillCore
import RillRTP
import RillSend

/// One layer of a sending pipeline: its encoder, and the RTP stream that it goes out on.
///
/// Two threads share it in the live driver: the layer's own, which encodes and sends, and the network's, which brings
/// feedback. Encoding takes long, so the stream has a lock of its own.
final class SendLayer: Sendable {
    let settings: LayerSettings
    private let encoder: Monitor<LayerEncoder>
    private let stream: Monitor<Stream>

    private struct Stream: ~Copyable {
        var rtp: RTPStreamSender
        var encoded = VPXEncoder.Statistics()
        var totalEncodeTime = MediaDuration.zero
        var report: [UInt8] = []
        var observer: ((EncodedFrame, RTPTimestamp) -> Void)?
    }
}
