import RillCore
import RillRTP

/// Counts packets for receiver reports: expected, lost, jitter (RFC 3550 A.3 and A.8).
struct ReceptionCounter: Sendable {
    /// Packets received, including duplicates and late ones.
    private(set) var packetsReceived = 0
    /// Interarrival jitter in nanoseconds, smoothed (RFC 3550 §6.4.1).
    private(set) var jitter: Int64 = 0

    /// The rate of the timestamps.
    private let clockRate: ClockRate
    private var first: Int64?
    private var highest: Int64 = 0
    /// The packets expected in earlier parts of the stream, before its sequence numbers jumped.
    private var expectedBefore = 0
    private var last: (arrival: MediaTime, timestamp: Int64)?
    private var previousReport = (expected: 0, received: 0)
    private var lastSenderReport: (sent: NTPShort, arrival: MediaTime)?

    /// Counts nothing yet, of a stream with that clock.
    init(_ clockRate: ClockRate) { self.clockRate = clockRate }

    /// Notes a packet by its extended sequence number and timestamp.
    mutating func note(sequence: Int64, timestamp: Int64, at now: MediaTime) {
        packetsReceived += 1
        if let first {
            self.first = min(first, sequence)
            highest = max(highest, sequence)
        } else {
            first = sequence
            highest = sequence
        }
        if let last {
            let media = clockRate.wholeNanoseconds(of: timestamp - last.timestamp)
            let difference = abs((now - last.arrival).nanoseconds - media)
            jitter += (difference - jitter) / 16
        }
        last = (now, timestamp)
    }

    /// Whether packet `sequence` is the newest one, and has the timestamp of the previous one.
    @inline(__always)
    func continues(with sequence: Int64, _ timestamp: Int64) -> Bool {
        last?.timestamp == timestamp && sequence > highest
    }

    /// Notes a packet that continues the newest frame.
    @inline(__always)
    mutating func follow(_ sequence: Int64, at now: MediaTime) {
        packetsReceived += 1
        highest = sequence
        let difference = abs((now - (last?.arrival ?? now)).nanoseconds)
        jitter += (difference - jitter) / 16
        last?.arrival = now
    }

    /// Notes that the stream jumped: past losses are kept, and what jumped is counted from the start again.
    mutating func restart(keepsSequence: Bool, keepsTime: Bool) {
        if !keepsSequence {
            expectedBefore = expected
            first = nil
        }
        if !keepsTime { last = nil }
    }

    /// Notes when the sender's last report was sent and when it arrived, for the next report block (RFC 3550 §6.4.1).
    mutating func noteSenderReport(sent: NTPShort, at now: MediaTime) {
        lastSenderReport = (sent, now)
    }

    /// The number of packets that the sender has sent, according to the sequence numbers.
    var expected: Int {
        guard let first else { return expectedBefore }
        return expectedBefore + Int(highest - first) + 1
    }

    /// Packets expected minus packets received; negative if there were more duplicates than losses.
    var packetsLost: Int { expected - packetsReceived }

    /// Returns the report block of the source; the next interval starts now.
    mutating func report(on ssrc: SSRC, at now: MediaTime) -> ReportBlock {
        let fraction = ReceptionCount.fractionLost(
            expected: expected - previousReport.expected, received: packetsReceived - previousReport.received)
        previousReport = (expected, packetsReceived)
        return ReportBlock(
            ssrc: ssrc, fractionLost: fraction, cumulativeLost: packetsLost,
            extendedHighestSequenceNumber: UInt32(truncatingIfNeeded: highest),
            jitter: UInt32(clamping: jitter / 1000 * Int64(clockRate.hertz) / 1_000_000),
            lastSenderReport: lastSenderReport?.sent,
            delaySinceLastSenderReport: lastSenderReport.map { NTPShort(nanoseconds: (now - $0.arrival).nanoseconds) }
                ?? .zero)
    }
}
