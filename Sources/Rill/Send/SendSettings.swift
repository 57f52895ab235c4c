public import RillCodec
import RillCore
public import RillRTP
public import RillSend

/// What a sending pipeline sends.
public struct SendSettings: Sendable {
    /// The streams, one to three.
    public var layers: [LayerSettings]
    /// What becomes of pictures that do not stand upright.
    public var orientation = SendOrientation.applied
    /// The largest packet, in bytes, RTP header included; UDP and IP come on top.
    public var maximumPacketSize = 1200
    /// Where the random beginnings of RFC 3550 (SSRCs, sequence numbers, timestamps) come from. The same seed gives the
    /// same packets; an app takes a new one for each call: `UInt64.random(in: 0 ... .max)`.
    public var seed: UInt64
    /// The name of this participant in RTCP (RFC 3550 §6.5.1), the same for all its streams.
    public var canonicalName = "rill"
    /// The payload type that VP8 goes under.
    public var payloadType: PayloadType = PayloadType(96)
    /// The numbers that the session agreed on for header extensions. Of their kinds
    /// ``RillRTP/HeaderExtensionKind/videoOrientation`` is written, with each key frame and where pictures do not stand
    /// upright.
    public var headerExtensions = HeaderExtensionMap()
    /// The payload type that lost packets go under when they are sent again, each layer's on a source of its own (RTX,
    /// RFC 4588); `nil` where none was agreed on: they are then sent again as they were.
    public var retransmissionPayloadType: PayloadType?
    /// How each layer's packets are protected (ULPFEC, RFC 5109); `nil` for not at all.
    public var protection: ProtectionSettings?

    /// Streams for `layers`, with all their random beginnings drawn from `seed`; the rest is at its defaults.
    public init(layers: [LayerSettings], seed: UInt64) {
        self.layers = layers
        self.seed = seed
    }

    /// One layer's stream, with numbers of its own drawn from `random`.
    func stream(using random: inout SeededGenerator) -> RTPStreamSettings {
        var stream = RTPStreamSettings(payloadType: payloadType, canonicalName: canonicalName, using: &random)
        stream.maximumPacketByteCount = maximumPacketSize
        stream.headerExtensions = headerExtensions
        stream.protection = protection
        if let retransmissionPayloadType {
            stream.retransmission = RetransmissionSettings(payloadType: retransmissionPayloadType, using: &random)
        }
        return stream
    }
}
