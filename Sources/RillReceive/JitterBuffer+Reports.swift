public import RillCore
public import RillRTP

extension JitterBuffer {
    /// What the next receiver report is to say of this stream (RFC 3550 §6.4.1); `nil` before the first packet. The
    /// fraction lost is that since the call before.
    public mutating func reportBlock(at time: MediaTime) -> ReportBlock? {
        guard reception.packetsReceived > 0, let ssrc = settings.ssrc else { return nil }
        return reception.report(on: ssrc, at: time)
    }

    /// The newest packet of the stream that has come, or was restored; `nil` before the first.
    package var newestSequenceNumber: SequenceNumber? {
        continuity.newestSequence.map { SequenceNumber(UInt16(truncatingIfNeeded: $0)) }
    }

    /// Brings ``requestedPackets`` up to date: the packets that were asked for within this round trip and have not come.
    package mutating func collectUnanswered() {
        requests.collectUnanswered(at: now, jitter: answerJitter, into: &requestedPackets)
    }

    /// Whether the last NACK is to be repeated in a datagram that is sent now for another reason; if so, notes that it is.
    package mutating func isRepetitionDue() -> Bool { requests.isRepetitionDue(at: now) }

    /// Packets that the last NACK asked for, and the one before did not.
    package var newlyRequestedCount: Int { requests.newCount }

    /// By how much longer than a round trip an answer may take: what packets scatter by.
    var answerJitter: MediaDuration { MediaDuration(nanoseconds: reception.jitter * 2) }

    /// Takes a sender report that came for this stream, so that the next report block tells the sender the round trip
    /// time. One of another source is passed over.
    public mutating func noteSenderReport(_ report: SenderReport, at time: MediaTime) {
        guard report.ssrc == settings.ssrc else { return }
        reception.noteSenderReport(sent: report.ntpTimestamp.short, at: time)
    }
}
