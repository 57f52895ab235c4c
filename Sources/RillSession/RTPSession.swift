public import RillCore
package import RillRTP
public import RillReceive
public import RillSend
import RillState

/// A call with one remote endpoint, in both directions: its streams, its RTCP, and whether the other side is there.
///
/// Datagrams and times go in, and ``poll(at:into:)`` says what to do until there is nothing more to do:
///
///     let session = RTPSession(RTPSessionSettings(seed: .random(in: 0 ... .max)))
///     let camera = try session.send(RTPStreamSettings(payloadType: PayloadType(96), canonicalName: "rill", using: &random))
///     let theirs = try session.receive(StreamReceiverSettings(description, ssrc: SSRC(0)), at: now)
///     …
///     session.send(frame, payload: bytes, of: camera, at: now)   // a frame was encoded
///     session.insert(datagram, at: now)                          // a datagram came
///     work: while true {                                         // after each of them, and at `wakeUp`
///         switch session.poll(at: now, into: &bytes) {
///         case .transmit: socket.send(bytes)
///         case .decode(of: let stream):
///             let frame = session.releasedFrame
///             let outcome = decoder.decode(bytes, frame)
///             session.finish(frame, of: stream, outcome, picture: size, decoded: now, at: now)
///         case .makeKeyFrame(of: let stream): encoders[stream].requestKeyFrame()
///         case .event(let event): app.handle(event)
///         case .wait(until: let time): wakeUp = time; break work
///         }
///     }
///
/// It finds out which stream a datagram belongs to: by its source; where nobody announced that, by MID and RID (RFC 8852,
/// RFC 9143) or by a payload type that only one stream has. It takes RTCP apart and gives each packet to whom it concerns;
/// writes reports at their interval and requests at once (RFC 3550 §6, RFC 4585), for all streams together; changes sources that
/// collide (RFC 3550 §8.2); and says what happened to the call.
///
/// A call with several others has a session for each of them. Any bytes do no harm: of sources that belong to no stream no note
/// is taken. One owner, no thread, no clock, no socket: `now` is the pipeline's clock and does not go back. Nothing is allocated
/// per packet once buffers have grown.
public final class RTPSession {
    private let cell: StateCell<SessionCore>

    /// A session without streams. It begins with the first call that brings a time.
    public init(_ settings: RTPSessionSettings) { cell = StateCell(SessionCore(settings)) }

    // Private: of what other modules may change each access is checked.
    private var keptJournal: SessionJournal?

    /// Takes note of what the session is told, to play it again.
    package var journal: SessionJournal? {
        get { keptJournal }
        set { keptJournal = newValue }
    }

    /// What it was made with.
    public var settings: RTPSessionSettings { cell.state.settings }

    // MARK: Streams

    /// Adds a stream that is sent. Of its settings, wall clock, canonical name and report interval become the session's.
    ///
    /// - Throws: `sourceInUse`, `send` or `tooManyStreams`.
    public func send(_ stream: RTPStreamSettings) throws(SessionError) -> SendingStreamID {
        try cell.state.send(stream)
    }

    /// Adds a stream that is received. Of its settings, source, canonical name and interval of its reports are the session's. A
    /// source that is one of our own is a collision: our stream gets another one.
    ///
    /// - Throws: `sourceInUse`, `receive` or `tooManyStreams`.
    public func receive(_ stream: StreamReceiverSettings, at now: MediaTime) throws(SessionError) -> ReceivingStreamID {
        try cell.state.receive(stream, at: now)
    }

    /// Ends a stream that is sent: the other side is told (BYE, RFC 3550 §6.6).
    ///
    /// - Returns: what it has sent; `nil` for one that is not there.
    @discardableResult
    public func remove(_ id: SendingStreamID, at now: MediaTime) -> RTPStreamStatistics? {
        cell.state.remove(id, at: now)
    }

    /// Forgets a stream that is received. Its packets belong nowhere from now on.
    ///
    /// - Returns: what it has been through; `nil` for one that is not there, or of which nothing is known yet.
    @discardableResult
    public func remove(_ id: ReceivingStreamID) -> InboundStatistics? {
        cell.state.remove(id)
    }

    /// Leaves: the other side is told, and why (RFC 3550 §6.6). Nothing is sent or taken after what waits now.
    ///
    /// - Parameter reason: 1 to 255 bytes of UTF-8; a longer one is cut.
    public func leave(reason: String? = nil, at now: MediaTime) {
        cell.state.leave(reason: reason, at: now)
    }

    // MARK: Datagrams, frames and time

    /// Takes a datagram that came from the other side; poll afterwards.
    @discardableResult
    public func insert(_ datagram: Span<UInt8>, at now: MediaTime) -> SessionInsertResult {
        if keptJournal != nil { note { .insert(datagram.array, at: now) } }
        return cell.state.insert(datagram, at: now)
    }

    /// Sends a coded frame: its packets wait to be transmitted.
    ///
    /// - Parameters:
    ///   - frame: what the encoder says of it. All frames of a stream are of one codec.
    ///   - payload: the coded bytes, at least one.
    /// - Returns: the numbers that it was sent under; `nil` when the stream is not there, is muted or paused, or goes on and this is no
    ///   key frame, or the session has left.
    @discardableResult
    public func send(
        _ frame: EncodedFrame, payload: Span<UInt8>, of id: SendingStreamID, at now: MediaTime
    ) -> SentFrame? {
        if keptJournal != nil { note { .send(frame, payload.array, of: id, at: now) } }
        return cell.state.send(frame, payload: payload, of: id, at: now)
    }

    /// Says what to do at `now`; to be asked until it says to wait.
    ///
    /// - Parameter bytes: of the datagram to transmit, or the frame to decode. Give an array that was used before: its memory
    ///   is used again.
    public func poll(at now: MediaTime, into bytes: inout [UInt8]) -> SessionAction {
        if keptJournal != nil { note { .poll(at: now) } }
        return cell.state.poll(at: now, into: &bytes)
    }

    /// What the frame is whose bytes ``poll(at:into:)`` gave last. That there was one is a precondition.
    public var releasedFrame: ReceivedFrame {
        guard let receiver = cell.state.lastReleased else { preconditionFailure("no frame was given to be decoded") }
        return receiver.cell.state.releasedFrame
    }

    /// Sends all datagrams that wait, in their order and without another copy: for who takes many at once, and would not be told
    /// of each by ``poll(at:into:)``. The sink may call back into the session.
    public func transmit(to packets: some PacketSink) {
        guard let queue = cell.state.takeDatagrams() else { return }
        queue.deliver(to: packets)
        cell.state.giveBack(queue)
    }

    /// The same for who protects datagrams: behind each there is room for ``tailroom`` bytes more.
    ///
    /// - Parameter body: is given each datagram, and what is said of it; what it appends is gone after the call.
    public func transmit(_ body: (OutgoingPacket, inout OutputSpan<UInt8>) -> Void) {
        guard let queue = cell.state.takeDatagrams() else { return }
        queue.deliver { packet, _, datagram in body(packet, &datagram) }
        cell.state.giveBack(queue)
    }

    /// Bytes that fit behind a datagram where it stands: SRTCP needs 24 at the most.
    public static var tailroom: Int { DatagramQueue.tailroom }

    /// Says what became of a frame that ``poll(at:into:)`` gave to be decoded.
    ///
    /// - Parameters:
    ///   - outcome: behind one that was not decoded the chain of frames is broken.
    ///   - picture: the size of its picture, if one is shown.
    ///   - decoded: when the decoder was done.
    public func finish(
        _ frame: ReceivedFrame, of id: ReceivingStreamID, _ outcome: DecodeOutcome, picture: Resolution? = nil,
        decoded: MediaTime, at now: MediaTime
    ) {
        if keptJournal != nil {
            note { .finish(frame, of: id, outcome, picture: picture, decoded: decoded, at: now) }
        }
        cell.state.finish(frame, of: id, outcome, picture: picture, decoded: decoded, at: now)
    }

    /// Sends nothing on a stream for a while, or goes on; poll afterwards.
    ///
    /// Frames that are given meanwhile are not sent. The other side is told with the next poll, and with each report as long as that
    /// lasts (PAUSED, RFC 7728 §8.2, where ``RTPSessionSettings/signalsMute``); it learns from the next packets that the stream goes
    /// on, for which a key frame is wanted: ``SessionAction/makeKeyFrame(of:)``.
    public func setMuted(_ isMuted: Bool, of id: SendingStreamID, at now: MediaTime) {
        if keptJournal != nil { note { .muteSending(isMuted, of: id, at: now) } }
        cell.state.setMuted(isMuted, of: id, at: now)
    }

    /// The other side sends nothing on a stream for a while, or sends again, as signalling says: silence alone says nothing.
    /// Of a muted stream nothing is asked for.
    ///
    /// Where the other side says so in RTCP (PAUSED, RFC 7728 §8.2) this is not needed, and the first packet behind the last that
    /// it named ends it. What signalling has said, signalling alone takes back.
    public func setMuted(_ isMuted: Bool, of id: ReceivingStreamID) {
        if keptJournal != nil { note { .muteReceiving(isMuted, of: id) } }
        cell.state.setMuted(isMuted, of: id)
    }

    /// A stream is wanted, or is not; poll afterwards.
    ///
    /// Where its sender agreed to be asked (``RillReceive/StreamReceiverSettings/isPausable``) it is asked to pause, and to go on with a
    /// key frame (PAUSE and RESUME, RFC 7728), until it does. What comes meanwhile is still given to be decoded, so that nothing is
    /// missing when the stream is wanted again before it has paused. Of any other sender's stream all is dropped as long as it is not
    /// wanted, and a key frame is asked for when it is again.
    public func setWanted(_ isWanted: Bool, of id: ReceivingStreamID, at now: MediaTime) {
        if keptJournal != nil { note { .want(isWanted, of: id, at: now) } }
        cell.state.setWanted(isWanted, of: id, at: now)
    }

    /// Whether the other side sends nothing on a stream by its own decision, as signalling or its RTCP said.
    public func isMuted(_ id: ReceivingStreamID) -> Bool { cell.state.isMuted(id) }

    /// Whether a stream is wanted: it is, where nobody has said otherwise.
    public func isWanted(_ id: ReceivingStreamID) -> Bool { cell.state.isWanted(id) }

    /// The other side wants nothing of a stream that is sent, or wants it again, as signalling says; poll afterwards. What it asks in RTCP
    /// needs no such call.
    public func setPaused(_ isPaused: Bool, of id: SendingStreamID, at now: MediaTime) {
        if keptJournal != nil { note { .pauseSending(isPaused, of: id, at: now) } }
        cell.state.setPaused(isPaused, of: id, at: now)
    }

    /// Whether the other side wants nothing of a stream that is sent.
    public func isPaused(_ id: SendingStreamID) -> Bool { cell.state.isPaused(id) }

    /// Has all packets of a stream leave without its names (MID and RID): signalling has told its source.
    public func omitIdentifiers(of id: SendingStreamID) {
        cell.state.omitIdentifiers(of: id)
    }

    // MARK: What is known

    /// What the stream has sent, and heard, under its present source.
    public func statistics(of id: SendingStreamID) -> RTPStreamStatistics? { cell.state.statistics(of: id) }

    /// What the stream has been through, under its present source; `nil` before that is known.
    public func statistics(of id: ReceivingStreamID) -> InboundStatistics? { cell.state.statistics(of: id) }

    /// What came of the stream's retransmissions and FEC packets.
    public func repairStatistics(of id: ReceivingStreamID) -> RepairStatistics? { cell.state.repairStatistics(of: id) }

    /// What the session has been through so far.
    public var statistics: SessionStatistics { cell.state.statistics }

    /// The time to the other side and back.
    public var roundTripStatistics: RoundTripStatistics { cell.state.roundTripStatistics }

    /// Whether nothing is held that could still be shown.
    public var isIdle: Bool { cell.state.isIdle }

    /// How the stream is sent now: a collision gives it another source.
    public func settings(of id: SendingStreamID) -> RTPStreamSettings? { cell.state.settings(of: id) }

    /// How the stream is received, with the sources that are known now.
    public func settings(of id: ReceivingStreamID) -> StreamReceiverSettings? { cell.state.settings(of: id) }

    /// How the stream's clock stands to its sender's; `nil` before its first sender report.
    public func senderClock(of id: ReceivingStreamID) -> SenderClock? { cell.state.senderClock(of: id) }

    @inline(never)
    private func note(_ call: () -> SessionJournal.Call) { keptJournal?.note(call()) }

    // MARK: For drivers

    /// Gives the next frame of a stream to be decoded as soon as it can be, whenever it is due: somebody waits for a picture of it.
    package func expedite(_ id: ReceivingStreamID, at now: MediaTime) {
        if keptJournal != nil { note { .expedite(id, at: now) } }
        cell.state.expedite(id, at: now)
    }

    /// Receives a stream by other settings, from its next key frame on; the sources that are known stay.
    package func change(_ settings: StreamReceiverSettings, of id: ReceivingStreamID, at now: MediaTime) {
        cell.state.change(settings, of: id, at: now)
    }

    /// Says what wall time it is at `MediaTime.zero`, where that is known only after the session was made; before its first
    /// report.
    package func setWallClock(atZero time: NTPTimestamp) { cell.state.setWallClock(atZero: time) }

    /// The same for a driver that takes datagrams with ``exchangeDatagrams(_:)``: nothing is said of them here.
    package func pollBesideDatagrams(at now: MediaTime, into bytes: inout [UInt8]) -> SessionAction {
        if keptJournal != nil { note { .poll(at: now) } }
        return cell.state.pollBesideDatagrams(at: now, into: &bytes)
    }

    /// The sources that our packets come from, of RTP and RTCP: with one key for both directions nothing else may.
    package var ownSources: [SSRC] { cell.state.allOwnSources }

    /// When to poll next if nothing comes before; long past where something waits to be done.
    package var nextPoll: MediaTime { cell.state.nextPoll }

    /// Takes all datagrams that wait, for a driver that hands them out when nobody is inside the session any more.
    ///
    /// - Parameter spare: an empty queue, which takes the place of the one that is given.
    package func exchangeDatagrams(_ spare: inout DatagramQueue) { cell.state.exchangeDatagrams(&spare) }

    /// Takes the streams of which a key frame is wanted.
    package func takeKeyFrameRequests(into streams: inout [SendingStreamID]) {
        cell.state.takeKeyFrameRequests(into: &streams)
    }
}
