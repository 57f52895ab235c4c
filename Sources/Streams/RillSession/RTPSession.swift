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
/// for unknown SSRCs. It has one owner, and no thread, clock or socket. `now` is the pipeline's clock and must not go
/// back. After its buffers have grown, it allocates nothing per packet.
public final class RTPSession {
    let cell: StateCell<SessionCore>

    /// Creates a session without streams. It starts with the first call that has a time.
    public init(_ settings: RTPSessionSettings) { cell = StateCell(SessionCore(settings)) }

    // Private: every access to what other modules may change is checked.
    private var keptJournal: SessionJournal?

    /// A journal that records the calls to the session, to replay them; `nil` for none.
    package var journal: SessionJournal? {
        get { keptJournal }
        set { keptJournal = newValue }
    }

    /// The settings that the session was created with.
    public var settings: RTPSessionSettings { cell.state.settings }

    // MARK: Streams

    /// Adds a stream to send. The session's wall clock, canonical name and report interval replace those of its
    /// settings.
    ///
    /// - Parameter stream: the settings of the stream.
    /// - Returns: the stream's identifier.
    /// - Throws: `sourceInUse`, `send` or `tooManyStreams`.
    public func send(_ stream: RTPStreamSettings) throws(SessionError) -> SendingStreamID {
        try cell.state.send(stream)
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
        try cell.state.receive(stream, at: now)
    }

    /// Ends a stream that is sent, and notifies the remote side (BYE, RFC 3550 §6.6).
    ///
    /// - Parameters:
    ///   - id: the stream.
    ///   - now: the current time.
    /// - Returns: the stream's statistics; `nil` for an unknown stream.
    @discardableResult
    public func remove(_ id: SendingStreamID, at now: MediaTime) -> RTPStreamStatistics? {
        cell.state.remove(id, at: now)
    }

    /// Removes a stream that is received. Its packets belong to no stream from now on.
    ///
    /// - Parameter id: the stream.
    /// - Returns: the stream's statistics; `nil` for an unknown stream, or one whose SSRC is not known yet.
    @discardableResult
    public func remove(_ id: ReceivingStreamID) -> InboundStatistics? {
        cell.state.remove(id)
    }

    /// Leaves the session, and sends the remote side a BYE with the reason (RFC 3550 §6.6). What waits now is still
    /// sent; after that, nothing is sent or accepted.
    ///
    /// - Parameters:
    ///   - reason: 1 to 255 bytes of UTF-8; a longer one is cut.
    ///   - now: the current time.
    public func leave(reason: String? = nil, at now: MediaTime) {
        cell.state.leave(reason: reason, at: now)
    }

    // MARK: Datagrams, frames and time

    /// Inserts a datagram that arrived from the remote side; poll afterwards.
    @discardableResult
    public func insert(_ datagram: Span<UInt8>, at now: MediaTime) -> SessionInsertResult {
        if keptJournal != nil { note { .insert(datagram.array, at: now) } }
        return cell.state.insert(datagram, at: now)
    }

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
        if keptJournal != nil { note { .send(frame, payload.array, of: id, at: now) } }
        return cell.state.send(frame, payload: payload, of: id, at: now)
    }

    /// Sends a payload of an audio stream, with its capture time on the session's clock, which gives the timestamp. Its
    /// packet waits to be transmitted, and is never repaired.
    ///
    /// - Parameters:
    ///   - payload: the encoded bytes, at least one. Traps if the packet would exceed the maximum size.
    ///   - captureTime: when its first sample was captured.
    ///   - isMarked: whether a talkspurt starts.
    ///   - id: the stream.
    ///   - now: the current time.
    /// - Returns: the packet's sequence number; `nil` if it is not sent: the stream is unknown, muted or paused, or the
    ///   session has left.
    @discardableResult
    public func send(
        _ payload: Span<UInt8>, capturedAt captureTime: MediaTime, isMarked: Bool = false, of id: SendingStreamID,
        at now: MediaTime
    ) -> SequenceNumber? {
        if keptJournal != nil {
            note { .sendPayload(payload.array, capturedAt: captureTime, isMarked: isMarked, of: id, at: now) }
        }
        return cell.state.send(payload, capturedAt: captureTime, isMarked: isMarked, of: id, at: now)
    }

    /// What may be sent now: the bitrate for all streams together, and whether to leave out the next frame. Ask before
    /// each frame is encoded.
    ///
    /// - Parameter now: the current time.
    /// - Returns: `nil` without ``RTPSessionSettings/congestion``.
    public func allowance(at now: MediaTime) -> SendingAllowance? { cell.state.congestion?.allowance(at: now) }

    /// Restarts congestion control: packets take another path from now on, as after a change of the interface. What
    /// was learned of the old one is forgotten, and the bitrate is at most the start bitrate.
    ///
    /// - Parameter now: the current time.
    public func restartCongestionControl(at now: MediaTime) {
        if keptJournal != nil { note { .restartCongestionControl(at: now) } }
        cell.state.restartCongestion(at: now)
    }

    /// Returns what to do at `now`. Call it until it returns `wait`.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - bytes: receives the datagram to transmit, or the frame to decode. Pass the same array each time: its
    ///     memory is reused.
    /// - Returns: the action.
    public func poll(at now: MediaTime, into bytes: inout [UInt8]) -> SessionAction {
        poll(at: now, into: &bytes) { datagram, bytes in
            bytes.removeAll(keepingCapacity: true)
            bytes.append(copying: datagram)
        }
    }

    /// Polls, and calls `write` with a datagram to transmit and that array: a driver protects it on its way there.
    package func poll(
        at now: MediaTime, into bytes: inout [UInt8], _ write: (Span<UInt8>, inout [UInt8]) -> Void
    ) -> SessionAction {
        if keptJournal != nil { note { .poll(at: now) } }
        return cell.state.poll(at: now, into: &bytes, write)
    }

    /// The description of the frame whose bytes ``poll(at:into:)`` returned last. Precondition: there was one.
    public var releasedFrame: ReceivedFrame {
        guard let receiver = cell.state.lastReleased else { preconditionFailure("no frame was returned for decoding") }
        return receiver.cell.state.releasedFrame
    }

    /// Sends all waiting datagrams, in order and without another copy: for a caller that takes many at once, instead
    /// of one per ``poll(at:into:)``. The sink may call back into the session.
    public func transmit(to packets: some PacketSink) {
        guard let queue = cell.state.takeDatagrams() else { return }
        queue.deliver(to: packets)
        cell.state.giveBack(queue)
    }

    /// Sends all waiting datagrams through a caller that protects them: each has room for ``tailroom`` more bytes.
    ///
    /// - Parameter body: receives each datagram and its description. What it appends is discarded after the call.
    public func transmit(_ body: (OutgoingPacket, inout OutputSpan<UInt8>) -> Void) {
        guard let queue = cell.state.takeDatagrams() else { return }
        queue.deliver { packet, _, datagram in body(packet, &datagram) }
        cell.state.giveBack(queue)
    }

    /// Bytes of room after each datagram; SRTCP needs at most 24.
    public static var tailroom: Int { PacketList<Int>.room }

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
        if keptJournal != nil {
            note { .finish(frame, of: id, outcome, picture: picture, decoded: decoded, at: now) }
        }
        cell.state.finish(frame, of: id, outcome, picture: picture, decoded: decoded, at: now)
    }

    /// Mutes a stream that is sent, or resumes it; poll afterwards.
    ///
    /// Frames passed meanwhile are not sent. The remote side is notified with the next poll, and with each report
    /// while the stream is muted (PAUSED, RFC 7728 §8.2, if ``RTPSessionSettings/signalsMute``). The next packets
    /// show it that the stream resumes. That needs a key frame: ``SessionAction/makeKeyFrame(of:)``.
    ///
    /// - Parameters:
    ///   - isMuted: whether the stream is muted.
    ///   - id: the stream.
    ///   - now: the current time.
    public func setMuted(_ isMuted: Bool, of id: SendingStreamID, at now: MediaTime) {
        if keptJournal != nil { note { .muteSending(isMuted, of: id, at: now) } }
        cell.state.setMuted(isMuted, of: id, at: now)
    }

    /// Sets whether the remote side has muted a stream, as signaling reports it. Silence alone proves nothing.
    /// Nothing is requested on a muted stream.
    ///
    /// If the remote side reports it in RTCP (PAUSED, RFC 7728 §8.2), this call is not needed: the first packet after
    /// the last one named there ends the pause. A mute set by signaling is only ended by signaling.
    ///
    /// - Parameters:
    ///   - isMuted: whether the stream is muted.
    ///   - id: the stream.
    public func setMuted(_ isMuted: Bool, of id: ReceivingStreamID) {
        if keptJournal != nil { note { .muteReceiving(isMuted, of: id) } }
        cell.state.setMuted(isMuted, of: id)
    }

    /// Sets whether a stream is wanted; poll afterwards.
    ///
    /// If its sender supports pause requests (``RillReceive/StreamReceiverSettings/isPausable``), it is asked to
    /// pause, and later to resume with a key frame (PAUSE and RESUME, RFC 7728), until it does. Frames that arrive
    /// until it pauses are still decoded, so that nothing is missing if the stream is wanted again before. For any
    /// other sender, all packets are dropped while the stream is not wanted, and a key frame is requested when it is
    /// wanted again.
    ///
    /// - Parameters:
    ///   - isWanted: whether the stream is wanted.
    ///   - id: the stream.
    ///   - now: the current time.
    public func setWanted(_ isWanted: Bool, of id: ReceivingStreamID, at now: MediaTime) {
        if keptJournal != nil { note { .want(isWanted, of: id, at: now) } }
        cell.state.setWanted(isWanted, of: id, at: now)
    }

    /// Requests a key frame of a stream (PLI, RFC 4585 §6.3.1), as for someone who joins; poll afterwards. What the
    /// stream itself needs is requested without this call.
    ///
    /// What was requested a moment ago is not requested again: both are answered by the same key frame. Who forwards to
    /// many asks for all of them at once.
    ///
    /// - Parameters:
    ///   - id: the stream.
    ///   - now: the current time.
    /// - Returns: whether it is requested: not of an unknown stream, before its first packet, while it is muted or not
    ///   wanted, or too soon after the last request.
    @discardableResult
    public func requestKeyFrame(of id: ReceivingStreamID, at now: MediaTime) -> Bool {
        if keptJournal != nil { note { .requestKeyFrame(of: id, at: now) } }
        return cell.state.requestKeyFrame(of: id, at: now)
    }

    /// Whether the remote side gets frames of a stream: not while it has paused it, or a circuit breaker has stopped
    /// it.
    package func isAccepted(_ id: SendingStreamID) -> Bool { cell.state.isAccepted(id) }

    /// Whether a packet may be sent that belongs to no stream of the session, as of sound, which is then noted: not
    /// while the remote side reports nothing at all (RFC 8083 §4.1).
    ///
    /// - Parameter now: the current time.
    package func takesPacket(at now: MediaTime) -> Bool { cell.state.takesPacket(at: now) }

    /// Whether the remote side has muted a stream by its own decision, according to signaling or its RTCP.
    public func isMuted(_ id: ReceivingStreamID) -> Bool { cell.state.isMuted(id) }

    /// Whether a stream is wanted, which is the default.
    public func isWanted(_ id: ReceivingStreamID) -> Bool { cell.state.isWanted(id) }

    /// Sets whether the remote side has paused a stream that is sent, as signaling reports it; poll afterwards.
    /// Requests in RTCP need no such call.
    public func setPaused(_ isPaused: Bool, of id: SendingStreamID, at now: MediaTime) {
        if keptJournal != nil { note { .pauseSending(isPaused, of: id, at: now) } }
        cell.state.setPaused(isPaused, of: id, at: now)
    }

    /// Whether the remote side has paused a stream that is sent.
    public func isPaused(_ id: SendingStreamID) -> Bool { cell.state.isPaused(id) }

    /// Sends all packets of a stream without MID and RID from now on: signaling has told the receiver its SSRC.
    public func omitIdentifiers(of id: SendingStreamID) {
        cell.state.omitIdentifiers(of: id)
    }

    // MARK: State and statistics

    /// The statistics of a stream that is sent, for its current SSRC.
    public func statistics(of id: SendingStreamID) -> RTPStreamStatistics? { cell.state.statistics(of: id) }

    /// The statistics of a stream that is received, for its current SSRC; `nil` before that is known.
    public func statistics(of id: ReceivingStreamID) -> InboundStatistics? { cell.state.statistics(of: id) }

    /// The statistics of the stream's retransmissions and FEC packets.
    public func repairStatistics(of id: ReceivingStreamID) -> RepairStatistics? { cell.state.repairStatistics(of: id) }

    /// The session's statistics so far.
    public var statistics: SessionStatistics { cell.state.statistics }

    /// The round-trip time to the remote side.
    public var roundTripStatistics: RoundTripStatistics { cell.state.roundTripStatistics }

    /// Whether nothing is held that could still be shown.
    public var isIdle: Bool { cell.state.isIdle }

    /// The current settings of a stream that is sent: a collision changes its SSRC.
    public func settings(of id: SendingStreamID) -> RTPStreamSettings? { cell.state.settings(of: id) }

    /// The current settings of a stream that is received, with the SSRCs that are known now.
    public func settings(of id: ReceivingStreamID) -> StreamReceiverSettings? { cell.state.settings(of: id) }

    /// The relation of the stream's media clock to its sender's wall clock; `nil` before its first sender report.
    public func senderClock(of id: ReceivingStreamID) -> SenderClock? { cell.state.senderClock(of: id) }

    @inline(never)
    private func note(_ call: () -> SessionJournal.Call) { keptJournal?.note(call()) }

    // MARK: For drivers

    /// The packets that wait for the pacer.
    package var pacedPacketCount: Int { cell.state.congestion?.packetCount ?? 0 }

    /// Releases the stream's next frame as soon as it can be decoded, even before it is due: a picture of it is
    /// awaited.
    package func expedite(_ id: ReceivingStreamID, at now: MediaTime) {
        if keptJournal != nil { note { .expedite(id, at: now) } }
        cell.state.expedite(id, at: now)
    }

    /// Polls like ``poll(at:into:)``, but leaves out datagrams, for a driver that takes them with
    /// ``exchangeDatagrams(_:)``.
    package func pollExceptDatagrams(at now: MediaTime, into bytes: inout [UInt8]) -> SessionAction {
        if keptJournal != nil { note { .poll(at: now) } }
        return cell.state.pollExceptDatagrams(at: now, into: &bytes)
    }
}
