public import RillCore
public import RillRTP

/// What a ``JitterBuffer`` is told of its stream, and how much memory and time it may take.
///
///     var settings = JitterBufferSettings(ssrc: SSRC(0xCAFE), payloadType: PayloadType(96))
///     settings.playoutDelay = .fixed(.milliseconds(60))
///     settings.packetCapacity = 256  // a thumbnail stream needs no more
public struct JitterBufferSettings: Sendable, Equatable {
    /// The source that the stream comes from; packets of any other are reported and left alone. `nil` takes the first
    /// packet's.
    public var ssrc: SSRC?
    /// The number that the session gave to the stream's format; packets with any other are reported and left alone.
    public var payloadType: PayloadType
    /// What the payload is. VP8 by default.
    public var codec: VideoCodec
    /// How frames of an own codec lie in packets; those of VP8 and VP9 lie as RFC 7741 and RFC 9628 say.
    public var payloadFormat = PayloadFormat.numbered
    /// The name that the received frames bear as their layer.
    public var rid: StreamLayer.RID
    /// How long frames are held back, to even out jitter and to wait for missing packets. As little as the network lets
    /// it by default.
    public var playoutDelay: PlayoutDelayBounds
    /// When missing packets are asked for again; `nil` for never, where nobody would send them.
    public var nack: NACKSettings?
    /// The time from here to the sender and back, as far as it is known: nothing is asked for a second time before the
    /// first one can have come. At least zero; 100 ms by default. It can be set again at run time
    /// (``JitterBuffer/roundTripTime``).
    public var roundTripTime: MediaDuration
    /// The numbers that the session agreed on for header extensions. Of their kinds the buffer reads
    /// ``RillRTP/HeaderExtensionKind/videoOrientation``.
    public var headerExtensions = HeaderExtensionMap()
    /// The most packets that can be held at once, 16 to 16384, rounded up to a power of two; 1024 by default, which is six
    /// seconds at 1.5 Mbit/s. Memory is taken for few, and for more as they are needed.
    public var packetCapacity: Int
    /// The longest packet that is taken, in bytes with all headers, 64 to 65535; 1500 by default, an Ethernet frame.
    public var maximumPacketByteCount: Int

    /// The most that ``packetCapacity`` can be: half the ring then still tells "ahead" from "behind" in 16 bits.
    public static let maximumPacketCapacity = 16384

    /// Settings for one stream; what is not given has its default.
    public init(
        ssrc: SSRC? = nil, payloadType: PayloadType, codec: VideoCodec = .vp8, rid: StreamLayer.RID = .high,
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

    /// Traps, with the number, on a setting outside its range: that is the programmer's mistake.
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
