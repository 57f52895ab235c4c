import Rill
public import RillCodec
public import RillCore
public import RillLink
import RillRTP
public import RillReceive
import RillSend
import RillSession

/// A call to simulate: what is sent, over which network, and how it is received.
public struct CallSettings: Sendable {
    /// The streams, one to three.
    public var layers: [LayerSettings]
    /// The network there.
    public var network: LinkSettings
    /// The network of the way back; `nil`, the default, for the same settings as there. In either case it has chance of its
    /// own, also with the same seed.
    public var returnNetwork: LinkSettings?
    /// How long a decoder takes for a frame.
    public var decodeTime = MediaDuration.zero
    /// Whether what the receiver says does not reach the sender: nothing is sent again, no key frame is made.
    public var isOpenLoop = false
    /// How the streams are received; source, payload type, codec and name are filled in.
    public var jitterBuffer = JitterBufferSettings(payloadType: PayloadType(96))

    /// A call of `layers` over `network`; the rest is at its defaults.
    public init(layers: [LayerSettings], network: LinkSettings) {
        self.layers = layers
        self.network = network
    }

    /// The network of the way back, with its own chance.
    var wayBack: LinkSettings { (returnNetwork ?? network).forWayBack }

    /// How the layers are sent.
    var send: SendSettings {
        var send = SendSettings(layers: layers, seed: network.seed)
        // What a layer sends must hang on nothing but the network.
        send.adaptation = nil
        return send
    }

    /// How an end, 0 or 1, takes part in the call. Who has nothing to say before anything was sent or received says nothing.
    func session(_ end: UInt64) -> RTPSessionSettings {
        var session = RTPSessionSettings(seed: network.seed ^ (end + 1) << 32)
        session.announcesItself = false
        return session
    }

    /// How a layer's stream is received.
    func receive(_ stream: RTPStreamSettings, of layer: LayerSettings) throws(StreamDescriptionError) -> ReceiveSettings
    {
        var description = StreamDescription(of: stream, codec: layer.codec)
        description.rid = layer.rid.description
        // The receiver's own source number: any that differs from those of the streams.
        var receive = ReceiveSettings(jitterBuffer: jitterBuffer, ssrc: SSRC(stream.ssrc.rawValue ^ 0x8000_0000))
        try receive.stream.apply(description)
        if isOpenLoop { receive.jitterBuffer.nack = nil }
        return receive
    }
}
