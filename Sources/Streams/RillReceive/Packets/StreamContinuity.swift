import RillCore
import RillRTP

/// Extends the sequence numbers and timestamps of packets, and distinguishes a continuing stream from one that has
/// jumped.
///
/// A packet fits if its sequence number is within half the ring of the newest one, and if its transit time differs by
/// at most ten seconds from the previous packet's. A packet that does not fit is set aside (it may be damaged or
/// foreign). Two consecutive packets that do not fit the stream but fit each other are its new start. This is the
/// probation of RFC 3550 A.1, extended to the timestamp. After a silence, when nothing is at stake, a single packet
/// whose sequence number continues is accepted: senders that pause may stop their media clock.
///
/// Only first-time packets from the network show where the stream is. Retransmitted packets, packets recovered by FEC
/// and duplicates also arrive in runs, and a small ring has moved on by then: they are stragglers.
///
/// A sender that restarts may use numbers that are near the old ones. A packet with a lower number and a later
/// timestamp than the newest one's cannot be of the stream, so two of them are a restart wherever they are. Packets
/// that are before the newest one both in number and in time are the stream's past, unless half a second of them
/// arrives in order and in its own time, and nothing newer with them.
struct StreamContinuity: Sendable {
    /// How to treat a packet.
    enum Outcome: Equatable {
        /// It continues the stream, or is the first.
        case fits(sequence: Int64, timestamp: Int64)
        /// It does not fit; the next packet will decide.
        case onProbation
        /// It does not fit and proves nothing: it is from the stream's own past, or did not arrive on the network.
        case straggler
        /// It does not fit, and neither did the one set aside: the stream has jumped. The next packets will fit.
        case jumped(Jump)
        /// The timestamps have jumped over a silence, and the sequence numbers continue. The next packets will fit.
        case resumed(Jump)
    }

    /// What continues over a jump.
    struct Jump: Equatable {
        /// The sequence numbers continue: more packets were lost than the ring holds.
        var keepsSequence: Bool
        /// The timestamps continue.
        var keepsTime: Bool
    }

    /// The largest difference between the transit times of two consecutive packets.
    static let maximumTransitStep = MediaDuration.seconds(10)
    /// A pause of the stream of this length or more is a silence.
    static let silence = MediaDuration.seconds(2)
    /// A gap of sequence numbers up to this is loss, a larger one a restarted sender (RFC 3550 A.1).
    static let maximumDropout: Int64 = 3000

    private let reach: Int64
    private let clockRate: ClockRate
    private let timestampLimit: Int64
    /// The newest packet's extended sequence number and timestamp; `nil` before the first packet.
    private var newest: Newest?
    /// Arrival minus timestamp of the last packet that fitted.
    private var transit = MediaDuration.zero
    /// The last timestamp converted to a time: a frame's packets have one timestamp.
    private var lastTimestamp: (ticks: Int64, time: MediaTime) = (0, .zero)
    private var suspect: Suspect?
    private var rerun: Rerun?

    /// Packets of the past that arrive for this time as a stream would are a restarted sender's. Retransmissions and
    /// packets that another path delayed arrive faster.
    private static let longestRerun = MediaDuration.milliseconds(500)
    /// At least so many timestamps follow each other in it.
    private static let leastSteps = 4
    /// The largest step between two packets of a rerun: what a network loses or reorders.
    private static let rerunReach = 64

    private struct Newest {
        var sequence: Int64
        var timestamp: Int64

        /// Extends `wire` to the nearest value to the newest sequence number.
        func extend(_ wire: SequenceNumber) -> Int64 {
            sequence &+ Int64(wire.distance(since: SequenceNumber(UInt16(truncatingIfNeeded: sequence))))
        }

        /// Extends `wire` to the nearest value to the newest timestamp.
        func extend(_ wire: RTPTimestamp) -> Int64 {
            timestamp &+ Int64(wire.distance(since: RTPTimestamp(UInt32(truncatingIfNeeded: timestamp))))
        }
    }

    private struct Suspect {
        var sequence: SequenceNumber
        var timestamp: RTPTimestamp
        var arrival: MediaTime
    }

    /// Packets from before the newest one that could be a stream.
    private struct Rerun {
        /// The stream's newest sequence number: while it stays, nothing newer has arrived.
        var newest: Int64
        var first: Suspect
        var last: Suspect
        /// How often the timestamp went on.
        var steps = 0
    }

    /// Creates an instance for a ring of `capacity` packets.
    ///
    /// - Parameters:
    ///   - capacity: the number of packets in the ring.
    ///   - clockRate: the rate of the timestamps.
    ///   - timestampLimit: timestamps further from zero than this are a jump. A hundred years are far within, and
    ///     arithmetic on such times cannot overflow.
    init(capacity: Int, _ clockRate: ClockRate = .video, timestampLimit: Int64 = 1 << 48) {
        self.clockRate = clockRate
        self.reach = Int64(capacity / 2)
        self.timestampLimit = timestampLimit
    }

    /// The newest extended sequence number; `nil` before the first packet.
    var newestSequence: Int64? { newest?.sequence }

    /// The packet that directly continues the newest one's frame.
    struct Next {
        var sequence: Int64
        var timestamp: Int64
        /// Arrival minus timestamp, as a time.
        var transit: MediaDuration
    }

    /// Returns the extended numbers of a packet that directly continues the newest packet's frame and arrived in
    /// time, which is the usual case; `nil` for any other.
    @inline(__always)
    func next(_ sequence: SequenceNumber, _ timestamp: RTPTimestamp, at now: MediaTime) -> Next? {
        guard let newest, UInt16(truncatingIfNeeded: newest.sequence &+ 1) == sequence.rawValue,
            UInt32(truncatingIfNeeded: newest.timestamp) == timestamp.rawValue, newest.timestamp == lastTimestamp.ticks
        else { return nil }
        let transit = now - lastTimestamp.time
        let step = (transit - self.transit).nanoseconds
        guard abs(step) <= StreamContinuity.maximumTransitStep.nanoseconds else { return nil }
        return Next(sequence: newest.sequence &+ 1, timestamp: newest.timestamp, transit: transit)
    }

    /// Notes a packet from ``next(_:_:at:)``.
    @inline(__always)
    mutating func follow(_ next: Next) {
        newest?.sequence = next.sequence
        transit = next.transit
    }

    /// Judges the packet and notes it.
    ///
    /// - Parameters:
    ///   - sequence: its sequence number.
    ///   - timestamp: its timestamp.
    ///   - isEvidence: whether it may show that the stream has jumped.
    ///   - isAfterSilence: whether nothing arrived for a while, and no frame waits.
    ///   - now: the current time.
    mutating func judge(
        _ sequence: SequenceNumber, _ timestamp: RTPTimestamp, isEvidence: Bool = true, isAfterSilence: Bool = false,
        at now: MediaTime
    ) -> Outcome {
        guard let newest else {
            begin(at: Int64(sequence.rawValue), Int64(timestamp.rawValue), at: now)
            return .fits(sequence: Int64(sequence.rawValue), timestamp: Int64(timestamp.rawValue))
        }
        let extended = newest.extend(sequence)
        let ticks = newest.extend(timestamp)
        let newTransit = now - time(of: ticks)
        let isTimely =
            abs((newTransit - transit).nanoseconds) <= StreamContinuity.maximumTransitStep.nanoseconds
            && abs(ticks) < timestampLimit
        let ahead = extended &- newest.sequence
        if isTimely, ahead >= 0, ahead <= reach {
            self.newest = Newest(sequence: extended, timestamp: max(ticks, newest.timestamp))
            transit = newTransit
            return .fits(sequence: extended, timestamp: ticks)
        }
        return judge(
            Suspect(sequence: sequence, timestamp: timestamp, arrival: now),
            at: Newest(sequence: extended, timestamp: ticks), newTransit, isTimely: isTimely, isEvidence: isEvidence,
            isAfterSilence: isAfterSilence, newest)
    }

    /// Judges a packet that is not the usual next one: a late one, or one that does not fit.
    ///
    /// - Parameters:
    ///   - packet: the packet.
    ///   - place: its extended numbers.
    ///   - newTransit: its transit time.
    ///   - isTimely: whether that is near the previous packet's.
    ///   - isEvidence: whether the packet may show that the stream has jumped.
    ///   - isAfterSilence: whether nothing arrived for a while, and no frame waits.
    ///   - newest: the newest packet.
    @inline(never)
    private mutating func judge(
        _ packet: Suspect, at place: Newest, _ newTransit: MediaDuration, isTimely: Bool, isEvidence: Bool,
        isAfterSilence: Bool, _ newest: Newest
    ) -> Outcome {
        let (extended, ticks) = (place.sequence, place.timestamp)
        let isBehind = extended < newest.sequence
        let isPast = isBehind && ticks <= newest.timestamp
        let isRestart = isEvidence && isBehind && (!isPast || isRerun(packet, behind: newest.sequence))
        if isTimely, !isRestart, abs(extended - newest.sequence) <= reach {
            self.newest?.timestamp = max(ticks, newest.timestamp)
            transit = newTransit
            return .fits(sequence: extended, timestamp: ticks)
        }
        guard isEvidence, !isTimely || !isPast || isRestart else { return .straggler }
        if isAfterSilence, (1...reach).contains(extended - newest.sequence) {
            begin(
                at: extended, abs(ticks) < timestampLimit ? ticks : Int64(packet.timestamp.rawValue),
                at: packet.arrival)
            suspect = nil
            return .resumed(Jump(keepsSequence: true, keepsTime: false))
        }
        guard let before = suspect, agree(before, packet) else {
            suspect = packet
            return .onProbation
        }
        let jump = Jump(
            keepsSequence: (0...StreamContinuity.maximumDropout).contains(extended - newest.sequence),
            keepsTime: isTimely && ticks >= newest.timestamp)
        // It continues from the packet set aside, as if that had been the newest all along.
        begin(
            at: jump.keepsSequence ? newest.extend(before.sequence) : Int64(before.sequence.rawValue),
            jump.keepsTime ? newest.extend(before.timestamp) : Int64(before.timestamp.rawValue),
            at: before.arrival)
        (suspect, rerun) = (nil, nil)
        return .jumped(jump)
    }

    /// Whether packets from before the newest one have come as those of a restarted sender would, up to this one.
    private mutating func isRerun(_ packet: Suspect, behind newest: Int64) -> Bool {
        guard let run = rerun, run.newest == newest else {
            rerun = Rerun(newest: newest, first: packet, last: packet)
            return false
        }
        let step = packet.sequence.distance(since: run.last.sequence)
        guard abs(step) <= StreamContinuity.rerunReach else {
            rerun = Rerun(newest: newest, first: packet, last: packet)
            return false
        }
        if step > 0 {
            rerun?.last = packet
            if packet.timestamp != run.last.timestamp { rerun?.steps += 1 }
        }
        let time = packet.arrival - run.first.arrival
        let media = clockRate.duration(of: Int64(packet.timestamp.distance(since: run.first.timestamp)))
        return run.steps >= StreamContinuity.leastSteps && time >= StreamContinuity.longestRerun && media >= time / 2
    }

    private mutating func begin(at sequence: Int64, _ timestamp: Int64, at now: MediaTime) {
        newest = Newest(sequence: sequence, timestamp: timestamp)
        transit = now - time(of: timestamp)
    }

    /// Whether two packets, neither of which fits the stream, could be of one stream.
    private func agree(_ a: Suspect, _ b: Suspect) -> Bool {
        let packets = b.sequence.distance(since: a.sequence)
        let media = clockRate.duration(of: Int64(b.timestamp.distance(since: a.timestamp)))
        let step = (b.arrival - a.arrival) - media
        return packets != 0 && abs(packets) <= reach
            && abs(step.nanoseconds) <= StreamContinuity.maximumTransitStep.nanoseconds
    }

    /// A timestamp as a time on the sender's media clock; that of the last packet is known.
    @inline(__always)
    mutating func time(of ticks: Int64) -> MediaTime {
        if ticks != lastTimestamp.ticks {
            lastTimestamp = (ticks, clockRate.time(of: ticks))
        }
        return lastTimestamp.time
    }
}
