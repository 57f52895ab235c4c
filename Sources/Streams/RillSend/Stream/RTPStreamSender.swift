public import RillCore
public import RillRTP

/// The sender of one RTP stream: one SSRC, one simulcast layer.
///
/// Pass it encoded frames with ``send(_:payload:at:to:)`` and received RTCP with ``receive(_:at:_:)``. Call
/// ``poll(at:)`` to learn when to write a report.
///
/// ```swift
/// var sender = try RTPStreamSender(settings)
/// _ = sender.send(frame, payload: bytes, at: now, to: link)
/// sender.receive(datagram, at: now) { feedback in
///     if feedback == .keyFrameRequested { encoder.requestKeyFrame() }
/// }
/// if case .reportDue = sender.poll(at: now) {
///     let report = [UInt8](capacity: sender.reportByteCount) { sender.writeReport(at: now, into: &$0) }
///     link.send(report.span, at: now)
/// }
/// ```
///
/// It numbers packets and pictures, and keeps sent packets to retransmit those that a receiver misses, on a
/// retransmission stream (RTX) if negotiated. It protects frames by FEC packets (RED and ULPFEC) if negotiated,
/// combines repeated key frame requests, and writes sender reports. It has no thread, reads no clock and opens no
/// socket: `now` is the pipeline's clock and must not go back.
///
/// A value with one owner. Sending allocates nothing: a packet is written once, into the history, and passed on from
/// there. The history takes most of the memory: what was sent in the last two seconds, and at most `historyCapacity`
/// times `maximumPacketByteCount`.
public struct RTPStreamSender: ~Copyable, Sendable {
    /// The settings that it was created with, or that were negotiated since.
    public private(set) var settings: RTPStreamSettings
    /// Statistics since the start.
    public internal(set) var statistics = RTPStreamStatistics()

    let canonicalName: [UInt8]
    var history: PacketHistory
    var outlet: PacketOutput
    /// The sequence number of the oldest packet that may be retransmitted, extended (RFC 3550 §6.4.1).
    var firstExtendedNumber: UInt32
    /// The retransmission stream that goes on if retransmission is negotiated again.
    private var formerRetransmission: RetransmissionSettings?
    var protector: FECProtector?
    /// What repair adds to a packet.
    private var repairOverhead = RepairOverhead()
    private var numbering: FrameNumbering
    var extensions: StreamExtensions
    var clock: MediaClock
    var coalescer: KeyFrameRequestCoalescer
    var fullIntraRequests = FullIntraRequestFilter()
    var receiverClocks = ReceiverClocks()
    var budget: RetransmissionBudget
    /// Recent round-trip times.
    var roundTrips = RoundTripWindow()
    /// The number of packets, from the first on, that are not retransmitted any more.
    var abandonedCount = 0
    /// The time when the last frame was sent.
    var lastSend = MediaTime.zero
    /// The time when the next report is due; `distantFuture` before the first frame and after a long silence.
    var nextReport = MediaTime.distantFuture
    /// The time when the last report was written.
    var lastReport = MediaTime.zero

    /// A stream that has not sent anything yet.
    ///
    /// - Throws: `settingOutOfRange`. Traps if SSRCs or payload types in the settings are not distinct.
    public init(_ settings: RTPStreamSettings) throws(SendError) {
        try settings.validate()
        self.settings = settings
        canonicalName = Array(settings.canonicalName.utf8)
        history = PacketHistory(
            capacity: settings.historyCapacity, slotByteCount: settings.maximumPacketByteCount,
            firstSequenceNumber: settings.firstSequenceNumber)
        outlet = PacketOutput(settings)
        firstExtendedNumber = UInt32(settings.firstSequenceNumber.rawValue)
        protector = settings.fec.map {
            FECProtector($0, maximumPacketByteCount: settings.maximumPacketByteCount)
        }
        repairOverhead = RepairOverhead(usesRTX: settings.retransmission != nil)
        budget = RetransmissionBudget(
            share: settings.retransmissionShare, maximumPacketByteCount: settings.maximumPacketByteCount)
        numbering = FrameNumbering(settings.numbering)
        extensions = StreamExtensions(settings)
        clock = MediaClock(
            timestampOffset: settings.timestampOffset, rate: settings.clockRate,
            wallClockAtZero: settings.wallClockAtZero)
        coalescer = KeyFrameRequestCoalescer(window: settings.keyFrameRequestWindow)
        if let fec = settings.fec { setFECPercentage(fec.percentage) }
    }

    /// Sends with other payload types, header extensions and repair from the next frame on, as they were negotiated
    /// again.
    ///
    /// SSRCs, sequence numbers, picture IDs, clock and statistics go on: one SSRC must not use a number twice with a
    /// key (RFC 3711 §9.1). Packets of before are not retransmitted, because their payload types mean something else
    /// now. The next frame must be a key frame.
    ///
    /// - Parameter agreed: the negotiated settings. Their counters, sizes and SSRCs do not count, but for the SSRC of
    ///   retransmissions if there were none before.
    /// - Throws: `settingOutOfRange`; then nothing has changed. Traps if payload types are not distinct.
    package mutating func change(_ agreed: RTPStreamSettings) throws(SendError) {
        var next = settings
        (next.payloadType, next.payloadTypes) = (agreed.payloadType, agreed.payloadTypes)
        (next.mid, next.rid, next.headerExtensions) = (agreed.mid, agreed.rid, agreed.headerExtensions)
        (next.retransmission, next.fec) = (agreed.retransmission, agreed.fec)
        if settings.retransmission != nil { formerRetransmission = outlet.nextRetransmission }
        if let former = formerRetransmission, let type = agreed.retransmission?.payloadType {
            next.retransmission = RetransmissionSettings(
                ssrc: former.ssrc, payloadType: type, firstSequenceNumber: former.firstSequenceNumber)
            next.retransmission?.payloadTypes = agreed.retransmission?.payloadTypes ?? [:]
        }
        next.firstSequenceNumber = history.nextSequenceNumber
        try next.validate()
        let isProtected = settings.fec != nil
        firstExtendedNumber = extendedHighestSequenceNumber &+ 1
        settings = next
        history = PacketHistory(
            capacity: next.historyCapacity, slotByteCount: next.maximumPacketByteCount,
            firstSequenceNumber: next.firstSequenceNumber)
        abandonedCount = 0
        outlet = PacketOutput(next)
        protector = next.fec.map { FECProtector($0, maximumPacketByteCount: next.maximumPacketByteCount) }
        extensions = StreamExtensions(next)
        repairOverhead = RepairOverhead(usesRTX: next.retransmission != nil)
        if let fec = next.fec { setFECPercentage(isProtected ? fecPercentage : fec.percentage) }
    }

    /// Sends an encoded frame as RTP packets, all at once.
    ///
    /// The RTP timestamp is the frame's capture time in ticks of the stream's clock, plus the stream's offset. All
    /// packets of the frame have it, and the last one has the marker bit.
    ///
    /// - Parameters:
    ///   - frame: the properties of the frame. All frames of a stream must have the same codec, or those of
    ///     ``RTPStreamSettings/payloadTypes``.
    ///   - payload: the encoded bytes, at least one.
    ///   - now: the time, which is passed to the sink and stored in the history.
    ///   - sink: receives each packet, in order. It must not call this sender.
    /// - Returns: the timestamp and sequence numbers of the frame, including those of its FEC packets.
    @discardableResult
    public mutating func send(
        _ frame: EncodedFrame, payload: Span<UInt8>, at now: MediaTime, to sink: some PacketSink
    ) -> SentFrame {
        precondition(!payload.isEmpty, "frame \(frame.number) has no bytes")
        extensions.prepare(for: frame)
        let header = RTPHeader(
            marker: false, payloadType: settings.payloadType(of: frame.codec),
            sequenceNumber: history.nextSequenceNumber,
            timestamp: clock.timestamp(ofCapture: frame.captureTime), ssrc: settings.ssrc)
        let packetCount = send(frame, payload, header, at: now, to: sink)
        statistics.framesSent += 1
        if frame.isKey { statistics.keyFramesSent += 1 }
        clock.note(captureTime: frame.captureTime, captured: frame.timestamps[.captured])
        lastSend = now
        if nextReport == .distantFuture { nextReport = now }
        return SentFrame(
            timestamp: header.timestamp, firstSequenceNumber: header.sequenceNumber, packetCount: packetCount)
    }

    /// Sends a payload of audio as one RTP packet.
    ///
    /// - Parameters:
    ///   - payload: the encoded bytes, at least one, and no more than fit into a packet. Others trap.
    ///   - stamp: its times and level.
    ///   - now: the time, which is passed to the sink and stored in the history.
    ///   - sink: receives the packet. It must not call this sender.
    /// - Returns: the packet's sequence number.
    @discardableResult
    public mutating func send(
        _ payload: Span<UInt8>, _ stamp: PayloadStamp, at now: MediaTime, to sink: some PacketSink
    ) -> SequenceNumber {
        precondition(!payload.isEmpty, "a payload has no bytes")
        clock.note(captureTime: stamp.captureTime, captured: stamp.captured)
        extensions.setLevel(stamp.level)
        let header = RTPHeader(
            marker: stamp.isMarked, payloadType: settings.payloadType, sequenceNumber: history.nextSequenceNumber,
            timestamp: clock.timestamp(ofCapture: stamp.captureTime), ssrc: settings.ssrc)
        let block = extensions.common
        let byteCount = header.byteCount + block.count + payload.count
        precondition(
            byteCount <= settings.maximumPacketByteCount,
            "a packet of \(byteCount) bytes: at most \(settings.maximumPacketByteCount)")
        history.append(at: now) { output in
            header.write(into: &output, hasExtension: !block.isEmpty)
            output.append(copying: block.span)
            output.append(copying: payload)
        }
        outlet.sendNewest(of: history, at: now, to: sink, counting: &statistics)
        budget.noteSent(byteCount, at: now)
        lastSend = now
        if nextReport == .distantFuture { nextReport = now }
        return header.sequenceNumber
    }

    private mutating func send(
        _ frame: EncodedFrame, _ payload: Span<UInt8>, _ header: RTPHeader, at now: MediaTime, to sink: some PacketSink
    ) -> Int {
        let (common, final) = (extensions.common, extensions.last)
        let packetizer = numbering.packetizer(
            for: frame, byteCount: payload.count, header,
            FrameNumbering.Sizes(
                maximumPacket: settings.maximumPacketByteCount, headerExtension: extensions.byteCount,
                reserved: reservedByteCount))
        let last = packetizer.packetCount - 1
        return sendPackets(packetizer.packetCount, header, at: now, to: sink) { index, taken, output in
            packetizer.writePacket(
                index, of: payload, sequenceNumberOffset: taken,
                headerExtension: RTPHeaderExtension(written: index == last ? final.span : common.span), into: &output)
        }
    }

    /// The number of FEC packets of the next frames, in percent of their packets; zero without
    /// ``RTPStreamSettings/fec``.
    public private(set) var fecPercentage = Percentage.zero

    /// Changes the number of FEC packets from the next frame on. Without ``RTPStreamSettings/fec`` nothing happens.
    ///
    /// - Parameter percentage: the number in percent of a frame's packets, rounded up; zero for none.
    public mutating func setFECPercentage(_ percentage: Percentage) {
        guard settings.fec != nil else { return }
        fecPercentage = percentage
        repairOverhead = RepairOverhead(
            usesRTX: settings.retransmission != nil, usesRED: true, usesULPFEC: percentage > .zero)
    }

    /// The shortest of the last eight round trips that reports showed; `nil` before the first.
    package var recentRoundTripTime: MediaDuration? { roundTrips.smallest }

    /// The bytes to leave free in each packet: for repair overhead, and for an FEC packet's own header extension.
    private var reservedByteCount: Int {
        repairOverhead.byteCount + (repairOverhead.usesULPFEC ? extensions.common.count : 0)
    }

    /// The offset of the transport-wide sequence number in each packet, which is zero when the packet leaves here
    /// (draft-holmer-rmcat-transport-wide-cc-extensions-01 §2); `nil` if packets do not carry one.
    package var transportNumberOffset: Int? { extensions.transportNumberOffset }

    /// Returns what a session needs before a frame: whether the stream was silent, and the offset of the
    /// transport-wide sequence number in its packets. Mutating, so that no part of this value is copied.
    package mutating func prepareFrame(at now: MediaTime) -> (wasSilent: Bool, transportNumberOffset: Int?) {
        (isSilent(at: now), extensions.transportNumberOffset)
    }

    /// Omits MID and RID from packets from now on, because the other side knows this stream's SSRC.
    package mutating func omitIdentifiers() { extensions.omitIdentifiers() }

    /// Sends the packets of a frame, and the FEC packets after each group of them.
    ///
    /// - Returns: the number of packets of both kinds.
    private mutating func sendPackets(
        _ count: Int, _ header: RTPHeader, at now: MediaTime, to sink: some PacketSink,
        _ write: (_ index: Int, _ sequenceNumberOffset: Int, inout OutputSpan<UInt8>) -> Void
    ) -> Int {
        let before = history.count
        for group in FECProtector.groups(packetCount: count) {
            let first = history.nextSequenceNumber
            for index in group {
                let taken = history.count - before - index
                history.append(at: now) { output in write(index, taken, &output) }
                outlet.sendNewest(of: history, at: now, to: sink, counting: &statistics)
                let byteCount = history.newest?.bytes.count ?? 0
                budget.noteSent(byteCount, at: now)
            }
            guard let fecPacketCount = protector?.fecPacketCount(of: group.count, fecPercentage) else { continue }
            for index in 0..<fecPacketCount {
                protector?.appendFECPacket(
                    index, of: fecPacketCount, for: FECProtector.Group(first: first, count: group.count),
                    timestamp: header.timestamp, ssrc: settings.ssrc, extensions.common, to: &history, at: now)
                statistics.fecPacketsSent += 1
                statistics.fecBytesSent += outlet.sendNewest(of: history, at: now, to: sink, counting: &statistics)
            }
        }
        return history.count - before
    }

    /// The most bytes of a payload of audio.
    package var maximumPayloadByteCount: Int {
        settings.maximumPacketByteCount - RTPHeader.fixedByteCount - extensions.common.count
    }

    /// Returns the packet with that sequence number, for retransmission; `nil` if it is no longer kept or was never
    /// sent.
    @_lifetime(borrow self)
    public func packet(_ number: SequenceNumber) -> SentPacket? {
        history.packet(number)
    }
}

/// The timestamp and sequence numbers of a sent frame.
public struct SentFrame: Equatable, Sendable {
    /// The timestamp of all packets of the frame.
    public let timestamp: RTPTimestamp
    /// The sequence number of the first packet.
    public let firstSequenceNumber: SequenceNumber
    /// The number of packets, including FEC packets.
    public let packetCount: Int
}
