import RillCore
import RillRTP

/// Unwraps the numbers of packets, and tells a stream that goes on from one that has jumped.
///
/// A packet fits if its sequence number lies within half the ring of the newest one, and if its way here seems to have
/// taken at most ten seconds more or less than the way of the packet before. One that does not fit is set aside (it may
/// be damaged or a stranger's). Two in a row that do not fit the stream but fit each other are its new beginning.
/// This is the probation of RFC 3550 A.1, made with the timestamp too. After a silence, when nothing is at stake, a packet
/// whose number goes on is believed alone: senders that pause may stop their media clock.
///
/// Only what the network brings for the first time says where the stream is. Packets that were sent again, made from
/// FEC packets or duplicated on the way come in rows too, and a small ring has moved on by then: they are stragglers. So is
/// whatever lies before the newest packet both in number and in time; a sender that started anew there would be believed
/// when its timestamps have caught up.
struct StreamContinuity: Sendable {
    /// What to make of a packet.
    enum Verdict: Equatable {
        /// It goes on from those before, or is the first.
        case fits(sequence: Int64, timestamp: Int64)
        /// It does not; the next will tell.
        case onProbation
        /// It does not, and tells nothing: it is of the stream's own past, or did not come on the network.
        case straggler
        /// It does not, and neither did the one set aside: the stream has jumped. The next packets will fit.
        case jumped(Jump)
        /// The timestamps have jumped over a silence, and the numbers go on. The next packets will fit.
        case resumed(Jump)
    }

    /// What a jump leaves intact.
    struct Jump: Equatable {
        /// The sequence numbers go on: packets were lost, more than the ring holds.
        var keepsSequence: Bool
        /// The timestamps go on.
        var keepsTime: Bool
    }

    /// The furthest that a transit time may lie from the one before, in nanoseconds.
    static let maximumTransitStep = MediaDuration.seconds(10)
    /// From this length on a pause of the stream is a silence.
    static let silence = MediaDuration.seconds(2)
    /// A gap of sequence numbers up to this is loss, a larger one a sender that started anew (RFC 3550 A.1).
    static let maximumDropout: Int64 = 3000

    private let reach: Int64
    private let timestampLimit: Int64
    /// The newest packet's numbers, with and without wraparound; `nil` before the first packet.
    private var newest: Newest?
    /// Arrival less timestamp of the last packet that fitted.
    private var transit = MediaDuration.zero
    /// The last timestamp turned into a time: a frame's packets have one timestamp.
    private var lastTimestamp: (ticks: Int64, time: MediaTime) = (0, .zero)
    private var suspect: Suspect?

    private struct Newest {
        var sequence: Int64
        var timestamp: Int64

        /// The sequence number `wire` the short way round from the newest.
        func extend(_ wire: SequenceNumber) -> Int64 {
            sequence &+ Int64(wire.distance(since: SequenceNumber(UInt16(truncatingIfNeeded: sequence))))
        }

        /// The timestamp `wire` the short way round from the newest.
        func extend(_ wire: RTPTimestamp) -> Int64 {
            timestamp &+ Int64(wire.distance(since: RTPTimestamp(UInt32(truncatingIfNeeded: timestamp))))
        }
    }

    private struct Suspect {
        var sequence: SequenceNumber
        var timestamp: RTPTimestamp
        var arrival: MediaTime
    }

    /// For a ring of `capacity` packets.
    ///
    /// - Parameter timestampLimit: timestamps that have run away from zero by more are a jump. A hundred years lie far
    ///   within, and arithmetic on such times cannot overflow.
    init(capacity: Int, timestampLimit: Int64 = 1 << 48) {
        self.reach = Int64(capacity / 2)
        self.timestampLimit = timestampLimit
    }

    /// The newest extended sequence number; `nil` before the first packet.
    var newestSequence: Int64? { newest?.sequence }

    /// The very next packet of the newest one's frame.
    struct Next {
        var sequence: Int64
        var timestamp: Int64
        /// Arrival less timestamp, in time.
        var transit: MediaDuration
    }

    /// The numbers of a packet that is the very next one of the newest packet's frame and came in time, which is the
    /// usual case; `nil` for any other.
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

    /// Takes note of a packet that was found to be the next one.
    @inline(__always)
    mutating func follow(_ next: Next) {
        newest?.sequence = next.sequence
        transit = next.transit
    }

    /// Judges the packet and takes note of it.
    ///
    /// - Parameters:
    ///   - isEvidence: whether it may show that the stream has jumped.
    ///   - isAfterSilence: nothing came for a while, and nothing waits for what may come.
    mutating func judge(
        _ sequence: SequenceNumber, _ timestamp: RTPTimestamp, isEvidence: Bool = true, isAfterSilence: Bool = false,
        at now: MediaTime
    ) -> Verdict {
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
        if isTimely, abs(extended - newest.sequence) <= reach {
            self.newest = Newest(
                sequence: max(extended, newest.sequence), timestamp: max(ticks, newest.timestamp))
            transit = newTransit
            return .fits(sequence: extended, timestamp: ticks)
        }
        let isPast = isTimely && extended < newest.sequence && ticks <= newest.timestamp
        guard isEvidence, !isPast else { return .straggler }
        if isAfterSilence, (1...reach).contains(extended - newest.sequence) {
            begin(at: extended, abs(ticks) < timestampLimit ? ticks : Int64(timestamp.rawValue), at: now)
            suspect = nil
            return .resumed(Jump(keepsSequence: true, keepsTime: false))
        }
        let packet = Suspect(sequence: sequence, timestamp: timestamp, arrival: now)
        guard let before = suspect, agree(before, packet) else {
            suspect = packet
            return .onProbation
        }
        let jump = Jump(
            keepsSequence: (0...StreamContinuity.maximumDropout).contains(extended - newest.sequence),
            keepsTime: isTimely)
        // It goes on from the packet set aside, as if that had been the newest all along.
        begin(
            at: jump.keepsSequence ? newest.extend(before.sequence) : Int64(before.sequence.rawValue),
            jump.keepsTime ? newest.extend(before.timestamp) : Int64(before.timestamp.rawValue),
            at: before.arrival)
        suspect = nil
        return .jumped(jump)
    }

    private mutating func begin(at sequence: Int64, _ timestamp: Int64, at now: MediaTime) {
        newest = Newest(sequence: sequence, timestamp: timestamp)
        transit = now - time(of: timestamp)
    }

    /// Whether two packets, neither of which fits the stream, could be of one stream.
    private func agree(_ a: Suspect, _ b: Suspect) -> Bool {
        let packets = b.sequence.distance(since: a.sequence)
        let media = MediaTime(
            ticks: Int64(b.timestamp.distance(since: a.timestamp)), rate: RTPTimestamp.videoClockRate)
        let step = (b.arrival - a.arrival) - (media - .zero)
        return packets != 0 && abs(packets) <= reach
            && abs(step.nanoseconds) <= StreamContinuity.maximumTransitStep.nanoseconds
    }

    private mutating func time(of ticks: Int64) -> MediaTime {
        if ticks != lastTimestamp.ticks {
            lastTimestamp = (ticks, MediaTime(ticks: ticks, rate: RTPTimestamp.videoClockRate))
        }
        return lastTimestamp.time
    }
}
