public import RillCore
public import RillRTP

extension JitterBuffer {
    /// Returns the report block of this stream for the next receiver report (RFC 3550 §6.4.1); `nil` before the first
    /// packet. The fraction lost counts since the previous call.
    public mutating func reportBlock(at time: MediaTime) -> ReportBlock? {
        guard reception.packetsReceived > 0, let ssrc = settings.ssrc else { return nil }
        return reception.report(on: ssrc, at: time)
    }

    /// The newest packet of the stream that arrived or was restored; `nil` before the first.
    package var newestSequenceNumber: SequenceNumber? {
        continuity.newestSequence.map { SequenceNumber(UInt16(truncatingIfNeeded: $0)) }
    }

    /// Updates ``requestedPackets``: the packets that were NACKed within this round trip and have not arrived.
    package mutating func collectUnanswered() {
        requests.collectUnanswered(at: now, jitter: answerJitter, into: &requestedPackets)
    }

    /// Whether to repeat the last NACK in a datagram that is sent now for another reason; if so, notes that it is.
    package mutating func isRepetitionDue() -> Bool { requests.isRepetitionDue(at: now) }

    /// The packets that the last NACK requested, and the previous one did not.
    package var newlyRequestedCount: Int { requests.newCount }

    /// The time beyond a round trip that an answer may take, because of jitter.
    var answerJitter: MediaDuration { MediaDuration(nanoseconds: reception.jitter * 2) }

    /// Notes a sender report, so that the next report block gives the sender its round-trip time. A report of another
    /// SSRC is ignored.
    public mutating func noteSenderReport(_ report: SenderReport, at time: MediaTime) {
        guard report.ssrc == settings.ssrc else { return }
        reception.noteSenderReport(sent: report.ntpTimestamp.short, at: time)
    }
}
