import RillCore
import RillRTP
import RillReceive
import RillSend
import RillState

/// The state machine of an ``RTPSession``, and what is done with its streams.
///
/// A value in one place: who calls a session has it open once for the whole call, instead of each of its properties anew.
struct SessionCore: ~Copyable {
    /// What it was made with.
    private(set) var settings: RTPSessionSettings

    let canonicalName: [UInt8]
    var random: SeededGenerator
    var sending = StreamPlaces<SendingStream>()
    var receiving = StreamPlaces<ReceivingStream>()
    /// Which streams the sources of the other side, and our own, belong to.
    var theirSources = SourceTable()
    var ownSources = SourceTable()
    /// The source that RTCP comes from while nothing is sent.
    var reporter: SSRC
    /// Who wrote the other side's newest report.
    var theirReporter: SSRC?

    var datagrams = DatagramQueue()
    /// Queues that are empty: one, and one more for each sink that called back.
    var spareDatagrams: [DatagramQueue] = []
    var transportNumber = SequenceNumber(0)
    var events = EventQueue()
    var peer: PeerWatch
    var reports: ReportPlan
    var compound: CompoundBuffer
    var roundTrip = RoundTripMeter()
    var receiverClocks = ReceiverClocks()
    var earlyReports = EarlyReports()
    var counts = TransportCounts()

    /// The stream that has released a frame, until that is handed out; and the frame's bytes.
    var released: ReceivingStreamID?
    /// Who released the last frame.
    var lastReleased: StreamReceiver?
    var releasedBytes: [UInt8] = []
    /// The stream that is asked first for a frame: the one behind that which gave the last, so that none starves.
    var firstStream = 0
    /// Streams of which a key frame is wanted.
    var keyFramesWanted = 0
    /// Streams that we send of which the other side is told that they are silent now.
    var silentCount = 0
    /// Something may have to be said of pauses.
    var arePausesDue = false
    /// When there may be something to do that no call brought about.
    var wakeTime = MediaTime.distantFuture
    /// When each stream that is received wants to be polled, by their places: all are looked at, and few are due.
    var wakeTimes: [MediaTime] = []
    /// A stream may have something to ask for.
    var areRequestsPossible = false
    var hasBegun = false
    var hasLeft = false
    // Taken once, and used again: what a report tells of.
    var reportBlocks: [ReportBlock] = []
    var reportSources: [SSRC] = []

    /// A session without streams. It begins with the first call that brings a time.
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
    }

    // MARK: Streams

    /// Adds a stream that is sent. Of its settings, wall clock, canonical name and report interval become the session's.
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

    /// Adds a stream that is received. Of its settings, source, canonical name and interval of its reports are the session's. A
    /// source that is one of our own is a collision: our stream gets another one.
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

    /// Ends a stream that is sent: the other side is told (BYE, RFC 3550 §6.6).
    ///
    /// - Returns: what it has sent; `nil` for one that is not there.
    @discardableResult
    mutating func remove(_ id: SendingStreamID, at now: MediaTime) -> RTPStreamStatistics? {
        begin(at: now)
        guard let stream = sending.remove(id.place) else { return nil }
        if stream.isKeyFrameWanted { keyFramesWanted -= 1 }
        if stream.isSilenceTold { silentCount -= 1 }
        ownSources.removeAll(of: id.place)
        if stream.cell.state.statistics.packetsSent > 0 { writeGoodbye(of: stream.sources, reason: nil, at: now) }
        return stream.cell.state.statistics
    }

    /// Forgets a stream that is received. Its packets belong nowhere from now on.
    ///
    /// - Returns: what it has been through; `nil` for one that is not there, or of which nothing is known yet.
    @discardableResult
    mutating func remove(_ id: ReceivingStreamID) -> InboundStatistics? {
        guard let stream = receiving.remove(id.place) else { return nil }
        theirSources.removeAll(of: id.place)
        wakeTimes[Int(id.place.index)] = .distantFuture
        if released == id { released = nil }
        return stream.receiver?.statistics
    }

    /// Leaves: the other side is told, and why (RFC 3550 §6.6). Nothing is sent or taken after what waits now.
    ///
    /// - Parameter reason: 1 to 255 bytes of UTF-8; a longer one is cut.
    mutating func leave(reason: String? = nil, at now: MediaTime) {
        begin(at: now)
        guard !hasLeft else { return }
        var sources: [SSRC] = []
        for index in sending.indices { sources += sending[index]?.sources ?? [] }
        writeGoodbye(of: sources.isEmpty ? [reporter] : sources, reason: reason, at: now)
        hasLeft = true
        released = nil
    }

    // MARK: What is done

    /// Sends a coded frame: its packets wait to be transmitted.
    ///
    /// - Parameters:
    ///   - frame: what the encoder says of it. All frames of a stream are of one codec.
    ///   - payload: the coded bytes, at least one.
    /// - Returns: the numbers that it was sent under; `nil` when the stream is not there or is muted, or the session has left.
    @discardableResult
    mutating func send(
        _ frame: EncodedFrame, payload: Span<UInt8>, of id: SendingStreamID, at now: MediaTime
    ) -> SentFrame? {
        begin(at: now)
        guard !hasLeft, let stream = sending[id.place], stream.takes(frame) else { return nil }
        let (wasSilent, numberOffset) = stream.cell.state.prepareFrame(at: now)
        if wasSilent { stream.isReported = false }
        datagrams.begin(id.number, numberOffset: numberOffset)
        let sent = stream.cell.state.send(frame, payload: payload, at: now, to: datagrams)
        if stream.resumption != nil, stream.resumption?.start == nil {
            stream.resumption?.start = (sent.firstSequenceNumber, now)
        }
        if !stream.isReported {
            stream.isReported = true
            reports.require(at: now)
            wakeTime = min(wakeTime, reports.next)
        }
        return sent
    }

    /// Says what became of a frame that ``poll(at:into:)`` gave to be decoded.
    ///
    /// - Parameters:
    ///   - outcome: behind one that was not decoded the chain of frames is broken.
    ///   - picture: the size of its picture, if one is shown.
    ///   - decoded: when the decoder was done.
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

    /// Has all packets of a stream leave without its names (MID and RID): signalling has told its source.
    mutating func omitIdentifiers(of id: SendingStreamID) { sending[id.place]?.cell.state.omitIdentifiers() }

    /// Says what wall time it is at `MediaTime.zero`, where that is known only after the session was made; before its first
    /// report.
    mutating func setWallClock(atZero time: NTPTimestamp) {
        settings.wallClockAtZero = time
        for index in sending.indices { sending[index]?.cell.state.setWallClock(atZero: time) }
    }

    // MARK: What is known

    /// What the stream has sent, and heard, under its present source.
    mutating func statistics(of id: SendingStreamID) -> RTPStreamStatistics? {
        sending[id.place]?.cell.state.statistics
    }

    /// What the stream has been through, under its present source; `nil` before that is known.
    mutating func statistics(of id: ReceivingStreamID) -> InboundStatistics? {
        receiving[id.place]?.receiver?.statistics
    }

    /// What came of the stream's retransmissions and FEC packets.
    mutating func repairStatistics(of id: ReceivingStreamID) -> RepairStatistics? {
        receiving[id.place]?.receiver?.repairStatistics
    }

    /// The time to the other side and back.
    var roundTripStatistics: RoundTripStatistics { roundTrip.statistics }

    /// Whether nothing is held that could still be shown.
    var isIdle: Bool {
        for index in receiving.indices {
            guard let stream = receiving[index] else { continue }
            if stream.isDecoding || stream.receiver?.isIdle == false { return false }
        }
        return true
    }

    /// How the stream is sent now: a collision gives it another source.
    mutating func settings(of id: SendingStreamID) -> RTPStreamSettings? { sending[id.place]?.cell.state.settings }

    /// How the stream is received, with the sources that are known now.
    mutating func settings(of id: ReceivingStreamID) -> StreamReceiverSettings? { receiving[id.place]?.settings }

    /// How the stream's clock stands to its sender's; `nil` before its first sender report.
    mutating func senderClock(of id: ReceivingStreamID) -> SenderClock? { receiving[id.place]?.clock }

    // MARK: What the others of these files stand on

    /// Takes note of the time at which it begins.
    @inline(__always)
    mutating func begin(at now: MediaTime) {
        guard !hasBegun else { return }
        hasBegun = true
        guard settings.announcesItself else { return }
        reports.require(at: now)
        wakeTime = min(wakeTime, now)
    }

    /// What our packets, of RTP and RTCP, come from.
    var allOwnSources: [SSRC] { ownSources.all + [reporter] }

    mutating func isKnown(_ ssrc: SSRC) -> Bool { ownSources.contains(ssrc) || theirSources.contains(ssrc) }

    /// The source belongs to a stream: RTCP comes from another one.
    mutating func avoid(_ ssrc: SSRC) { if ssrc == reporter { reporter = drawSource() } }

    /// A source that nobody has.
    mutating func drawSource() -> SSRC {
        while true {
            let ssrc = SSRC(.random(in: .min ... .max, using: &random))
            if ssrc != reporter, !isKnown(ssrc) { return ssrc }
        }
    }
}
