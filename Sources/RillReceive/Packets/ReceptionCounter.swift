import RillCore
import RillRTP

/// Counts packets as a receiver report tells them: expected, lost, jitter (RFC 3550 A.3 and A.8).
struct ReceptionCounter: Sendable {
    /// Packets that came, duplicates and late ones too.
    private(set) var packetsReceived = 0
    /// Interarrival jitter in nanoseconds, smoothed (RFC 3550 §6.4.1).
    private(set) var jitter: Int64 = 0

    private var first: Int64?
    private var highest: Int64 = 0
    /// Packets that earlier stretches of the stream, before a jump of its numbers, should have had.
    private var expectedBefore = 0
    private var last: (arrival: MediaTime, timestamp: Int64)?
    private var previousReport = (expected: 0, received: 0)
    private var lastSenderReport: (sent: NTPShort, arrival: MediaTime)?

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
            // Packets of one frame have one timestamp: nothing to divide.
            let media =
                timestamp == last.timestamp
                ? 0 : (timestamp - last.timestamp) * 1_000_000_000 / Int64(RTPTimestamp.videoClockRate)
            let difference = abs((now - last.arrival).nanoseconds - media)
            jitter += (difference - jitter) / 16
        }
        last = (now, timestamp)
    }

    /// Whether packet `sequence` is the newest one, and has the timestamp of the one before it.
    @inline(__always)
    func continuesFrame(with sequence: Int64, _ timestamp: Int64) -> Bool {
        last?.timestamp == timestamp && sequence > highest
    }

    /// Notes a packet that goes on.
    @inline(__always)
    mutating func follow(_ sequence: Int64, at now: MediaTime) {
        packetsReceived += 1
        highest = sequence
        let difference = abs((now - (last?.arrival ?? now)).nanoseconds)
        jitter += (difference - jitter) / 16
        last?.arrival = now
    }

    /// The stream's numbers have jumped: the loss until now stays, the counting of each begins anew.
    mutating func restart(keepsSequence: Bool, keepsTime: Bool) {
        if !keepsSequence {
            expectedBefore = expected
            first = nil
        }
        if !keepsTime { last = nil }
    }

    /// Notes when the sender's last report was sent and came, for the next report to say (RFC 3550 §6.4.1).
    mutating func noteSenderReport(sent: NTPShort, at now: MediaTime) {
        lastSenderReport = (sent, now)
    }

    /// Packets that the sender has sent as far as the numbers tell.
    var expected: Int {
        guard let first else { return expectedBefore }
        return expectedBefore + Int(highest - first) + 1
    }

    /// Packets expected less packets received; negative when more duplicates came than packets were lost.
    var packetsLost: Int { expected - packetsReceived }

    /// What a receiver report is to say of the source now; the next one's interval begins here.
    mutating func report(on ssrc: SSRC, at now: MediaTime) -> ReportBlock {
        let fraction = ReceptionCount.fractionLost(
            expected: expected - previousReport.expected, received: packetsReceived - previousReport.received)
        previousReport = (expected, packetsReceived)
        return ReportBlock(
            ssrc: ssrc, fractionLost: fraction, cumulativeLost: packetsLost,
            extendedHighestSequenceNumber: UInt32(truncatingIfNeeded: highest),
            jitter: UInt32(clamping: jitter / 1000 * Int64(RTPTimestamp.videoClockRate) / 1_000_000),
            lastSenderReport: lastSenderReport?.sent,
            delaySinceLastSenderReport: lastSenderReport.map { NTPShort(nanoseconds: (now - $0.arrival).nanoseconds) }
                ?? .zero)
    }
}
