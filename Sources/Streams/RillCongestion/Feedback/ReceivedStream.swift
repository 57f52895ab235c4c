import RillCore
import RillRTP

/// The newest packets of one stream, for ``StreamFeedbackBuilder``.
struct ReceivedStream: Sendable {
    let ssrc: SSRC
    var numbers = ReportedNumbers()
    private(set) var lastArrival = MediaTime(nanoseconds: .min)

    private struct Packet: Sendable {
        /// `nil` for a packet that has not arrived.
        var arrival: MediaTime?
        var mark = CongestionControlFeedback.ECNMark.notCapable
    }

    /// By sequence number modulo the window, a power of two.
    private var packets: [Packet]

    init(_ ssrc: SSRC, window: Int) {
        self.ssrc = ssrc
        packets = [Packet](repeating: Packet(), count: window)
    }

    /// Records the arrival of a packet.
    ///
    /// - Returns: `false` for a packet that is too old.
    mutating func record(
        _ number: SequenceNumber, _ mark: CongestionControlFeedback.ECNMark, at arrival: MediaTime
    ) -> Bool {
        switch numbers.record(number, window: packets.count) {
        case .tooOld: return false
        case .newest(let extended, let skipped):
            if skipped > 0 { forget(skipped, before: extended) }
            packets[place(extended)] = Packet(arrival: arrival, mark: mark)
        case .late(let extended):
            let place = place(extended)
            if packets[place].arrival == nil {
                packets[place] = Packet(arrival: arrival, mark: mark)
            } else if mark == .congestionExperienced {
                // Among copies of a packet the first arrival counts, and any congestion mark (RFC 8888 §3.1).
                packets[place].mark = mark
            }
        }
        lastArrival = arrival
        return true
    }

    /// Appends the report on a range of numbers.
    @_lifetime(output: copy output)
    func write(
        _ range: ClosedRange<Int64>, at now: MediaTime, with writer: inout CongestionControlFeedbackWriter,
        into output: inout OutputSpan<UInt8>
    ) {
        let begin = SequenceNumber(UInt16(truncatingIfNeeded: range.lowerBound))
        writer.beginReport(on: ssrc, from: begin, into: &output)
        for number in range {
            let packet = packets[place(number)]
            guard let arrival = packet.arrival else {
                writer.append(.notReceived, into: &output)
                continue
            }
            let age = CongestionControlFeedback.ArrivalTimeOffset(
                nanoseconds: now.nanoseconds &- arrival.nanoseconds)
            writer.append(.received(age, packet.mark), into: &output)
        }
    }

    private func place(_ number: Int64) -> Int { Int(truncatingIfNeeded: number) & (packets.count - 1) }

    private mutating func forget(_ count: Int, before number: Int64) {
        for distance in 1...min(count, packets.count) { packets[place(number - Int64(distance))] = Packet() }
    }
}
