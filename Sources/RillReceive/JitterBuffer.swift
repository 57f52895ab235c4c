public import RillCore
public import RillRTP

/// Turns the packets of one VP8 or VP9 stream, as the network brings them, into frames that can be decoded, in order and
/// time.
///
/// Put each packet in as it comes, then poll until it says when to be woken:
///
///     var buffer = JitterBuffer(JitterBufferSettings(ssrc: ssrc, payloadType: PayloadType(96)))
///     var bytes: [UInt8] = []
///     _ = buffer.insert(datagram.span, at: now)
///     polling: while true {
///         switch buffer.poll(at: now, into: &bytes) {
///         case .frame: decoder.decode(bytes.span, isShown: buffer.releasedFrame.isShown)
///         case .requestPackets: sendGenericNACK(buffer.requestedPackets)
///         case .requestKeyFrame: sendPictureLossIndication()
///         case .wait(until: let time): wakeUp = time; break polling
///         }
///     }
///
/// A chain of small parts, each with one verb, unwraps numbers, holds packets in a ring, asks for those that are missing,
/// assembles frames, finds what they refer to, estimates jitter, and times the playout.
///
/// - A frame is whole when its last missing packet came. Its playout time is fixed then: its timestamp, the transit that
///   nearly all frames keep, and a margin, as little as ``JitterBufferSettings/playoutDelay`` and the network let it be.
/// - Frames are released in decode order, each when its playout time has come, it is whole, and what it refers to was
///   released. Late is better than never; but of several that are due at once, only the last is to be shown. One that
///   no other refers to is then dropped instead. Who decodes so slowly that the last never comes is given one to show twice
///   a second.
/// - In the first seconds, while little is known of the network, the frames behind a late one do not catch up: the delay
///   grows at once, and they wait as long.
/// - Missing packets are asked for as soon as they are missed, once in a round-trip time each, and the NACK is repeated in
///   between while they do not come (``JitterBufferSettings/nack``).
/// - The first frame in decode order that cannot be decoded, because something of it or before it is missing, breaks the
///   chain when it is due and there is no hope of repair: three requests without an answer, or nobody to ask. Then a key
///   frame is asked for, at most once in max(300 ms, round-trip time) and not before three frame intervals, until one is
///   there. Should the missing packets come first, the chain has healed, and decoding catches up.
/// - A whole key frame that is due, or that comes into a broken chain, replaces all that lies before it and cannot be
///   decoded.
///
/// Takes any bytes. Memory is bounded by ``JitterBufferSettings/packetCapacity``, and eight times the longest frame that
/// came; what does not fit pushes out the oldest frames. Nothing is allocated per packet or frame once the ring and the arrays have grown to the stream.
///
/// One owner, no thread, no clock: time is an argument and must not run backwards (a time before the last one counts as
/// that one). One buffer, one stream. Sources: RFC 3550, 6386, 7741, 9628, 4585.
public struct JitterBuffer: ~Copyable, Sendable {
    /// What the buffer was made with. The SSRC is filled in with the first packet's if it was left open.
    public internal(set) var settings: JitterBufferSettings
    /// The packets that a NACK is to name, by rising number, when `poll` has said `requestPackets`: those that it is time to ask
    /// for, and those that were asked for within this round trip and have not come. Until the next poll.
    public internal(set) var requestedPackets: [SequenceNumber] = []
    /// What the frame is whose bytes `poll` gave last, when it has said `frame`; until the next poll.
    public internal(set) var releasedFrame: ReceivedFrame

    /// Who reads the payloads; told apart for every packet, so it is not the codec's name.
    let payloadKind: PayloadKind
    var packets: PacketBuffer
    var continuity: StreamContinuity
    var reception = ReceptionCounter()
    var requests: NACKScheduler
    var assembler: FrameAssembler
    var finder = ReferenceFinder()
    /// How VP9's pictures refer to each other, where its packets do not say.
    var groups = GroupsOfPictures()
    var interval = FrameInterval()
    var frameLength = FrameLength()
    var timing: PlayoutTiming
    var requester: KeyFrameRequester
    var lag = DecoderLag()
    var counts = InboundStatistics()
    /// Size of the last key frame's picture.
    var resolution: Resolution?
    /// How far pictures have to be turned, as the stream said last (3GPP TS 26.114 §7.4.5).
    var rotation = Rotation.none
    /// The packet that did not fit the stream, whole, and when it came.
    var onProbation: (packet: [UInt8], arrival: MediaTime) = ([], .zero)
    var now = MediaTime(nanoseconds: .min)
    /// When a packet of the stream came last.
    var lastArrival = MediaTime(nanoseconds: .min)
    /// Nothing is held of what comes: see ``pause(behind:at:)``.
    public internal(set) var isPaused = false
    /// The next frame is released as soon as it can be decoded: see ``expedite(at:)``.
    var isExpedited = false
    /// What `poll` last said to wait for; long past once anything has happened since that could change it.
    var settledUntil = MediaTime(nanoseconds: .min)

    /// A buffer for one stream. Settings outside their ranges are the programmer's mistake.
    public init(_ settings: JitterBufferSettings) {
        settings.validate()
        self.settings = settings
        payloadKind = PayloadKind(settings.codec)
        releasedFrame = .none(of: settings)
        packets = PacketBuffer(
            limit: settings.packetCapacity, maximumByteCount: settings.maximumPacketByteCount)
        continuity = StreamContinuity(capacity: packets.limit)
        requests = NACKScheduler(settings.nack, roundTripTime: settings.roundTripTime)
        assembler = FrameAssembler(packetCapacity: packets.limit)
        timing = PlayoutTiming(settings.playoutDelay)
        requester = KeyFrameRequester(roundTripTime: settings.roundTripTime)
    }

    /// The time from here to the sender and back. Set it as it becomes known: requests are spaced by it.
    public var roundTripTime: MediaDuration {
        get { requester.roundTripTime }
        set {
            requester.roundTripTime = newValue
            requests.generator.roundTripTime = newValue
            unsettle()
        }
    }

    /// Takes note that a frame that was released took `duration` to become a picture: frames are then released so much
    /// earlier that they can be shown in time.
    public mutating func noteDecodeTime(_ duration: MediaDuration, at time: MediaTime) {
        timing.noteDecodeTime(duration, at: max(now, time))
    }

    /// Counts since the buffer was made.
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

    /// Has the next poll look at everything anew.
    @inline(__always)
    mutating func unsettle() { settledUntil = MediaTime(nanoseconds: .min) }

    /// When the next poll may have something else to say than the last one; long past where something has happened.
    package var nextPoll: MediaTime { min(settledUntil, requests.nextRepetition) }

    /// Packets and frames that are held now.
    public var occupancy: (packets: Int, frames: Int) { (packets.heldCount, assembler.frames.count) }
}
