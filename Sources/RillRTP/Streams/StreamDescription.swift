/// What two sides agree on about one RTP stream: one layer of a simulcast, in one direction.
///
///     var stream = StreamDescription(PayloadType(96), RTPFormat.Encoding("VP8"))
///     stream.ssrc = SSRC(0xCAFE)
///     stream.repair.retransmission = .init(ssrc: SSRC(0xBEEF), payloadType: PayloadType(97))
///     stream.feedback = [.nack, .pictureLossIndication]
///     try stream.validate()
///
/// It is the one noun for both sides. A sender's settings (`RTPStreamSettings` of RillSend) and a receiver's
/// (`StreamReceiverSettings` of RillReceive) are made of it, the description of what is sent is made of the sender's
/// settings, and session descriptions are made of several and read into several:
/// ``SessionDescription/streams(_:of:codecs:)``, ``MediaDescription/init(sending:receiving:_:port:transport:)``.
///
/// Any values may stand in it, as another side may choose any: ``validate()`` finds those that contradict each other.
public struct StreamDescription: Equatable, Sendable {
    /// The number that the packets bear.
    public var payloadType: PayloadType
    /// The codec's name, and its clock: `VP8/90000`.
    public var encoding: RTPFormat.Encoding
    /// The codec's settings (a=fmtp), in their order.
    public var parameters: [RTPFormat.Parameter] = []

    /// The name of the media section that the stream belongs to (MID, RFC 9143): 1 to 16 bytes.
    public var mid: String?
    /// The name of the stream among those of one section (RID, RFC 8852): 1 to 16 letters, digits, `-` and `_`.
    public var rid: String?
    /// RIDs under which the stream may come instead, the preferred first (RFC 8853 §5.1): nothing is known of them beyond
    /// the name.
    public var alternativeRIDs: [String] = []
    /// The stream is agreed on and not sent for now: `~` of RFC 8853.
    public var isPaused = false
    /// The source of its packets; `nil` where nobody announced it: it is then known by MID and RID, or by its payload type.
    public var ssrc: SSRC?
    /// CNAME: the name that all streams of one endpoint share, 1 to 255 bytes (RFC 3550 §6.5.1).
    public var canonicalName: String?

    /// How lost packets are repaired.
    public var repair = RepairSettings()
    /// The numbers of the header extensions that packets may bear.
    public var headerExtensions = HeaderExtensionMap()
    /// The feedback that its receiver may give.
    public var feedback: Feedback = []
    /// RTCP may come without a report before it (a=rtcp-rsize, RFC 5506).
    public var usesReducedSizeRTCP = false
    /// What the stream's pictures keep to.
    public var limits = Limits()

    /// A stream of that payload type and codec; everything else is empty and can be set afterwards.
    public init(_ payloadType: PayloadType, _ encoding: RTPFormat.Encoding) {
        self.payloadType = payloadType
        self.encoding = encoding
    }

    /// Kinds of feedback (RFC 4585 §4.2, RFC 5104 §7.1).
    public struct Feedback: OptionSet, Hashable, Sendable {
        /// One bit for each kind.
        public var rawValue: UInt8
        /// The kinds whose bits are set.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Generic NACK.
        public static let nack = Feedback(rawValue: 1 << 0)
        /// PLI.
        public static let pictureLossIndication = Feedback(rawValue: 1 << 1)
        /// FIR.
        public static let fullIntraRequest = Feedback(rawValue: 1 << 2)
        /// REMB.
        public static let receiverEstimatedMaximumBitrate = Feedback(rawValue: 1 << 3)
        /// The arrival time of every packet.
        public static let transportWideCongestionControl = Feedback(rawValue: 1 << 4)
        /// PAUSE and RESUME of a stream (RFC 7728).
        public static let pause = Feedback(rawValue: 1 << 5)
    }

    /// What pictures keep to (RFC 8851 §5): each value `nil` for no limit.
    public struct Limits: Equatable, Sendable {
        /// max-width: pixels.
        public var width: Int?
        /// max-height: pixels.
        public var height: Int?
        /// max-fps: pictures a second.
        public var framesPerSecond: Double?
        /// max-fs: pixels of a picture.
        public var pixelsPerFrame: Int?
        /// max-pps: pixels a second.
        public var pixelsPerSecond: Int?
        /// max-br: bits a second, headers of RTP and below not counted.
        public var bitsPerSecond: Int?

        /// No limits.
        public init() {}
    }
}

extension StreamDescription {
    /// The payload types that its packets may bear.
    var payloadTypes: [PayloadType] {
        [payloadType, repair.redPayloadType, repair.fecPayloadType, repair.retransmission?.payloadType].compactMap(
            \.self)
    }

    /// The sources that its packets come from, as far as they are known: its own, and that of its retransmissions.
    public var sources: [SSRC] { [ssrc, repair.retransmission?.ssrc].compactMap(\.self) }
}
