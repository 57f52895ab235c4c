public import RillCore
public import RillRTP

/// The stream parameters of a ``JitterBuffer``, and its limits of memory and time.
///
/// ```swift
/// var settings = JitterBufferSettings(ssrc: SSRC(0xCAFE), payloadType: PayloadType(96))
/// settings.playoutDelay = .fixed(.milliseconds(60))
/// settings.packetCapacity = 256  // a thumbnail stream needs no more
/// ```
public struct JitterBufferSettings: Sendable, Equatable {
    /// The SSRC of the stream; packets of any other are reported and ignored. `nil` takes the first packet's.
    public var ssrc: SSRC?
    /// The negotiated payload type of the stream's format; packets with any other are reported and ignored.
    public var payloadType: PayloadType
    /// The codec of the payload.
    public var codec: VideoCodec
    /// The codecs of the stream's other formats, by payload type: the sender may go over to one at any time. The buffer
    /// exchanges ``payloadType`` and ``codec`` with it then.
    public var alternatives: [PayloadType: VideoCodec] = [:]
    /// The payload format of a custom codec.
    public var payloadFormat = PayloadFormat.numbered
    /// The rate of the RTP timestamps; 90 kHz by default.
    public var clockRate = ClockRate.video
    /// The layer name of the received frames.
    public var rid: StreamLayer.RID
    /// How long frames are held back, to even out jitter and to wait for missing packets. As short as the network
    /// allows by default.
    public var playoutDelay: PlayoutDelayBounds
    /// When missing packets are NACKed; `nil` for never, if the sender does not retransmit.
    public var nack: NACKSettings?
    /// The round-trip time to the sender, as far as known: nothing is requested again before the first answer can
    /// have arrived. At least zero; 100 ms by default. It can be changed at run time
    /// (``JitterBuffer/roundTripTime``).
    public var roundTripTime: MediaDuration
    /// Whether frames may be encrypted, so that nothing of them is read but what is in the clear for all: a
    /// forwarder's. VP9's payload is not read at all, VP8's up to the end of a key frame's header.
    package var isOpaque = false
    /// The negotiated header extension IDs. The buffer reads ``RillRTP/HeaderExtensionKind/videoOrientation``.
    public var headerExtensions = HeaderExtensionMap()
    /// The most packets that can be held at once, 16 to 16384, rounded up to a power of two; 1024 by default, which
    /// is six seconds at 1.5 Mbit/s. Memory starts small and grows as needed.
    public var packetCapacity: Int
    /// The longest packet that is accepted, in bytes including all headers, 64 to 65535; 1500 by default, an Ethernet
    /// frame.
    public var maximumPacketByteCount: Int

    /// The upper bound of ``packetCapacity``: half the ring then still distinguishes "ahead" from "behind" in 16
    /// bits.
    public static let maximumPacketCapacity = 16384

    /// Creates settings for one stream; each parameter sets the property of the same name, or keeps its default.
    public init(
        ssrc: SSRC? = nil, payloadType: PayloadType, codec: VideoCodec = .default, rid: StreamLayer.RID = .high,
        playoutDelay: PlayoutDelayBounds = .adaptive, nack: NACKSettings? = NACKSettings(),
        roundTripTime: MediaDuration = .milliseconds(100), packetCapacity: Int = 1024,
        maximumPacketByteCount: Int = 1500
    ) {
        self.ssrc = ssrc
        self.payloadType = payloadType
        self.codec = codec
        self.rid = rid
        self.playoutDelay = playoutDelay
        self.nack = nack
        self.roundTripTime = roundTripTime
        self.packetCapacity = packetCapacity
        self.maximumPacketByteCount = maximumPacketByteCount
    }

    /// Traps, with the value, on a setting outside its range.
    func validate() {
        playoutDelay.validate()
        nack?.validate()
        precondition(roundTripTime >= .zero, "a round trip time is not negative: \(roundTripTime)")
        precondition(
            (16...JitterBufferSettings.maximumPacketCapacity).contains(packetCapacity),
            "a jitter buffer holds 16 to 16384 packets, not \(packetCapacity)")
        precondition(
            (64...65535).contains(maximumPacketByteCount),
            "the longest packet has 64 to 65535 bytes, not \(maximumPacketByteCount)")
    }
}
