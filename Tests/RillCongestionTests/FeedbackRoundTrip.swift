import RillCongestion
import RillTestSupport

/// A sender's history and a receiver's builder, joined by datagrams that the test may lose, repeat or mutate.
final class FeedbackRoundTrip {
    var history = SentPacketHistory()
    var builder = FeedbackBuilder()
    private(set) var outcomes: [Int64: PacketOutcome] = [:]
    private(set) var outcomeCount = 0

    /// Sends a packet, which arrives after `delay`; `nil` loses it.
    func send(at now: MediaTime, delay: MediaDuration?, byteCount: Int = 1228) {
        let number = history.record(.media, byteCount: byteCount, at: now)
        if let delay { builder.record(number, byteCount: byteCount, arrival: now + delay) }
    }

    /// The feedback that is due now, as a datagram.
    func feedback(at now: MediaTime) -> [UInt8]? {
        guard let byteCount = builder.prepare() else { return nil }
        return [UInt8](capacity: byteCount) { output in
            builder.write(from: SSRC(1), about: SSRC(2), at: now, into: &output)
        }
    }

    func take(_ datagram: [UInt8]) throws(RTPError) {
        let packet = try RTCPPacket(parsing: datagram.span)
        let feedback = try TransportFeedback(parsing: packet)
        history.take(feedback) { packet, outcome in
            outcomeCount += 1
            outcomes[packet.number] = outcome
        }
    }

    /// The arrival of a packet after that of another one, as the sender learned it.
    func spacing(_ number: Int64, after other: Int64) -> MediaDuration? {
        guard case .received(let arrival)? = outcomes[number], case .received(let before)? = outcomes[other] else {
            return nil
        }
        return arrival - before
    }
}
