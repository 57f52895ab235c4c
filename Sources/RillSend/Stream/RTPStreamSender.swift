public import RillCore
public import RillRTP

/// The sending side of one RTP stream: of one layer of a simulcast, under one SSRC.
///
/// Feed it coded frames, with ``send(_:payload:at:to:)``, and what comes back from the network, with
/// ``receive(_:at:_:)``; ask ``poll(at:)`` when it wants to be woken to write a report.
///
///     var sender = try RTPStreamSender(settings)
///     sender.send(frame, payload: bytes, at: now, to: link)
///     sender.receive(datagram, at: now) { feedback in
///         if feedback == .keyFrameRequested { encoder.requestKeyFrame() }
///     }
///     if case .reportDue = sender.poll(at: now) {
///         let report = [UInt8](capacity: sender.reportByteCount) { sender.writeReport(at: now, into: &$0) }
///         link.send(report.span, at: now)
///     }
///
/// It numbers packets and pictures, keeps what it sent and sends it again when it is missed, on a stream of its own where
/// one was agreed on (RTX), protects frames by FEC packets (RED and ULPFEC) where that was, tells each key-frame request from its copies,
/// and writes sender reports. It owns no thread, reads no clock and opens no socket: `now` is the pipeline's clock and
/// does not go back.
///
/// One owner. Sending allocates nothing: a packet is written once, into the history, and handed on from there. The
/// history is the memory it needs: `historyCapacity` times `maximumPacketByteCount`, taken at the start.
public struct RTPStreamSender: ~Copyable, Sendable {
    /// What it was made with.
    public let settings: RTPStreamSettings
    /// Counts since the start.
    public internal(set) var statistics = RTPStreamStatistics()

    let canonicalName: [UInt8]
    var history: PacketHistory
    var outlet: PacketOutlet
    var protector: FECProtector?
    var vp8: VP8FrameNumbering
    var vp9: VP9FrameNumbering
    var own: PayloadNumbering
    var extensions: StreamExtensions
    var clock: MediaClock
    var coalescer: KeyFrameRequestCoalescer
    var fullIntraRequests = FullIntraRequestFilter()
    var receiverClocks = ReceiverClocks()
    var budget: RetransmissionBudget
    /// The newest round-trip times, for the smallest of them.
    var roundTrips = RoundTripWindow()
    /// When a frame was last sent.
    var lastSend = MediaTime.zero
    /// When the next report is due; never, before the first frame and after a long silence.
    var nextReport = MediaTime.distantFuture
    /// When the last one was written.
    var lastReport = MediaTime.zero

    /// A stream that has sent nothing yet.
    ///
    /// - Throws: `settingOutOfRange`.
    public init(_ settings: RTPStreamSettings) throws(SendError) {
        try settings.validate()
        self.settings = settings
        canonicalName = Array(settings.canonicalName.utf8)
        history = PacketHistory(
            capacity: settings.historyCapacity, slotByteCount: settings.maximumPacketByteCount,
            firstSequenceNumber: settings.firstSequenceNumber)
        outlet = PacketOutlet(settings)
        protector = settings.protection.map {
            FECProtector($0, maximumPacketByteCount: settings.maximumPacketByteCount)
        }
        budget = RetransmissionBudget(
            share: settings.retransmissionShare, maximumPacketByteCount: settings.maximumPacketByteCount)
        vp8 = VP8FrameNumbering(settings)
        vp9 = VP9FrameNumbering(settings)
        own = PayloadNumbering(settings)
        extensions = StreamExtensions(settings)
        clock = MediaClock(
            timestampOffset: settings.timestampOffset, wallClockAtZero: settings.wallClockAtZero)
        coalescer = KeyFrameRequestCoalescer(window: settings.keyFrameRequestWindow)
    }

    /// Sends a coded frame as RTP packets, all at once.
    ///
    /// The RTP timestamp is the frame's capture time in ticks of 90 kHz, by the stream's offset; all packets of the frame
    /// bear it, and the last one bears the marker.
    ///
    /// - Parameters:
    ///   - frame: what the encoder says of it. All frames of a stream are of one codec.
    ///   - payload: the coded bytes, at least one.
    ///   - now: the time, which goes on to the sink and into the history.
    ///   - sink: gets each packet, in order. It must not call back into this sender.
    /// - Returns: the numbers that the frame was sent under, its FEC packets' included.
    @discardableResult
    public mutating func send(
        _ frame: EncodedFrame, payload: Span<UInt8>, at now: MediaTime, to sink: some PacketSink
    ) -> SentFrame {
        precondition(!payload.isEmpty, "frame \(frame.number) has no bytes")
        extensions.prepare(for: frame)
        let header = RTPHeader(
            marker: false, payloadType: settings.payloadType, sequenceNumber: history.nextSequenceNumber,
            timestamp: clock.timestamp(ofCapture: frame.captureTime), ssrc: settings.ssrc)
        let packetCount =
            switch frame.codec {
            case .vp8: sendVP8(frame, payload, header, at: now, to: sink)
            case .vp9: sendVP9(frame, payload, header, at: now, to: sink)
            default: sendOwn(frame, payload, header, at: now, to: sink)
            }
        statistics.framesSent += 1
        if frame.isKey { statistics.keyFramesSent += 1 }
        clock.note(frame)
        lastSend = now
        if nextReport == .distantFuture { nextReport = now }
        return SentFrame(
            timestamp: header.timestamp, firstSequenceNumber: header.sequenceNumber, packetCount: packetCount)
    }

    private mutating func sendVP8(
        _ frame: EncodedFrame, _ payload: Span<UInt8>, _ header: RTPHeader, at now: MediaTime, to sink: some PacketSink
    ) -> Int {
        let (common, final) = (extensions.common, extensions.last)
        let packetizer = VP8Packetizer(
            frameByteCount: payload.count, header: header, descriptor: vp8.descriptor(for: frame),
            maximumPacketByteCount: settings.maximumPacketByteCount, headerExtensionByteCount: extensions.byteCount,
            reservedByteCount: reservedByteCount)
        let last = packetizer.packetCount - 1
        return sendPackets(packetizer.packetCount, header, at: now, to: sink) { index, taken, output in
            packetizer.writePacket(
                index, of: payload, numbersTaken: taken,
                headerExtension: RTPHeaderExtension(written: index == last ? final.span : common.span), into: &output)
        }
    }

    private mutating func sendVP9(
        _ frame: EncodedFrame, _ payload: Span<UInt8>, _ header: RTPHeader, at now: MediaTime, to sink: some PacketSink
    ) -> Int {
        let descriptor = vp9.descriptor(for: frame)
        let structure = vp9.structure(for: frame)
        let (common, final) = (extensions.common, extensions.last)
        let packetizer = VP9Packetizer(
            frameByteCount: payload.count, header: header, descriptor: descriptor,
            scalabilityStructureByteCount: structure.count, maximumPacketByteCount: settings.maximumPacketByteCount,
            headerExtensionByteCount: extensions.byteCount, reservedByteCount: reservedByteCount)
        let last = packetizer.packetCount - 1
        return sendPackets(packetizer.packetCount, header, at: now, to: sink) { index, taken, output in
            packetizer.writePacket(
                // Written by us, so it can be read; no bytes are no structure.
                index, of: payload, numbersTaken: taken,
                scalabilityStructure: try? VP9ScalabilityStructure(parsing: structure.span),
                headerExtension: RTPHeaderExtension(written: index == last ? final.span : common.span), into: &output)
        }
    }

    private mutating func sendOwn(
        _ frame: EncodedFrame, _ payload: Span<UInt8>, _ header: RTPHeader, at now: MediaTime, to sink: some PacketSink
    ) -> Int {
        own.advance(to: frame)
        let (common, final) = (extensions.common, extensions.last)
        let packetizer = PayloadPacketizer(
            frameByteCount: payload.count, header: header, first: own.first, others: own.others,
            maximumPacketByteCount: settings.maximumPacketByteCount, headerExtensionByteCount: extensions.byteCount,
            reservedByteCount: reservedByteCount)
        let last = packetizer.packetCount - 1
        return sendPackets(packetizer.packetCount, header, at: now, to: sink) { index, taken, output in
            packetizer.writePacket(
                index, of: payload, numbersTaken: taken,
                headerExtension: RTPHeaderExtension(written: index == last ? final.span : common.span), into: &output)
        }
    }

    /// Bytes that each packet leaves free: for what repair adds, and an FEC packet's own extension.
    private var reservedByteCount: Int {
        let overhead = settings.repairOverhead
        return overhead.byteCount + (overhead.usesULPFEC ? extensions.common.count : 0)
    }

    /// Where in each of its packets the number stands that the transport counts packets by, zero as they leave here
    /// (draft-holmer-rmcat-transport-wide-cc-extensions-01 §2); `nil` where none is borne.
    package var transportNumberOffset: Int? { extensions.transportNumberOffset }

    /// What a session asks before a frame: whether the stream was silent, and where its packets have the transport's number.
    /// (Mutating, so that nothing of this value is copied.)
    package mutating func frameBegins(at now: MediaTime) -> (wasSilent: Bool, transportNumberOffset: Int?) {
        (isSilent(at: now), extensions.transportNumberOffset)
    }

    /// Wall time at zero of the pipeline's clock, where it becomes known after the stream was made, and before its first report.
    package mutating func setWallClock(atZero time: NTPTimestamp) { clock.wallClockAtZero = time }

    /// The other side knows this stream's source: its packets bear no names from now on.
    package mutating func omitIdentifiers() { extensions.omitIdentifiers() }

    /// Sends a frame's packets, and the FEC packets behind each group of them.
    ///
    /// - Returns: how many there were, of both kinds.
    private mutating func sendPackets(
        _ count: Int, _ header: RTPHeader, at now: MediaTime, to sink: some PacketSink,
        _ write: (_ index: Int, _ numbersTaken: Int, inout OutputSpan<UInt8>) -> Void
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
            guard let fecPacketCount = protector?.fecPacketCount(of: group.count) else { continue }
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

    /// The packet of that number, for retransmission; `nil` when it is no longer kept, or was never sent.
    @_lifetime(borrow self)
    public func packet(_ number: SequenceNumber) -> SentPacket? {
        history.packet(number)
    }
}

/// The numbers that a frame was sent under.
public struct SentFrame: Equatable, Sendable {
    /// The timestamp that all its packets bear.
    public let timestamp: RTPTimestamp
    /// The number of its first packet.
    public let firstSequenceNumber: SequenceNumber
    /// How many packets it took, FEC packets included.
    public let packetCount: Int
}
