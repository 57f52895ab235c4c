import RillCongestion
public import RillCore
public import RillRTP
public import RillReceive
public import RillSend

/// A two-way session with one remote endpoint: its streams, its RTCP, and whether the remote side is present.
///
/// Insert datagrams, frames and times; then call ``poll(at:into:)`` until it returns `wait`:
///
/// ```swift
/// let session = RTPSession(RTPSessionSettings(seed: .random(in: 0 ... .max)))
/// let camera = try session.send(
///     RTPStreamSettings(payloadType: PayloadType(96), canonicalName: "rill", using: &random))
/// let theirs = try session.receive(StreamReceiverSettings(description, ssrc: SSRC(0)), at: now)
/// …
/// session.send(frame, payload: bytes.span, of: camera, at: now)  // a frame was encoded
/// session.insert(datagram, at: now)                              // a datagram arrived
/// work: while true {                                             // after each of them, and at `wakeUp`
///     switch session.poll(at: now, into: &bytes) {
///     case .transmit: socket.send(bytes)
///     case .decode(of: let stream):
///         let frame = session.releasedFrame
///         let outcome = decoder.decode(bytes, frame)
///         session.finish(frame, of: stream, outcome, picture: size, decoded: now, at: now)
///     case .makeKeyFrame(of: let stream): encoders[stream].requestKeyFrame()
///     case .event(let event): app.handle(event)
///     case .wait(until: let time): wakeUp = time; break work
///     }
/// }
/// ```
///
/// The session routes each datagram to its stream: by SSRC; if that was not announced, by MID and RID (RFC 8852, RFC
/// 9143), or by a payload type that only one stream has. It splits RTCP compounds and routes each packet. It writes
/// reports at their interval and feedback at once (RFC 3550 §6, RFC 4585), for all streams together. It resolves SSRC
/// collisions (RFC 3550 §8.2), and reports events of the call.
///
/// A call with several participants needs one session for each. Any input bytes are safe: the session keeps no state
/// for unknown SSRCs, except at most 1 MiB of packets that claim a stream. It has one owner, and no thread, clock or
/// socket. `now` is the pipeline's clock and must not go back. After its buffers have grown, it allocates nothing per
/// packet.
public final class RTPSession {
    /// The settings that the session was created with.
    public let settings: RTPSessionSettings

    // No code of an app runs during an access to one of these, so none is checked: a check costs eighty instructions,
    // and a packet takes twenty accesses.
    @safe @exclusivity(unchecked) var sending = StreamPlaces<SendingStream>()
    @safe @exclusivity(unchecked) var receiving = StreamPlaces<ReceivingStream>()
    /// The SSRCs of both sides.
    @safe @exclusivity(unchecked) var ssrcs: SessionSources
    /// What new SSRCs send that claim streams, until that is decided.
    @safe @exclusivity(unchecked) var claimed = ClaimedPackets()

    @safe @exclusivity(unchecked) var datagrams = DatagramQueue()
    /// A free queue, and one more for each sink that called back.
    @safe @exclusivity(unchecked) var spareDatagrams: DatagramQueue?
    @safe @exclusivity(unchecked) var moreDatagrams: [DatagramQueue] = []
    @safe @exclusivity(unchecked) var transportNumber = SequenceNumber(0)
    /// The congestion control of what is sent; `nil` without.
    @safe @exclusivity(unchecked) var congestion: SessionCongestion?
    /// The packets that wait for its pacer.
    let waiting: PacedDatagrams?
    /// What the remote side's congestion control is told.
    @safe @exclusivity(unchecked) var arrivals: ArrivalReports
    @safe @exclusivity(unchecked) var events = EventQueue()
    @safe @exclusivity(unchecked) var peer: PeerWatch
    /// When a circuit breaker must be checked at the earliest.
    @safe @exclusivity(unchecked) var breakerTime = MediaTime.distantFuture
    /// When the remote side's last report arrived, on whatever; `nil` before the first.
    @safe @exclusivity(unchecked) var lastReport: MediaTime?
    @safe @exclusivity(unchecked) var reports: ReportPlan
    @safe @exclusivity(unchecked) var rtcp: ReportWriter
    @safe @exclusivity(unchecked) var roundTrip = RoundTripMeter()
    @safe @exclusivity(unchecked) var receiverClocks = ReceiverClocks()
    @safe @exclusivity(unchecked) var earlyReports = EarlyReports()
    @safe @exclusivity(unchecked) var counts = TransportCounts()
    @safe @exclusivity(unchecked) var unknownSources: [UnknownSource] = []

    /// The stream that released a frame which was not polled yet; its bytes are in `releasedBytes`.
    @safe @exclusivity(unchecked) var released: ReceivingStreamID?
    /// The receiver that released the last frame.
    @safe @exclusivity(unchecked) var lastReleased: StreamReceiver?
    @safe @exclusivity(unchecked) var releasedBytes: [UInt8] = []
    /// The number of payloads of audio that wait to be polled.
    @safe @exclusivity(unchecked) var payloadsWaiting = 0
    /// The stream to poll first for a frame: the one after the last that released one, so that none starves.
    @safe @exclusivity(unchecked) var firstStream = 0
    /// The number of streams of which a key frame is requested.
    @safe @exclusivity(unchecked) var keyFramesWanted = 0
    /// The number of sent streams that are currently reported as silent.
    @safe @exclusivity(unchecked) var silentCount = 0
    /// Pause messages may have to be sent.
    @safe @exclusivity(unchecked) var arePausesDue = false
    /// When there may be something to do without a call from outside.
    @safe @exclusivity(unchecked) var wakeTime = MediaTime.distantFuture
    /// When each received stream must be polled, by index: all are scanned, and few are due.
    @safe @exclusivity(unchecked) var wakeTimes: [MediaTime] = []
    /// A stream may have a request to send.
    @safe @exclusivity(unchecked) var areRequestsPossible = false
    @safe @exclusivity(unchecked) var hasBegun = false
    @safe @exclusivity(unchecked) var hasLeft = false
    /// Records the calls to the session, to replay them; `nil` for none.
    @safe @exclusivity(unchecked) package var journal: SessionJournal?
    /// For tests: everything that is due stays due.
    @safe @exclusivity(unchecked) var isStalled = false

    /// Creates a session without streams. It starts with the first call that has a time.
    public init(_ settings: RTPSessionSettings) {
        settings.validate()
        self.settings = settings
        ssrcs = SessionSources(settings)
        peer = PeerWatch(settings)
        reports = ReportPlan(interval: settings.reportInterval)
        rtcp = ReportWriter(limit: settings.maximumPacketByteCount, canonicalName: settings.canonicalName)
        // Behind a sender report and its CNAME.
        arrivals = ArrivalReports(room: rtcp.limit - 28 - RTCPPacket.headerByteCount - rtcp.nameByteCount)
        let waiting = settings.congestion.map { PacedDatagrams($0) }
        self.waiting = waiting
        congestion =
            if let waiting, let settings = settings.congestion { SessionCongestion(settings, waiting) } else { nil }
    }

    // MARK: Streams

    /// Adds a stream to send. The session's wall clock, canonical name and report interval replace those of its
    /// settings.
    ///
    /// - Parameter stream: the settings of the stream.
    /// - Returns: the stream's identifier.
    /// - Throws: `sourceInUse`, `send` or `tooManyStreams`.
    public func send(_ stream: RTPStreamSettings) throws(SessionError) -> SendingStreamID {
        var stream = stream
        stream.wallClockAtZero = settings.wallClockAtZero
        stream.canonicalName = settings.canonicalName
        stream.reportInterval = settings.reportInterval
        for ssrc in [stream.ssrc, stream.retransmission?.ssrc].compactMap(\.self) {
            guard !ssrcs.isKnown(ssrc) else { throw .sourceInUse(ssrc) }
        }
        let added: SendingStream?
        do throws(SendError) {
            added = try sending.add { (place) throws(SendError) in try SendingStream(stream, at: place) }
        } catch {
            throw .send(error)
        }
        guard let made = added else { throw .tooManyStreams(limit: StreamPlaces<SendingStream>.limit) }
        for ssrc in made.sources {
            ssrcs.avoid(ssrc)
            ssrcs.own.set(ssrc, to: made.id.place)
        }
        return made.id
    }

    /// Adds a stream to receive. The session's SSRC, canonical name and report interval replace those of its
    /// settings. If its SSRC is one of our own, that is a collision: our stream gets a new one.
    ///
    /// - Parameters:
    ///   - stream: the settings of the stream.
    ///   - now: the current time.
    /// - Returns: the stream's identifier.
    /// - Throws: `sourceInUse`, `receive` or `tooManyStreams`.
    public func receive(_ stream: StreamReceiverSettings, at now: MediaTime) throws(SessionError) -> ReceivingStreamID {
        begin(at: now)
        do throws(ReceiveError) { try stream.validate() } catch { throw .receive(error) }
        for ssrc in stream.sources where ssrcs.theirs.contains(ssrc) { throw .sourceInUse(ssrc) }
        guard let made = receiving.add({ ReceivingStream(stream, at: $0, now) }) else {
            throw .tooManyStreams(limit: StreamPlaces<ReceivingStream>.limit)
        }
        if let kind = stream.congestionFeedback { arrivals.report(kind, stream.jitterBuffer.headerExtensions) }
        if wakeTimes.count < receiving.indices.count { wakeTimes.append(.distantFuture) }
        note(made.wakeTime, of: made)
        for ssrc in stream.sources {
            ssrcs.theirs.set(ssrc, to: made.id.place)
            ssrcs.avoid(ssrc)
            if ssrcs.own.contains(ssrc) { resolveCollision(of: ssrc, at: now) }
        }
        if let ssrc = made.ssrc { takeEarlyReport(of: ssrc, for: made) }
        if let time = roundTrip.statistics.roundTripTime { made.receiver?.roundTripTime = time }
        return made.id
    }

    /// Sends a stream as it was negotiated again, by other payload types, header extensions or repair, from its next
    /// key frame on, which is requested; poll afterwards. Its SSRC, numbers and sizes go on.
    ///
    /// - Parameters:
    ///   - agreed: the negotiated settings; see ``/RillSend/RTPStreamSender/change(_:)``.
    ///   - id: the stream.
    /// - Throws: `send`; then nothing has changed.
    package func change(_ agreed: RTPStreamSettings, of id: SendingStreamID) throws(SessionError) {
        guard let stream = sending[id.place] else { return }
        var agreed = agreed
        if let again = agreed.retransmission?.ssrc, ssrcs.isKnown(again), ssrcs.own[again] != id.place {
            agreed.retransmission?.ssrc = ssrcs.draw()
        }
        do throws(SendError) { try stream.sender.change(agreed) } catch { throw .send(error) }
        ssrcs.own.removeAll(of: id.place)
        for ssrc in stream.sources {
            ssrcs.avoid(ssrc)
            ssrcs.own.set(ssrc, to: id.place)
        }
        stream.repair = agreed.fec?.isAdaptive == true ? stream.repair ?? AdaptiveRepair() : nil
        stream.resumption = SendingStream.Resumption()
        wantKeyFrame(of: stream)
    }

    /// Ends a stream that is sent, and notifies the remote side (BYE, RFC 3550 §6.6).
    ///
    /// - Parameters:
    ///   - id: the stream.
    ///   - now: the current time.
    /// - Returns: the stream's statistics; `nil` for an unknown stream.
    @discardableResult
    public func remove(_ id: SendingStreamID, at now: MediaTime) -> RTPStreamStatistics? {
        begin(at: now)
        guard let stream = sending.remove(id.place) else { return nil }
        if stream.isKeyFrameWanted { keyFramesWanted -= 1 }
        if stream.isSilenceReported { silentCount -= 1 }
        ssrcs.own.removeAll(of: id.place)
        if stream.sender.statistics.packetsSent > 0 { writeGoodbye(of: stream.sources, reason: nil, at: now) }
        return stream.sender.statistics
    }

    /// Removes a stream that is received. Its packets belong to no stream from now on.
    ///
    /// - Parameter id: the stream.
    /// - Returns: the stream's statistics; `nil` for an unknown stream, or one whose SSRC is not known yet.
    @discardableResult
    public func remove(_ id: ReceivingStreamID) -> InboundStatistics? {
        guard let stream = receiving.remove(id.place) else { return nil }
        ssrcs.theirs.removeAll(of: id.place)
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
    public func leave(reason: String? = nil, at now: MediaTime) {
        begin(at: now)
        guard !hasLeft else { return }
        releaseAll(at: now)
        var sources: [SSRC] = []
        for index in sending.indices { sources += sending[index]?.sources ?? [] }
        writeGoodbye(of: sources.isEmpty ? [ssrcs.reporter] : sources, reason: reason, at: now)
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
    public func send(
        _ frame: EncodedFrame, payload: Span<UInt8>, of id: SendingStreamID, at now: MediaTime
    ) -> SentFrame? {
        record { .send(frame, payload.array, of: id, at: now) }
        begin(at: now)
        guard !hasLeft, let stream = sending[id.place], stream.takes(frame) else { return nil }
        let (wasSilent, numberOffset) = stream.sender.prepareFrame(at: now)
        if wasSilent { stream.isReported = false }
        if waiting != nil { congestion?.noteFrame(byteCount: payload.count) }
        let sent = sendPackets(of: stream, numberOffset: numberOffset, frame.isKey ? .keyFrame : .deltaFrame, at: now) {
            $0.send(frame, payload: payload, at: now, to: $1)
        } _: {
            $0.send(frame, payload: payload, at: now, to: $1)
        }
        noteSent(sent.firstSequenceNumber, of: stream, at: now)
        return sent
    }

    /// Sends a payload of an audio stream: its packet waits to be transmitted, before packets of pictures, and is never
    /// repaired.
    ///
    /// - Parameters:
    ///   - payload: the encoded bytes, at least one.
    ///   - stamp: its times and level.
    ///   - id: the stream.
    ///   - now: the current time.
    /// - Returns: the packet's sequence number; `nil` if it is not sent: the stream is unknown, muted or paused, the
    ///   payload does not fit into a packet, or the session has left.
    @discardableResult
    public func send(
        _ payload: Span<UInt8>, _ stamp: PayloadStamp, of id: SendingStreamID, at now: MediaTime
    ) -> SequenceNumber? {
        record { .sendPayload(payload.array, stamp, of: id, at: now) }
        begin(at: now)
        guard !hasLeft, let stream = sending[id.place], !stream.isSilent,
            payload.count <= stream.sender.maximumPayloadByteCount
        else { return nil }
        let (wasSilent, numberOffset) = stream.sender.prepareFrame(at: now)
        if wasSilent { stream.isReported = false }
        let number = sendPackets(of: stream, numberOffset: numberOffset, .audio, at: now) {
            $0.send(payload, stamp, at: now, to: $1)
        } _: {
            $0.send(payload, stamp, at: now, to: $1)
        }
        noteSent(number, of: stream, at: now)
        return number
    }

    /// Records what was sent with a frame or a payload, and reports at once if it is the first after a silence.
    @inline(__always)
    private func noteSent(_ number: SequenceNumber, of stream: SendingStream, at now: MediaTime) {
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
    public func finish(
        _ frame: ReceivedFrame, of id: ReceivingStreamID, _ outcome: DecodeOutcome, picture: Resolution? = nil,
        decoded: MediaTime, at now: MediaTime
    ) {
        record { .finish(frame, of: id, outcome, picture: picture, decoded: decoded, at: now) }
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
    public func omitIdentifiers(of id: SendingStreamID) { sending[id.place]?.sender.omitIdentifiers() }

    /// When the last packet arrived from the remote side; zero before the first.
    package var lastArrival: MediaTime { peer.lastArrival }

    // MARK: Shared helpers

    /// Starts the session's reports with the first call that has a time.
    @inline(__always)
    func begin(at now: MediaTime) {
        guard !hasBegun else { return }
        hasBegun = true
        guard settings.announcesItself else { return }
        reports.require(at: now)
        wakeTime = min(wakeTime, now)
    }

    /// The SSRCs of our packets, RTP and RTCP. With one key for both directions the remote side must not use them.
    package var ownSources: [SSRC] { ssrcs.allOwn }

    @inline(__always)
    func record(_ call: () -> SessionJournal.Call) { if journal != nil { append(call) } }

    @inline(never)
    private func append(_ call: () -> SessionJournal.Call) { journal?.note(call()) }
}
