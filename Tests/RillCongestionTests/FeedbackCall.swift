import RillCongestion
import RillTestSupport

/// The two kinds of feedback.
enum FeedbackKind: CaseIterable {
    case transportWide, byStream
}

/// A call through history and estimate, whose feedback the test may change. It sends trains of three packets, 4 ms
/// apart.
final class FeedbackCall {
    let kind: FeedbackKind
    var history = SentPacketHistory()
    var estimate = BandwidthEstimate(start: .kilobits(300), range: .kilobits(50) ... .kilobits(2500))
    private var transportWide = FeedbackBuilder()
    private var byStream = StreamFeedbackBuilder()
    private(set) var now = MediaTime.zero
    private(set) var outcomeCount = 0
    private(set) var sentCount = 0
    private(set) var highest = 0
    private var resolved: Set<Int64> = []
    private var sequence: UInt16 = 65_000
    private var train = 0

    init(_ kind: FeedbackKind) { self.kind = kind }

    /// Sends a train, and returns the feedback that it caused, if it is due.
    func step() -> [UInt8]? {
        train += 1
        for _ in 0..<3 {
            let number = history.record(
                .media, of: SSRC(1), SequenceNumber(sequence), byteCount: 1228, train: train, at: now)
            let arrival = now + .milliseconds(50)
            switch kind {
            case .transportWide: transportWide.record(number, byteCount: 1228, arrival: arrival)
            case .byStream: byStream.record(SequenceNumber(sequence), of: SSRC(1), byteCount: 1228, arrival: arrival)
            }
            sequence &+= 1
            sentCount += 1
            now += .milliseconds(4)
        }
        history.expire(sentBefore: now - .seconds(1))
        return feedback()
    }

    private func feedback() -> [UInt8]? {
        let due = now + .milliseconds(50)
        switch kind {
        case .transportWide:
            guard transportWide.dueTime <= due, let byteCount = transportWide.prepare() else { return nil }
            return [UInt8](capacity: byteCount) { output in
                transportWide.write(from: SSRC(9), about: SSRC(1), at: due, into: &output)
            }
        case .byStream:
            guard byStream.dueTime <= due, let byteCount = byStream.prepare() else { return nil }
            let clock = NTPTimestamp(seconds: 65_530, fraction: 0).advanced(byNanoseconds: due.nanoseconds)
            return [UInt8](capacity: byteCount) { output in
                byStream.write(from: SSRC(9), timestamp: clock.short, at: due, into: &output)
            }
        }
    }

    /// Processes a datagram as a session does. Returns whether it could be parsed.
    func take(_ datagram: [UInt8]) -> Bool {
        guard let packet = try? RTCPPacket(parsing: datagram.span), let message = try? RTCPMessage(parsing: packet)
        else { return false }
        let time = now + .milliseconds(100)
        var outcomes: [(packet: PacketRecord, outcome: PacketOutcome)] = []
        switch message {
        case .transportFeedback(let feedback): history.take(feedback) { outcomes.append(($0, $1)) }
        case .congestionControlFeedback(let feedback): history.take(feedback) { outcomes.append(($0, $1)) }
        default: return false
        }
        for (packet, outcome) in outcomes { record(packet, outcome, at: time) }
        estimate.update(at: time)
        highest = max(highest, estimate.rate.bitsPerSecond)
        return true
    }

    private func record(_ packet: PacketRecord, _ outcome: PacketOutcome, at time: MediaTime) {
        outcomeCount += 1
        precondition(resolved.insert(packet.number).inserted, "packet \(packet.number) has two outcomes")
        estimate.record(packet, outcome, at: time)
        if resolved.count > 100_000 { resolved = resolved.filter { $0 > packet.number - 50_000 } }
    }

    /// Whether everything is within its bounds.
    func isSound() -> Bool {
        estimate.range.contains(estimate.rate) && history.bytesInFlight >= 0 && outcomeCount <= sentCount
    }
}
