import RillCongestion
import RillTestSupport

/// A sender's history and a receiver's builder of feedback by stream, joined by datagrams that the test may lose,
/// repeat or mutate.
final class StreamFeedbackRoundTrip {
    /// A packet by its stream and its place in it, from 0.
    struct Key: Hashable, Comparable {
        var ssrc: UInt32
        var index: Int

        static func < (a: Key, b: Key) -> Bool { (a.ssrc, a.index) < (b.ssrc, b.index) }
    }

    private struct Datagram {
        var number: SequenceNumber
        var ssrc: SSRC
        var mark: CongestionControlFeedback.ECNMark
        var byteCount: Int
        var arrival: MediaTime
    }

    var history = SentPacketHistory()
    var builder = StreamFeedbackBuilder()
    /// The sequence number of the first packet of each stream.
    var start: UInt16 = 0
    private(set) var outcomes: [Key: PacketOutcome] = [:]
    private(set) var marks: [Key: CongestionControlFeedback.ECNMark] = [:]
    private(set) var outcomeCount = 0
    /// The numbers of packets in the order in which their outcomes came, for each datagram.
    private(set) var order: [[Int64]] = []
    private var keys: [Int64: Key] = [:]
    private var counts: [UInt32: Int] = [:]
    private var sentCount: Int64 = 0
    private var travelling: [Datagram] = []

    /// Sends a packet of a stream, which arrives after `delay`; `nil` loses it.
    ///
    /// - Returns: the sequence number.
    @discardableResult
    func send(
        _ ssrc: UInt32 = 1, at now: MediaTime, delay: MediaDuration?,
        mark: CongestionControlFeedback.ECNMark = .notCapable,
        byteCount: Int = 1228
    ) -> SequenceNumber {
        let index = counts[ssrc, default: 0]
        counts[ssrc] = index + 1
        keys[sentCount] = Key(ssrc: ssrc, index: index)
        sentCount += 1
        let number = SequenceNumber(start).advanced(by: index)
        history.record(.media, of: SSRC(ssrc), number, byteCount: byteCount, at: now)
        if let delay {
            travelling.append(
                Datagram(number: number, ssrc: SSRC(ssrc), mark: mark, byteCount: byteCount, arrival: now + delay))
        }
        return number
    }

    /// Delivers the packets that have arrived by then.
    func deliver(at now: MediaTime) {
        travelling.sort { $0.arrival < $1.arrival }
        while let first = travelling.first, first.arrival <= now {
            builder.record(
                first.number, of: first.ssrc, mark: first.mark, byteCount: first.byteCount, arrival: first.arrival)
            travelling.removeFirst()
        }
    }

    /// Whether feedback is due on the packets that have arrived by then.
    func isDue(at now: MediaTime) -> Bool {
        deliver(at: now)
        return builder.dueTime <= now
    }

    /// The feedback that is due now, as a datagram.
    func feedback(at now: MediaTime) -> [UInt8]? {
        deliver(at: now)
        guard let byteCount = builder.prepare() else { return nil }
        // The receiver's wall clock is about to wrap.
        let timestamp = NTPTimestamp(seconds: 65_500, fraction: 0).advanced(byNanoseconds: now.nanoseconds).short
        return [UInt8](capacity: byteCount) { output in
            builder.write(from: SSRC(99), timestamp: timestamp, at: now, into: &output)
        }
    }

    func take(_ datagram: [UInt8]) throws(RTPError) {
        let packet = try RTCPPacket(parsing: datagram.span)
        let feedback = try CongestionControlFeedback(parsing: packet)
        var numbers: [Int64] = []
        history.take(feedback) { packet, outcome in
            outcomeCount += 1
            numbers.append(packet.number)
            guard let key = keys[packet.number] else { preconditionFailure("packet \(packet.number) was never sent") }
            outcomes[key] = outcome
            marks[key] = packet.mark
        }
        order.append(numbers)
    }

    func outcome(_ ssrc: UInt32 = 1, _ index: Int) -> PacketOutcome? { outcomes[Key(ssrc: ssrc, index: index)] }
    func mark(_ ssrc: UInt32 = 1, _ index: Int) -> CongestionControlFeedback.ECNMark? {
        marks[Key(ssrc: ssrc, index: index)]
    }

    func isReceived(_ ssrc: UInt32 = 1, _ index: Int) -> Bool {
        if case .received? = outcome(ssrc, index) { true } else { false }
    }

    /// The arrival of a packet after that of another one, as the sender learned it.
    func spacing(_ index: Int, after other: Int) -> MediaDuration? {
        guard case .received(let arrival)? = outcome(1, index), case .received(let before)? = outcome(1, other) else {
            return nil
        }
        return arrival - before
    }
}
