import RillCore
import RillRTP

/// Unwraps the numbers of packets, and tells a stream that goes on from one that has jumped.
///
/// A packet fits if its sequence number lies within half the ring of the newest one, and if its way here seems to have
/// taken at most ten seconds more or less than the way of the packet before. One that does not fit is set aside (it may
/// be damaged or a stranger's). Two in a row that do not fit the stream but fit each other are its new beginning.
/// This is the probation of RFC 3550 A.1, made with the timestamp too.
struct StreamContinuity: Sendable {
    /// What to make of a packet.
    enum Verdict: Equatable {
        /// It goes on from those before, or is the first.
        case fits(sequence: Int64, timestamp: Int64)
        /// It does not; the next will tell.
        case setAside
        /// It does not, and neither did the one set aside: the stream has jumped. The next packets will fit.
        case jumped(Jump)
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
    /// A gap of sequence numbers up to this is loss, a larger one a sender that started anew (RFC 3550 A.1).
    static let maximumDropout: Int64 = 3000
    /// Timestamps stay within some hundred years of zero, so that arithmetic on them cannot overflow.
    private static let timestampLimit = Int64(1) << 48

    private let reach: Int64
    private var sequences = CounterExtender(bitWidth: 16)
    private var timestamps = CounterExtender(bitWidth: 32)
    /// Arrival less timestamp of the last packet that fitted.
    private var transit = MediaDuration.zero
    /// The last timestamp turned into a time: a frame's packets have one timestamp.
    private var lastTimestamp: (ticks: Int64, time: MediaTime) = (0, .zero)
    private var suspect: Suspect?

    private struct Suspect {
        var sequence: SequenceNumber
        var timestamp: RTPTimestamp
        var arrival: MediaTime
    }

    /// For a ring of `capacity` packets.
    init(capacity: Int) {
        self.reach = Int64(capacity / 2)
    }

    /// The newest extended sequence number; `nil` before the first packet.
    var newestSequence: Int64? { sequences.newest }

    /// Judges the packet and takes note of it.
    mutating func judge(
        _ sequence: SequenceNumber, _ timestamp: RTPTimestamp, at now: MediaTime
    ) -> Verdict {
        let extended = sequences.peek(UInt32(sequence.rawValue))
        let ticks = timestamps.peek(timestamp.rawValue)
        let newTransit = now - time(of: ticks)
        let ahead = extended - (sequences.newest ?? extended)
        let isNear = abs(ahead) <= reach
        let isTimely =
            timestamps.newest == nil
            || (abs((newTransit - transit).nanoseconds) <= StreamContinuity.maximumTransitStep.nanoseconds
                && abs(ticks) < StreamContinuity.timestampLimit)
        if isNear && isTimely {
            _ = sequences.extend(UInt32(sequence.rawValue))
            _ = timestamps.extend(timestamp.rawValue)
            transit = newTransit
            return .fits(sequence: extended, timestamp: ticks)
        }
        let packet = Suspect(sequence: sequence, timestamp: timestamp, arrival: now)
        guard let before = suspect, agree(before, packet) else {
            suspect = packet
            return .setAside
        }
        let jump = Jump(
            keepsSequence: (0...StreamContinuity.maximumDropout).contains(ahead), keepsTime: isTimely)
        restart(at: before, jump)
        return .jumped(jump)
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

    /// Goes on from `first` as if it had been the newest all along.
    private mutating func restart(at first: Suspect, _ jump: Jump) {
        if !jump.keepsSequence { sequences = CounterExtender(bitWidth: 16) }
        if !jump.keepsTime { timestamps = CounterExtender(bitWidth: 32) }
        _ = sequences.extend(UInt32(first.sequence.rawValue))
        let ticks = timestamps.extend(first.timestamp.rawValue)
        transit = first.arrival - time(of: ticks)
        suspect = nil
    }

    private mutating func time(of ticks: Int64) -> MediaTime {
        if ticks != lastTimestamp.ticks {
            lastTimestamp = (ticks, MediaTime(ticks: ticks, rate: RTPTimestamp.videoClockRate))
        }
        return lastTimestamp.time
    }
}
