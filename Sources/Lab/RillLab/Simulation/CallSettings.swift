import Rill
public import RillCodec
public import RillCore
public import RillLink
import RillRTP
public import RillReceive
public import RillSend
public import RillSession

/// The settings of a call to simulate: what is sent, over which network, and how it is received.
public struct CallSettings: Sendable {
    /// The layers, one to three.
    public var layers: [LayerSettings]
    /// The network of the forward path.
    public var network: LinkSettings
    /// The network of the return path; `nil`, the default, for the same settings as the forward path. Its random
    /// sequence always differs, even with the same seed.
    public var returnNetwork: LinkSettings?
    /// The time that an encoder takes per frame, if there are encoders.
    public var encodeTime = MediaDuration.zero
    /// How the bitrate follows the network, if there are encoders; `nil` for not at all.
    public var congestion: CongestionSettings?
    /// The time that a decoder takes per frame.
    public var decodeTime = MediaDuration.zero
    /// Whether the receiver's feedback does not reach the sender: nothing is retransmitted, and no key frame is
    /// encoded on request.
    public var isOpenLoop = false
    /// How each layer's packets are protected (ULPFEC); `nil`, the default, for no FEC.
    public var fec: FECSettings?
    /// How the streams are received; SSRC, payload type, codec and name are filled in.
    public var jitterBuffer = JitterBufferSettings(payloadType: PayloadType(96))

    /// Creates settings for a call of `layers` over `network`, with everything else at its default.
    public init(layers: [LayerSettings], network: LinkSettings) {
        self.layers = layers
        self.network = network
    }

    /// The network of the return path, with its own random sequence.
    var returnPath: LinkSettings { (returnNetwork ?? network).forReturnPath }

    /// How the layers are sent.
    var send: SendSettings {
        var send = SendSettings(layers: layers, seed: network.seed)
        // What a layer sends must depend only on the network.
        send.adaptation = congestion == nil ? nil : AdaptationSettings()
        send.congestion = congestion
        send.addTransportNumbers()
        send.fec = fec
        return send
    }

    /// The session settings of one end, 0 or 1. An end sends no report before anything was sent or received.
    func session(_ end: UInt64) -> RTPSessionSettings {
        var session = RTPSessionSettings(seed: network.seed ^ (end + 1) << 32)
        session.announcesItself = false
        session.congestion = end == 0 ? congestion : nil
        return session
    }

    /// Returns how a layer's stream is received.
    func receive(_ stream: RTPStreamSettings, of layer: LayerSettings) throws(StreamDescriptionError) -> ReceiveSettings
    {
        var description = StreamDescription(of: stream, codec: layer.codec)
        description.rid = layer.rid.description
        if let kind = congestion?.feedback { description.allow(kind) }
        // The receiver's own SSRC: any that differs from those of the streams.
        var receive = ReceiveSettings(jitterBuffer: jitterBuffer, ssrc: SSRC(stream.ssrc.rawValue ^ 0x8000_0000))
        try receive.stream.apply(description)
        if isOpenLoop { receive.jitterBuffer.nack = nil }
        return receive
    }
}
