public import RillCore
public import RillRTP

/// A jitter buffer: it turns the packets of one stream, as the network delivers them, into decodable frames, in order
/// and on time.
///
/// Insert each packet as it arrives, then poll until the result is `wait`:
///
/// ```swift
/// var buffer = JitterBuffer(JitterBufferSettings(ssrc: ssrc, payloadType: PayloadType(96)))
/// var bytes: [UInt8] = []
/// _ = buffer.insert(datagram.span, at: now)
/// polling: while true {
///     switch buffer.poll(at: now, into: &bytes) {
///     case .frame: decoder.decode(bytes.span, isShown: buffer.releasedFrame.isShown)
///     case .requestPackets: sendGenericNACK(buffer.requestedPackets)
///     case .requestKeyFrame: sendPictureLossIndication()
///     case .wait(until: let time): wakeUp = time; break polling
///     }
/// }
/// ```
///
/// A chain of small parts, each with one task, extends sequence numbers, holds packets in a ring, NACKs missing ones,
/// assembles frames, finds their references, estimates jitter, and schedules the playout.
///
/// - A frame is complete when its last missing packet arrives. Its playout time is then fixed: its timestamp, plus
///   the transit time that nearly all frames keep, plus a margin. It is as early as
///   ``JitterBufferSettings/playoutDelay`` and the network allow.
/// - Frames are released in decode order: each when its playout time has come, it is complete, and its references
///   were released. Late frames are released too. But of several that are due at once, only the last is shown, and
///   one that no other refers to is dropped. For a decoder so slow that the last never comes, one frame to show is
///   released twice a second.
/// - In the first seconds, while little is known of the network, the frames after a late one do not catch up: the
///   delay grows at once, and they wait as long.
/// - Missing packets are NACKed as soon as they are noticed, once per round-trip time each. In between, the NACK is
///   repeated while they do not arrive (``JitterBufferSettings/nack``).
/// - The first frame in decode order that cannot be decoded, because a packet of it or before it is missing, breaks
///   the chain when it is due and repair has failed: three requests without an answer, or NACK is off. Then a key
///   frame is requested, at most once in max(300 ms, round-trip time, three frame intervals), until one arrives. If
///   the missing packets arrive first, the chain is repaired, and decoding catches up.
/// - A complete key frame that is due, or that arrives in a broken chain, replaces everything before it that cannot
///   be decoded.
///
/// Any input bytes are safe. Memory is bounded by ``JitterBufferSettings/packetCapacity``, plus eight times the
/// longest frame received; what does not fit displaces the oldest frames. Once the ring and the arrays have grown to
/// the stream, nothing is allocated per packet or frame.
///
/// It has one owner, and no thread or clock. Time is an argument and must not run backwards (an earlier time counts
/// as the last one). One buffer handles one stream. Sources: RFC 3550, 6386, 7741, 9628, 4585.
public struct JitterBuffer: ~Copyable, Sendable {
    /// The settings that the buffer was created with. If the SSRC was `nil`, it is set to the first packet's; payload
    /// type and codec are the stream's present ones.
    public internal(set) var settings: JitterBufferSettings
    /// The packets for a NACK, in ascending order, after `poll` returned `requestPackets`: those that are due, and
    /// those that were requested within this round trip and have not arrived. Valid until the next poll.
    public internal(set) var requestedPackets: [SequenceNumber] = []
    /// The description of the frame whose bytes `poll` returned last with `frame`; valid until the next poll.
    public internal(set) var releasedFrame: ReceivedFrame

    /// The payload format. Checked for every packet, so it is not the codec's name.
    var format: FrameFormat
    /// The most steps of a poll: each packet may be a frame that is dropped or malformed.
    let stepLimit: Int
    var packets: PacketBuffer
    var continuity: StreamContinuity
    var reception: ReceptionCounter
    var requests: NACKScheduler
    var assembler: FrameAssembler
    var finder = ReferenceFinder()
    /// How pictures refer to each other, if the packets do not list it.
    var groups = GroupsOfPictures()
    var interval = FrameInterval()
    var frameLength = FrameLength()
    var timing: PlayoutTiming
    var requester: KeyFrameRequester
    var lag = DecoderLag()
    var counts = InboundStatistics()
    /// Size of the last key frame's picture.
    var resolution: Resolution?
    /// The rotation of pictures, as last received (3GPP TS 26.114 §7.4.5).
    var rotation = Rotation.none
    /// The whole packet that did not fit the stream, and when it arrived.
    var onProbation: (packet: [UInt8], arrival: MediaTime) = ([], .zero)
    var now = MediaTime(nanoseconds: .min)
    /// When the stream's last packet arrived.
    var lastArrival = MediaTime(nanoseconds: .min)
    /// Whether arriving packets are dropped: see ``pause(behind:at:)``.
    public internal(set) var isPaused = false
    /// When a frame last could not be decrypted; `nil` if the newest one could.
    var lastUnopened: MediaTime?
    /// Whether the next frame is released as soon as it can be decoded: see ``expedite(at:)``.
    var isExpedited = false
    /// Until when `poll` last said to wait; in the past after anything that could change it.
    var cachedWait = MediaTime(nanoseconds: .min)

    /// The steps of a poll that led to nothing, an error of ours; after them the buffer returns nothing more. 0 for
    /// none.
    package internal(set) var pollsWithoutProgress = 0
    /// For tests: each step leads to nothing.
    var isStalled = false

    /// Creates a buffer for one stream. Settings outside their ranges trap.
    public init(_ settings: JitterBufferSettings) {
        settings.validate()
        self.settings = settings
        format = FrameFormat(settings.codec, own: settings.payloadFormat, isOpaque: settings.isOpaque)
        releasedFrame = .none(of: settings)
        packets = PacketBuffer(
            limit: settings.packetCapacity, maximumByteCount: settings.maximumPacketByteCount)
        stepLimit = PollBound.limit + 2 * packets.limit
        continuity = StreamContinuity(capacity: packets.limit, settings.clockRate)
        reception = ReceptionCounter(settings.clockRate)
        requests = NACKScheduler(settings.nack, roundTripTime: settings.roundTripTime)
        assembler = FrameAssembler(packetCapacity: packets.limit)
        timing = PlayoutTiming(settings.playoutDelay, settings.clockRate)
        requester = KeyFrameRequester(roundTripTime: settings.roundTripTime)
    }

    /// The round-trip time to the sender. Set it as it becomes known: requests are spaced by it.
    public var roundTripTime: MediaDuration {
        get { requester.roundTripTime }
        set {
            requester.roundTripTime = newValue
            requests.generator.roundTripTime = newValue
            invalidateWait()
        }
    }

    /// Notes that a released frame took `duration` to become a picture. Frames are then released earlier by that
    /// time, so that they can be shown on time.
    ///
    /// - Parameters:
    ///   - duration: the decode time.
    ///   - time: the current time.
    public mutating func noteDecodeTime(_ duration: MediaDuration, at time: MediaTime) {
        timing.noteDecodeTime(duration, at: max(now, time))
    }

    /// Counts since the buffer was created.
    public var statistics: InboundStatistics {
        var statistics = counts
        statistics.packetsReceived = reception.packetsReceived
        statistics.packetsLost = reception.packetsLost
        statistics.jitter = MediaDuration(nanoseconds: reception.jitter)
        statistics.targetDelay = timing.targetDelay
        statistics.clockSkew = timing.skew
        statistics.roundTripTime = roundTripTime
        return statistics
    }

    /// Makes the next poll check everything again.
    @inline(__always)
    mutating func invalidateWait() { cachedWait = MediaTime(nanoseconds: .min) }

    /// When the next poll may return something new; in the past if something has happened.
    package var nextPoll: MediaTime { min(cachedWait, requests.nextRepetition) }

    /// For tests: from now on each step of a poll leads to nothing, as by an error of ours.
    package mutating func stall() {
        isStalled = true
        invalidateWait()
    }

    /// The number of packets and frames that are held now.
    public var occupancy: (packets: Int, frames: Int) { (packets.heldCount, assembler.frames.count) }
}

extension JitterBuffer {
    /// Returns the report block of this stream for the next receiver report (RFC 3550 §6.4.1); `nil` before the first
    /// packet. The fraction lost counts since the previous call.
    public mutating func reportBlock(at time: MediaTime) -> ReportBlock? {
        guard reception.packetsReceived > 0, let ssrc = settings.ssrc else { return nil }
        return reception.report(on: ssrc, at: time)
    }

    /// The time from one frame to the next; zero while unknown.
    package var frameInterval: MediaDuration { interval.last }

    /// The newest packet of the stream that arrived or was restored; `nil` before the first.
    package var newestSequenceNumber: SequenceNumber? {
        continuity.newestSequence.map { SequenceNumber(UInt16(truncatingIfNeeded: $0)) }
    }

    /// Updates ``requestedPackets``: the packets that were NACKed within this round trip and have not arrived.
    package mutating func collectUnanswered() {
        requests.collectUnanswered(at: now, jitter: answerJitter, into: &requestedPackets)
    }

    /// Whether to repeat the last NACK in a datagram that is sent now for another reason; if so, notes that it is.
    package mutating func isRepetitionDue() -> Bool { requests.isRepetitionDue(at: now) }

    /// The packets that the last NACK requested, and the previous one did not.
    package var newlyRequestedCount: Int { requests.newCount }

    /// The time beyond a round trip that an answer may take, because of jitter.
    var answerJitter: MediaDuration { MediaDuration(nanoseconds: reception.jitter * 2) }

    /// Notes a sender report, so that the next report block gives the sender its round-trip time. A report of another
    /// SSRC is ignored.
    public mutating func noteSenderReport(_ report: SenderReport, at time: MediaTime) {
        guard report.ssrc == settings.ssrc else { return }
        reception.noteSenderReport(sent: report.ntpTimestamp.short, at: time)
    }
}
