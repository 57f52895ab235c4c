public import RillCore
public import RillRTP

/// The settings for sending one RTP stream: identifiers, sizes and times.
///
/// ```swift
/// var generator = SystemRandomNumberGenerator()
/// var settings = RTPStreamSettings(payloadType: PayloadType(96), canonicalName: "rill", using: &generator)
/// settings.historyCapacity = 256
/// let sender = try RTPStreamSender(settings)
/// ```
///
/// ``RTPStreamSender/init(_:)`` throws if a value is out of range.
public struct RTPStreamSettings: Sendable {
    /// The SSRC of the stream; each simulcast layer has its own.
    public var ssrc: SSRC
    /// Video, of which frames are sent, or audio, of which payloads are sent as the app makes them.
    public var kind = MediaDescription.Kind.video
    /// The negotiated payload type of the codec.
    public var payloadType: PayloadType
    /// The payload types by codec, if frames of several may be sent; a codec that is not among them has
    /// ``payloadType``. Each change of the codec begins with a key frame.
    public var payloadTypes: [VideoCodec: PayloadType] = [:]
    /// CNAME: the name that all streams of this endpoint share, 1 to 255 bytes of UTF-8 (RFC 7022 explains how to
    /// choose it).
    public var canonicalName: String

    /// MID: identifies the media section of the stream (RFC 9143). Packets carry it if it has a header extension ID.
    public var mid: StreamIdentifier?
    /// RID: identifies the stream within its section (RFC 8852). Packets carry it if it has a header extension ID.
    public var rid: StreamIdentifier?

    /// The maximum size of an RTP packet in bytes, headers included, 64 to 9000. UDP and IP headers are added to it.
    public var maximumPacketByteCount = 1200
    /// The sequence number of the first packet.
    public var firstSequenceNumber = SequenceNumber(0)
    /// The picture ID of the first frame, 0 to 32767 (15 bits).
    public var firstPictureID: UInt16 = 0
    /// TL0PICIDX of the first frame.
    public var firstTL0PictureIndex: UInt8 = 0
    /// The rate of the RTP timestamps; 90 kHz by default.
    public var clockRate = ClockRate.video
    /// The RTP timestamp at `MediaTime.zero` of the capture times.
    public var timestampOffset = RTPTimestamp(0)

    /// The negotiated IDs of header extensions. The stream writes MID, RID and
    /// ``/RillRTP/HeaderExtensionKind/videoOrientation``, and leaves space for
    /// ``/RillRTP/HeaderExtensionKind/transportSequenceNumber``, which a session fills in.
    public var headerExtensions = HeaderExtensionMap()

    /// The number of temporal layers, 1 to 4 (1 to 3 in non-flexible VP9 mode). With more than one, packets carry
    /// their layer: TID, Y and TL0PICIDX in VP8, TID and U in VP9.
    public var temporalLayerCount = 1
    /// The payload format of an app's own codec; VP8 and VP9 use RFC 7741 and RFC 9628.
    public var payloadFormat = PayloadFormat.numbered
    /// How frames signal their references, for a codec whose payload format has a choice (VP9).
    public var referenceSignaling = ReferenceSignaling.flexible
    /// The number of packets kept for retransmission, 1 to 32767; each takes `maximumPacketByteCount` bytes.
    ///
    /// 512 packets are 2.5 s at 2 Mbit/s and 600 kB of memory.
    public var historyCapacity = 512

    /// The stream for retransmissions; `nil` if none was negotiated: packets are then retransmitted unchanged.
    public var retransmission: RetransmissionSettings?
    /// The protection of packets by FEC; `nil` for none. It needs a history of at least 96 packets.
    public var fec: FECSettings?
    /// The round-trip time from which on requested packets are retransmitted twice: all of them, and then all of them
    /// again.
    ///
    /// Losing a packet a second time costs a round trip; a copy costs as many bytes as were lost. 90 ms by default.
    /// Copies are not sent if a queue causes the long round trip, and use at most half of the budget.
    public var longRoundTripTime = MediaDuration.milliseconds(90)
    /// The round-trip time to assume before the first report with one.
    public var assumedRoundTripTime = MediaDuration.milliseconds(100)
    /// The maximum share of the bytes sent in the last two seconds that may be retransmitted in them, regardless of
    /// requests.
    ///
    /// All of them by default, so that everything lost in an outage can be retransmitted once. The share is halved
    /// while round trips take twice as long as the minimum of the last minute: a queue has built up, and
    /// retransmissions lengthen it.
    public var retransmissionShare = Percentage.all

    /// The interval between sender reports, 10 ms to 1 hour.
    public var reportInterval = MediaDuration.seconds(1)
    /// The wall clock time at `MediaTime.zero` of the pipeline's clock.
    ///
    /// Sender reports advance it by the pipeline's clock, so that time runs evenly even if the wall clock is set.
    /// Receivers need it only to align streams from different machines; otherwise the default suffices.
    public var wallClockAtZero = NTPTimestamp.unixEpoch
    /// The time after an honored key frame request within which further requests count as the same.
    public var keyFrameRequestWindow = MediaDuration.milliseconds(200)

    /// Settings with all other values at their defaults: counters start at zero, which suits tests and recordings.
    public init(ssrc: SSRC, payloadType: PayloadType, canonicalName: String) {
        self.ssrc = ssrc
        self.payloadType = payloadType
        self.canonicalName = canonicalName
    }

    /// Settings with a random SSRC and random initial counters, as RFC 3550 §5.1 requires.
    ///
    /// The first sequence number has 15 bits, so that it first wraps after receivers know the stream (RFC 3711
    /// §3.3.1).
    public init(
        payloadType: PayloadType, canonicalName: String, using generator: inout some RandomNumberGenerator
    ) {
        self.init(
            ssrc: SSRC(.random(in: .min ... .max, using: &generator)), payloadType: payloadType,
            canonicalName: canonicalName)
        firstSequenceNumber = SequenceNumber(.random(in: 0...32767, using: &generator))
        firstPictureID = .random(in: 0...32767, using: &generator)
        firstTL0PictureIndex = .random(in: .min ... .max, using: &generator)
        timestampOffset = RTPTimestamp(.random(in: .min ... .max, using: &generator))
    }

    func validate() throws(SendError) {
        func require(_ setting: SendError.Setting, _ value: Int, in allowed: ClosedRange<Int>) throws(SendError) {
            guard allowed.contains(value) else {
                throw .settingOutOfRange(setting, value: value, allowed: allowed)
            }
        }
        checkRepair()
        try require(.maximumPacketByteCount, maximumPacketByteCount, in: 64...9000)
        try require(.firstPictureID, Int(firstPictureID), in: 0...32767)
        try require(.canonicalName, canonicalName.utf8.count, in: 1...255)
        try require(
            .historyCapacity, historyCapacity,
            in: (fec == nil ? 1 : FECProtector.minimumHistoryCapacity)...PacketHistory.maximumCapacity)
        try require(.temporalLayerCount, temporalLayerCount, in: 1...referenceSignaling.maximumLayerCount)
        try require(.reportInterval, Int(reportInterval.nanoseconds / 1_000_000), in: 10...3_600_000)
    }

    /// The payload type of a codec's frames.
    func payloadType(of codec: VideoCodec) -> PayloadType {
        payloadTypes.isEmpty ? payloadType : payloadTypes[codec] ?? payloadType
    }

    /// What the payload descriptors need of these settings.
    var numbering: FrameNumbering.Settings {
        var numbering = FrameNumbering.Settings()
        numbering.temporalLayerCount = temporalLayerCount
        (numbering.firstPictureID, numbering.firstTL0PictureIndex) = (firstPictureID, firstTL0PictureIndex)
        (numbering.referenceSignaling, numbering.payloadFormat) = (referenceSignaling, payloadFormat)
        return numbering
    }

    /// Traps unless SSRCs and payload types are distinct.
    private func checkRepair() {
        var types = [payloadType]
        if let retransmission {
            precondition(retransmission.ssrc != ssrc, "the retransmission stream needs its own SSRC, not \(ssrc)")
            types.append(retransmission.payloadType)
        }
        if let fec { types += [fec.payloadType, fec.redPayloadType] }
        precondition(Set(types).count == types.count, "each format needs its own payload type: \(types)")
    }
}
