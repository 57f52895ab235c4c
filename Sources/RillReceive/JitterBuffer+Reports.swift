public import RillCore
public import RillRTP

extension JitterBuffer {
    /// What the next receiver report is to say of this stream (RFC 3550 §6.4.1); `nil` before the first packet. The
    /// fraction lost is that since the call before.
    public mutating func reportBlock(at time: MediaTime) -> ReportBlock? {
        guard reception.packetsReceived > 0, let ssrc = settings.ssrc else { return nil }
        return reception.report(on: ssrc, at: time)
    }

    /// Puts the numbers of packets that were asked for at `time` or since and have not come into `numbers`, in place of what
    /// was there: a datagram that asks for them may have been lost.
    ///
    /// - Returns: whether any of them had been asked for before.
    package mutating func collectUnanswered(since time: MediaTime, into numbers: inout [SequenceNumber]) -> Bool {
        repairs.collectUnanswered(since: time, into: &numbers)
    }

    /// By how much longer than a round trip an answer may take: what packets scatter by.
    package var answerJitter: MediaDuration { MediaDuration(nanoseconds: reception.jitter * 2) }

    /// Takes a sender report that came for this stream, so that the next report block tells the sender the round trip
    /// time. One of another source is passed over.
    public mutating func noteSenderReport(_ report: SenderReport, at time: MediaTime) {
        guard report.ssrc == settings.ssrc else { return }
        reception.noteSenderReport(sent: report.ntpTimestamp.short, at: time)
    }
}
