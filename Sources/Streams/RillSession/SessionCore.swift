import RillCongestion
import RillCore
import RillRTP
import RillReceive
import RillSend

/// The state machine of an ``RTPSession``, and the work on its streams.
///
/// A value in one place: a call to the session accesses it once, instead of checking exclusive access for each
/// property.
struct SessionCore: ~Copyable {
    /// The settings that the session was created with.
    private(set) var settings: RTPSessionSettings

    let canonicalName: [UInt8]
    var random: SeededGenerator
    var sending = StreamPlaces<SendingStream>()
    var receiving = StreamPlaces<ReceivingStream>()
    /// The streams of the remote side's SSRCs, and of our own.
    var theirSources = SourceTable()
    var ownSources = SourceTable()
    /// The SSRC of RTCP while no stream is sent.
    var reporter: SSRC
    /// The SSRC of the remote side's newest report.
    var theirReporter: SSRC?

    var datagrams = DatagramQueue()
    /// A free queue, and one more for each sink that called back.
    var spareDatagrams: DatagramQueue?
    var moreDatagrams: [DatagramQueue] = []
    var transportNumber = SequenceNumber(0)
    /// The congestion control of what is sent; `nil` without.
    var congestion: SessionCongestion?
    /// The packets that wait for its pacer.
    let waiting: PacedDatagrams?
    /// What the remote side's congestion control is told.
    var arrivals: ArrivalReports
    var events = EventQueue()
    var peer: PeerWatch
    /// When a circuit breaker must be checked at the earliest.
    var breakerTime = MediaTime.distantFuture
    /// When the remote side's last report arrived, on whatever; `nil` before the first.
    var lastReport: MediaTime?
    /// Whether it reports while packets are sent that belong to no stream; and whether these are stopped.
    var packetTimeout = ReportTimeout()
    var arePacketsStopped = false
    var reports: ReportPlan
    var compound: CompoundBuffer
    var roundTrip = RoundTripMeter()
    var receiverClocks = ReceiverClocks()
    var earlyReports = EarlyReports()
    var counts = TransportCounts()

    /// The stream that released a frame which was not polled yet; its bytes are in `releasedBytes`.
    var released: ReceivingStreamID?
    /// The receiver that released the last frame.
    var lastReleased: StreamReceiver?
    var releasedBytes: [UInt8] = []
    /// The number of payloads of audio that wait to be polled.
    var payloadsWaiting = 0
    /// The stream to poll first for a frame: the one after the last that released one, so that none starves.
    var firstStream = 0
    /// The number of streams of which a key frame is requested.
    var keyFramesWanted = 0
    /// The number of sent streams that are currently reported as silent.
    var silentCount = 0
    /// Pause messages may have to be sent.
    var arePausesDue = false
    /// When there may be something to do without a call from outside.
    var wakeTime = MediaTime.distantFuture
    /// When each received stream must be polled, by index: all are scanned, and few are due.
    var wakeTimes: [MediaTime] = []
    /// A stream may have a request to send.
    var areRequestsPossible = false
    var hasBegun = false
    var hasLeft = false
    /// For tests: everything that is due stays due.
    var isStalled = false
    // Reused memory for the content of a report.
    var reportBlocks: [ReportBlock] = []
    var reportSources: [SSRC] = []

    /// Creates a session without streams. It starts with the first call that has a time.
    init(_ settings: RTPSessionSettings) {
        settings.validate()
        var random = SeededGenerator(seed: settings.seed)
        let drawn = SSRC(.random(in: .min ... .max, using: &random))
        self.random = random
        self.settings = settings
        canonicalName = Array(settings.canonicalName.utf8)
        reporter = settings.ssrc ?? drawn
        peer = PeerWatch(settings)
        reports = ReportPlan(interval: settings.reportInterval)
        compound = CompoundBuffer(limit: settings.maximumPacketByteCount)
        // Behind a sender report and its CNAME.
        let name = SourceDescription.chunkByteCount(items: 1, textByteCount: canonicalName.count)
        arrivals = ArrivalReports(room: compound.limit - 28 - RTCPPacket.headerByteCount - name)
        let waiting = settings.congestion.map { PacedDatagrams($0) }
        self.waiting = waiting
        congestion =
            if let waiting, let settings = settings.congestion { SessionCongestion(settings, waiting) } else { nil }
    }

    // MARK: Streams

    /// Adds a stream to send. The session's wall clock, canonical name and report interval replace those of its
    /// settings.
    ///
    /// - Throws: `sourceInUse`, `send` or `tooManyStreams`.
    mutating func send(_ stream: RTPStreamSettings) throws(SessionError) -> SendingStreamID {
        var stream = stream
        stream.wallClockAtZero = settings.wallClockAtZero
        stream.canonicalName = settings.canonicalName
        stream.reportInterval = settings.reportInterval
        for ssrc in [stream.ssrc, stream.retransmission?.ssrc].compactMap(\.self) {
            guard !isKnown(ssrc) else { throw .sourceInUse(ssrc) }
        }
        let added: SendingStream?
        do throws(SendError) {
            added = try sending.add { (place) throws(SendError) in try SendingStream(stream, at: place) }
        } catch {
            throw .send(error)
        }
        guard let made = added else { throw .tooManyStreams(limit: StreamPlaces<SendingStream>.limit) }
        for ssrc in made.sources {
            avoid(ssrc)
            ownSources.set(ssrc, to: made.id.place)
        }
        return made.id
    }

    /// Adds a stream to receive. The session's SSRC, canonical name and report interval replace those of its
    /// settings. If its SSRC is one of our own, that is a collision: our stream gets a new one.
    ///
    /// - Throws: `sourceInUse`, `receive` or `tooManyStreams`.
    mutating func receive(_ stream: StreamReceiverSettings, at now: MediaTime) throws(SessionError) -> ReceivingStreamID
    {
        begin(at: now)
        do throws(ReceiveError) { try stream.validate() } catch { throw .receive(error) }
        for ssrc in stream.sources where theirSources.contains(ssrc) { throw .sourceInUse(ssrc) }
        guard let made = receiving.add({ ReceivingStream(stream, at: $0, now) }) else {
            throw .tooManyStreams(limit: StreamPlaces<ReceivingStream>.limit)
        }
        if let kind = stream.congestionFeedback { arrivals.report(kind, stream.jitterBuffer.headerExtensions) }
        if wakeTimes.count < receiving.indices.count { wakeTimes.append(.distantFuture) }
        note(made.wakeTime, of: made)
        for ssrc in stream.sources {
            theirSources.set(ssrc, to: made.id.place)
            avoid(ssrc)
            if ownSources.contains(ssrc) { resolveCollision(of: ssrc, at: now) }
        }
        if let ssrc = made.ssrc { takeEarlyReport(of: ssrc, for: made) }
        if let time = roundTrip.statistics.roundTripTime { made.receiver?.cell.state.roundTripTime = time }
        return made.id
    }

    /// Sends a stream as it was negotiated again, from its next key frame on, which is requested. Its SSRC and numbers
    /// go on.
    ///
    /// - Throws: `send`; then nothing has changed.
    mutating func change(_ agreed: RTPStreamSettings, of id: SendingStreamID) throws(SessionError) {
        guard let stream = sending[id.place] else { return }
        var agreed = agreed
        if let again = agreed.retransmission?.ssrc, isKnown(again), ownSources[again] != id.place {
            agreed.retransmission?.ssrc = drawSource()
        }
        do throws(SendError) { try stream.cell.state.change(agreed) } catch { throw .send(error) }
        ownSources.removeAll(of: id.place)
        for ssrc in stream.sources {
            avoid(ssrc)
            ownSources.set(ssrc, to: id.place)
        }
        stream.repair = agreed.fec?.isAdaptive == true ? stream.repair ?? AdaptiveRepair() : nil
        stream.resumption = SendingStream.Resumption()
        wantKeyFrame(of: stream)
    }

    /// Ends a stream that is sent, and notifies the remote side (BYE, RFC 3550 §6.6).
    ///
    /// - Returns: the stream's statistics; `nil` for an unknown stream.
    @discardableResult
    mutating func remove(_ id: SendingStreamID, at now: MediaTime) -> RTPStreamStatistics? {
        begin(at: now)
        guard let stream = sending.remove(id.place) else { return nil }
        if stream.isKeyFrameWanted { keyFramesWanted -= 1 }
        if stream.isSilenceReported { silentCount -= 1 }
        ownSources.removeAll(of: id.place)
        if stream.cell.state.statistics.packetsSent > 0 { writeGoodbye(of: stream.sources, reason: nil, at: now) }
        return stream.cell.state.statistics
    }

    /// Removes a stream that is received. Its packets belong to no stream from now on.
    ///
    /// - Returns: the stream's statistics; `nil` for an unknown stream, or one whose SSRC is not known yet.
    @discardableResult
    mutating func remove(_ id: ReceivingStreamID) -> InboundStatistics? {
        guard let stream = receiving.remove(id.place) else { return nil }
        theirSources.removeAll(of: id.place)
        wakeTimes[Int(id.place.index)] = .distantFuture
        if released == id { released = nil }
        payloadsWaiting -= stream.waitingCount
        return stream.statistics
    }

    /// Leaves the session, and sends the remote side a BYE with the reason (RFC 3550 §6.6). What waits now is still
    /// sent; after that, nothing is sent or accepted.
    ///
    /// - Parameters:
    ///   - reason: 1 to 255 bytes of UTF-8; a longer one is cut.
    ///   - now: the current time.
    mutating func leave(reason: String? = nil, at now: MediaTime) {
        begin(at: now)
        guard !hasLeft else { return }
        releaseAll(at: now)
        var sources: [SSRC] = []
        for index in sending.indices { sources += sending[index]?.sources ?? [] }
        writeGoodbye(of: sources.isEmpty ? [reporter] : sources, reason: reason, at: now)
        hasLeft = true
        released = nil
    }

    // MARK: Frames

    /// Sends an encoded frame: its packets wait to be transmitted.
    ///
    /// - Parameters:
    ///   - frame: the encoder's description of the frame. All frames of a stream have the same codec.
    ///   - payload: the encoded bytes, at least one.
    ///   - id: the stream.
    ///   - now: the current time.
    /// - Returns: the sequence numbers and timestamp of the frame; `nil` if it is not sent: the stream is unknown, is
    ///   muted or paused, or resumes and this is not a key frame, or the session has left.
    @discardableResult
    mutating func send(
        _ frame: EncodedFrame, payload: Span<UInt8>, of id: SendingStreamID, at now: MediaTime
    ) -> SentFrame? {
        begin(at: now)
        guard !hasLeft, let stream = sending[id.place], stream.takes(frame) else { return nil }
        let (wasSilent, numberOffset) = stream.cell.state.prepareFrame(at: now)
        if wasSilent { stream.isReported = false }
        if waiting != nil { congestion?.noteFrame(byteCount: payload.count) }
        let sent = sendPackets(of: stream, numberOffset: numberOffset, isKeyFrame: frame.isKey, at: now) {
            $0.send(frame, payload: payload, at: now, to: $1)
        } _: {
            $0.send(frame, payload: payload, at: now, to: $1)
        }
        noteSent(sent.firstSequenceNumber, of: stream, at: now)
        return sent
    }

    /// Sends a payload of audio: its packet waits to be transmitted.
    ///
    /// - Parameters:
    ///   - payload: the encoded bytes, at least one.
    ///   - captureTime: when its first sample was captured, on the session's clock.
    ///   - isMarked: whether it starts a talkspurt.
    ///   - id: the stream.
    ///   - now: the current time.
    /// - Returns: the packet's sequence number; `nil` if it is not sent: the stream is unknown, muted or paused, or the
    ///   session has left.
    mutating func send(
        _ payload: Span<UInt8>, capturedAt captureTime: MediaTime, isMarked: Bool, of id: SendingStreamID,
        at now: MediaTime
    ) -> SequenceNumber? {
        begin(at: now)
        guard !hasLeft, let stream = sending[id.place], !stream.isSilent else { return nil }
        let (wasSilent, numberOffset) = stream.cell.state.prepareFrame(at: now)
        if wasSilent { stream.isReported = false }
        let number = sendPackets(of: stream, numberOffset: numberOffset, at: now) {
            $0.send(payload, capturedAt: captureTime, isMarked: isMarked, at: now, to: $1)
        } _: {
            $0.send(payload, capturedAt: captureTime, isMarked: isMarked, at: now, to: $1)
        }
        noteSent(number, of: stream, at: now)
        return number
    }

    /// Records what was sent with a frame or a payload, and reports at once if it is the first after a silence.
    @inline(__always)
    private mutating func noteSent(_ number: SequenceNumber, of stream: SendingStream, at now: MediaTime) {
        recordFrame(of: stream, at: now)
        if stream.resumption != nil, stream.resumption?.start == nil { stream.resumption?.start = (number, now) }
        guard !stream.isReported else { return }
        stream.isReported = true
        reports.require(at: now)
        wakeTime = min(wakeTime, reports.next)
    }

    /// Reports the outcome of a frame that ``poll(at:into:)`` returned for decoding.
    ///
    /// - Parameters:
    ///   - frame: the frame.
    ///   - id: its stream.
    ///   - outcome: the outcome. After a frame that was not decoded the reference chain is broken.
    ///   - picture: the size of its picture, if one is shown.
    ///   - decoded: when the decoder finished.
    ///   - now: the current time.
    mutating func finish(
        _ frame: ReceivedFrame, of id: ReceivingStreamID, _ outcome: DecodeOutcome, picture: Resolution? = nil,
        decoded: MediaTime, at now: MediaTime
    ) {
        guard let stream = receiving[id.place] else { return }
        stream.isDecoding = false
        stream.receiver?.finish(frame, outcome, decoded: decoded, at: now)
        note(stream.wakeTime, of: stream)
        guard let picture, picture != stream.size else { return }
        events.append(
            stream.size == nil
                ? .firstPicture(of: id, picture, after: now - stream.beginning) : .sizeChanged(of: id, picture))
        stream.size = picture
    }

    /// Sends all packets of a stream without MID and RID from now on: signaling has told the receiver its SSRC.
    mutating func omitIdentifiers(of id: SendingStreamID) { sending[id.place]?.cell.state.omitIdentifiers() }

    // MARK: State and statistics

    /// The statistics of a stream that is sent, for its current SSRC.
    mutating func statistics(of id: SendingStreamID) -> RTPStreamStatistics? {
        sending[id.place]?.cell.state.statistics
    }

    /// The statistics of a stream that is received, for its current SSRC; `nil` before that is known.
    mutating func statistics(of id: ReceivingStreamID) -> InboundStatistics? {
        receiving[id.place]?.statistics
    }

    /// The statistics of the stream's retransmissions and FEC packets.
    mutating func repairStatistics(of id: ReceivingStreamID) -> RepairStatistics? {
        receiving[id.place]?.receiver?.repairStatistics
    }

    /// The round-trip time to the remote side.
    var roundTripStatistics: RoundTripStatistics { roundTrip.statistics }

    /// Whether nothing is held that could still be shown.
    var isIdle: Bool {
        for index in receiving.indices {
            guard let stream = receiving[index] else { continue }
            if stream.isDecoding || stream.receiver?.isIdle == false || stream.waitingCount > 0 { return false }
        }
        return true
    }

    /// The current settings of a stream that is sent: a collision changes its SSRC.
    mutating func settings(of id: SendingStreamID) -> RTPStreamSettings? { sending[id.place]?.cell.state.settings }

    /// The current settings of a stream that is received, with the SSRCs that are known now.
    mutating func settings(of id: ReceivingStreamID) -> StreamReceiverSettings? { receiving[id.place]?.settings }

    /// The relation of the stream's media clock to its sender's wall clock; `nil` before its first sender report.
    mutating func senderClock(of id: ReceivingStreamID) -> SenderClock? { receiving[id.place]?.clock }

    // MARK: Shared helpers

    /// Starts the session's reports with the first call that has a time.
    @inline(__always)
    mutating func begin(at now: MediaTime) {
        guard !hasBegun else { return }
        hasBegun = true
        guard settings.announcesItself else { return }
        reports.require(at: now)
        wakeTime = min(wakeTime, now)
    }

    /// The SSRCs of our packets, RTP and RTCP.
    var allOwnSources: [SSRC] { ownSources.all + [reporter] }

    mutating func isKnown(_ ssrc: SSRC) -> Bool { ownSources.contains(ssrc) || theirSources.contains(ssrc) }

    /// Changes the SSRC of RTCP if a stream uses it.
    mutating func avoid(_ ssrc: SSRC) { if ssrc == reporter { reporter = drawSource() } }

    /// Draws an SSRC that is not in use.
    mutating func drawSource() -> SSRC {
        while true {
            let ssrc = SSRC(.random(in: .min ... .max, using: &random))
            if ssrc != reporter, !isKnown(ssrc) { return ssrc }
        }
    }
}
