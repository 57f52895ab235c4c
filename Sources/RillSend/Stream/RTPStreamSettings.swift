public import RillCore
public import RillRTP

/// How one RTP stream is sent: its numbers, sizes and times.
///
///     var generator = SystemRandomNumberGenerator()
///     var settings = RTPStreamSettings(payloadType: PayloadType(96), canonicalName: "rill", using: &generator)
///     settings.historyCapacity = 256
///     let sender = try RTPStreamSender(settings)
///
/// What lies outside its range is found by ``RTPStreamSender/init(_:)``.
public struct RTPStreamSettings: Sendable {
    /// The source: one for each stream, also for each layer of a simulcast.
    public var ssrc: SSRC
    /// The number that the session agreed on for the codec.
    public var payloadType: PayloadType
    /// CNAME: the name that all streams of this endpoint share, 1 to 255 bytes of UTF-8 (RFC 7022 says how to choose it).
    public var canonicalName: String

    /// MID: the name of the media section that the stream belongs to (RFC 9143); written on packets where there is a number
    /// for it.
    public var mid: StreamIdentifier?
    /// RID: the name of the stream among those of its section (RFC 8852); written on packets where there is a number for it.
    public var rid: StreamIdentifier?

    /// The most bytes that an RTP packet may have, headers and all, 64 to 9000; UDP and IP come on top.
    public var maximumPacketByteCount = 1200
    /// The number of the first packet.
    public var firstSequenceNumber = SequenceNumber(0)
    /// The picture ID of the first frame, 0 to 32767 (15 bits).
    public var firstPictureID: UInt16 = 0
    /// TL0PICIDX of the first frame.
    public var firstTL0PictureIndex: UInt8 = 0
    /// What the media clock shows at `MediaTime.zero` of the capture times.
    public var timestampOffset = RTPTimestamp(0)

    /// The numbers that the session agreed on for header extensions. Of their kinds the stream writes MID and RID,
    /// ``RillRTP/HeaderExtensionKind/videoOrientation``, and room for
    /// ``RillRTP/HeaderExtensionKind/transportSequenceNumber``, which a session fills in.
    public var headerExtensions = HeaderExtensionMap()

    /// Temporal layers of the stream, 1 to 4. With more than one, packets say their layer: TID, Y and TL0PICIDX of VP8,
    /// TID and U of VP9.
    public var temporalLayerCount = 1
    /// How frames of an own codec go into packets; those of VP8 and VP9 go as RFC 7741 and RFC 9628 say.
    public var payloadFormat = PayloadFormat.numbered
    /// How VP9 frames say which others they refer to.
    public var vp9Mode = VP9Mode.flexible
    /// How many packets are kept for retransmission, 1 to 32767; each takes `maximumPacketByteCount` bytes.
    ///
    /// 512 packets are 2.5 s at 2 Mbit/s and 600 kB of memory.
    public var historyCapacity = 512

    /// The stream on which lost packets are sent again; `nil` where none was agreed on: they are then sent as they were.
    public var retransmission: RetransmissionSettings?
    /// How the packets are protected; `nil` for not at all. Needs a history of 96 packets.
    public var protection: FECSettings?
    /// From this round-trip time on, which reports tell, what a receiver asks for is sent twice: all of it, and all of it
    /// once more. A packet lost a second time costs a round trip; a copy costs as much as was lost. 90 ms by default. Not
    /// where the round trip has become long by a queue, and from half of the budget at the most.
    public var longRoundTripTime = MediaDuration.milliseconds(90)
    /// The round-trip time to go by before a report has told one.
    public var assumedRoundTripTime = MediaDuration.milliseconds(100)
    /// How large a share of what was sent in the last two seconds may be sent again in them, however much is asked for.
    ///
    /// All of it by default: what a blackout took may all come again once. Half as much while round trips take twice as long
    /// as they did within the last minute: a queue is there, and what is sent again makes it longer.
    public var retransmissionShare = Percentage.all

    /// The time from one sender report to the next, 10 ms to 1 hour.
    public var reportInterval = MediaDuration.seconds(1)
    /// The wall clock's time at `MediaTime.zero` of the pipeline's clock.
    ///
    /// Sender reports carry it forward by the pipeline's clock, so that time runs evenly even if the wall clock is set.
    /// Receivers need it only to align streams of different machines; the default suits those that do not.
    public var wallClockAtZero = NTPTimestamp.unixEpoch
    /// How long after a key-frame request that was honoured another one counts as the same.
    public var keyFrameRequestWindow = MediaDuration.milliseconds(200)

    /// Settings with every other value at its default: numbers begin at zero, which suits tests and recordings.
    public init(ssrc: SSRC, payloadType: PayloadType, canonicalName: String) {
        self.ssrc = ssrc
        self.payloadType = payloadType
        self.canonicalName = canonicalName
    }

    /// Settings with random source and first numbers, as RFC 3550 §5.1 asks of a session.
    ///
    /// The first sequence number has 15 bits, so that the first wrap comes after receivers know the stream (RFC 3711
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

    /// Bytes that each packet leaves free for what repair adds.
    var repairOverhead: RepairOverhead {
        RepairOverhead(
            usesRTX: retransmission != nil, usesRED: protection != nil,
            usesULPFEC: protection.map { $0.percentage > .zero } ?? false)
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
            in: (protection == nil ? 1 : FECProtector.minimumHistoryCapacity)...PacketHistory.maximumCapacity)
        try require(.temporalLayerCount, temporalLayerCount, in: 1...(vp9Mode == .flexible ? 4 : 3))
        try require(.reportInterval, Int(reportInterval.nanoseconds / 1_000_000), in: 10...3_600_000)
    }

    /// Traps where numbers that tell streams and formats apart do not: that is the programmer's mistake.
    private func checkRepair() {
        var types = [payloadType]
        if let retransmission {
            precondition(retransmission.ssrc != ssrc, "a retransmission stream has a source of its own, not \(ssrc)")
            types.append(retransmission.payloadType)
        }
        if let protection { types += [protection.payloadType, protection.redPayloadType] }
        precondition(Set(types).count == types.count, "each format has a payload type of its own: \(types)")
    }
}
