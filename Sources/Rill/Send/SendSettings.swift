public import RillBeauty
public import RillCodec
public import RillCore
public import RillRTP
public import RillSend

/// What a sending pipeline sends.
public struct SendSettings: Sendable {
    /// The streams, one to three.
    public var layers: [LayerSettings]
    /// What becomes of pictures that do not stand upright.
    public var orientation = SendOrientation.applied
    /// What is done to faces before the pictures are split into layers; ``SendPipeline/setBeauty(_:)`` changes it at run time.
    public var beauty = BeautyOptions.off
    /// What the beauty filter may cost a frame: beyond that it does less (``RillBeauty/BeautyDeadline``); `nil` for no
    /// limit. Its level is in ``SendPipeline/beautyStatistics``.
    public var beautyBudget: MediaDuration?
    /// What the filter is taken to cost, where no clock says it: in virtual time and offline.
    public var modelledBeautyCost: MediaDuration?
    /// The largest packet, in bytes, RTP header included; UDP and IP come on top.
    public var maximumPacketSize = 1200
    /// Where the random beginnings of RFC 3550 (SSRCs, sequence numbers, timestamps) come from. The same seed gives the
    /// same packets; an app takes a new one for each call: `UInt64.random(in: 0 ... .max)`.
    public var seed: UInt64
    /// The name of this participant in RTCP (RFC 3550 §6.5.1), the same for all its streams.
    public var canonicalName = "rill"
    /// The payload type that VP8 goes under.
    public var payloadType: PayloadType = PayloadType(96)
    /// The payload type that VP9 goes under.
    public var vp9PayloadType: PayloadType = PayloadType(98)
    /// The payload type that any other codec goes under.
    public var ownPayloadType: PayloadType = PayloadType(102)
    /// How frames of any other codec than VP8 and VP9 go into packets; the receiver has to be told the same
    /// (``RillReceive/JitterBufferSettings/payloadFormat``).
    public var payloadFormat = PayloadFormat.numbered
    /// How VP9 frames say which others they refer to: players that follow an early draft of the payload format know groups of pictures alone.
    package var vp9Mode = VP9Mode.flexible
    /// Makes the encoders of layers that libvpx is not to encode: of an own codec, or a hardware encoder of VP8. libvpx encodes
    /// those for which it gives `nil`.
    ///
    ///     settings.makeEncoder = { layer in layer.codec == .av1 ? try AV1Encoder(layer) : nil }
    public var makeEncoder: VideoEncoderFactory?
    /// When layers become smaller or slower because the machine or the bitrate does not suffice, and when they recover;
    /// `nil` for never. ``LiveSender`` and ``VirtualSender`` act on it; what is sent frame by frame, with
    /// ``SendPipeline/send(_:at:to:)``, stays as it is set.
    public var adaptation: AdaptationSettings? = AdaptationSettings()
    /// The numbers that the session agreed on for header extensions. Of their kinds
    /// ``RillRTP/HeaderExtensionKind/videoOrientation`` is written, with each key frame and where pictures do not stand
    /// upright.
    public var headerExtensions = HeaderExtensionMap()
    /// The payload type that lost packets go under when they are sent again, each layer's on a source of its own (RTX,
    /// RFC 4588); `nil` where none was agreed on: they are then sent again as they were.
    public var retransmissionPayloadType: PayloadType? = PayloadType(97)
    /// How each layer's packets are protected (ULPFEC, RFC 5109); `nil` for not at all.
    public var protection: FECSettings?

    /// Streams for `layers`, with all their random beginnings drawn from `seed`; the rest is at its defaults.
    public init(layers: [LayerSettings], seed: UInt64) {
        self.layers = layers
        self.seed = seed
    }

    /// The layer with the most pixels, the first of several.
    var indexOfLargestLayer: Int {
        layers.indices.max { layers[$0].resolution.pixelCount < layers[$1].resolution.pixelCount } ?? 0
    }

    /// The payload type that frames of a codec go under.
    public func payloadType(for codec: VideoCodec) -> PayloadType {
        switch codec {
        case .vp8: payloadType
        case .vp9: vp9PayloadType
        default: ownPayloadType
        }
    }

    /// The stream of `layer`, with numbers of its own drawn from `random`.
    package func stream(
        of layer: LayerSettings, using random: inout some RandomNumberGenerator
    ) -> RTPStreamSettings {
        var stream = RTPStreamSettings(
            payloadType: payloadType(for: layer.codec), canonicalName: canonicalName, using: &random)
        stream.temporalLayerCount = layer.encoder.temporalPattern.layerCount
        stream.maximumPacketByteCount = maximumPacketSize
        stream.headerExtensions = headerExtensions
        stream.payloadFormat = payloadFormat
        stream.vp9Mode = vp9Mode
        stream.protection = protection
        if let retransmissionPayloadType {
            stream.retransmission = RetransmissionSettings(payloadType: retransmissionPayloadType, using: &random)
        }
        return stream
    }
}
