public import RillCore
package import RillRTP

extension RTPStreamSender {
    /// What the sender wants next.
    public enum PollResult: Equatable, Sendable {
        /// ``RTPStreamSender/writeReport(at:into:)`` is to be called.
        case reportDue
        /// Nothing until then.
        case idle(until: MediaTime)
    }

    /// What is to be done at `now`, or when to ask again.
    ///
    /// The first report is due with the first frame, so that receivers can place the stream in time and measure the round
    /// trip from the start; each further one `reportInterval` after the one before. A receiver that tells its time for the
    /// first time (RFC 3611 §4.4) is answered sooner, though not within 100 ms of the report before. Who has sent nothing
    /// for two intervals has nothing to report (RFC 3550 §6.4): reports then rest until the next frame.
    public func poll(at now: MediaTime) -> PollResult {
        now >= nextReport ? .reportDue : .idle(until: nextReport)
    }

    /// Bytes of the report that ``writeReport(at:into:)`` writes.
    public var reportByteCount: Int {
        senderReport(at: .zero).byteCount + SourceDescription.byteCount(canonicalName: canonicalName.count)
            + receiverClocks.byteCount
    }

    /// Appends a compound of sender report and canonical name (RFC 3550 §6.1), and of the times that receivers have told
    /// since the last one, for them to measure the round trip (RFC 3611 §4.5).
    ///
    /// Its NTP and RTP stamps both denote `now`: wall time is `wallClockAtZero` carried forward by the pipeline's clock,
    /// and the RTP stamp is the one that a picture captured at `now` would bear. Asking before the first frame is the
    /// programmer's mistake, and so is too little room: `reportByteCount`.
    @_lifetime(output: copy output)
    public mutating func writeReport(at now: MediaTime, into output: inout OutputSpan<UInt8>) {
        precondition(statistics.packetsSent > 0, "a sender report before the first packet")
        senderReport(at: now).write(into: &output)
        SourceDescription.write(canonicalName: canonicalName.span, of: settings.ssrc, into: &output)
        receiverClocks.write(from: settings.ssrc, at: now, into: &output)
        noteReport(at: now)
        nextReport = isSilent(at: now) ? .distantFuture : now + settings.reportInterval
    }

    /// Takes note that what ``senderReport(at:)`` says has left, in whoever's datagram.
    package mutating func noteReport(at now: MediaTime) {
        statistics.reportsSent += 1
        lastReport = now
    }

    /// Whether there is nothing to report: no frame was sent within two intervals (RFC 3550 §6.4).
    package func isSilent(at now: MediaTime) -> Bool {
        statistics.packetsSent == 0 || now - lastSend > settings.reportInterval * 2
    }

    /// Takes the time that a receiver tells; to a new one the echo goes soon.
    mutating func noteReferenceTime(_ time: NTPTimestamp, of receiver: SSRC, at now: MediaTime) {
        guard receiverClocks.note(time, of: receiver, at: now), statistics.packetsSent > 0 else { return }
        nextReport = min(nextReport, max(now, lastReport + min(Self.reportSpacing, settings.reportInterval)))
    }

    /// However many receivers come, reports are so far apart, or an interval where that is shorter.
    private static var reportSpacing: MediaDuration { .milliseconds(100) }

    /// The number of the packet that was sent last, with the count of its wraps in the upper 16 bits (RFC 3550 §6.4.1); the one before
    /// the first, modulo 2^32, as long as none was (RFC 7728 §8.2, erratum 5540).
    package var extendedHighestSequenceNumber: UInt32 {
        UInt32(settings.firstSequenceNumber.rawValue) &+ UInt32(truncatingIfNeeded: history.count) &- 1
    }

    /// What this stream's sender has to report at `now`, without blocks on what it receives.
    @_lifetime(immortal)
    package func senderReport(at now: MediaTime) -> SenderReport {
        // A retransmission stream is another source, whose packets do not count here.
        let isApart = settings.retransmission != nil
        let packets = statistics.packetsSent - (isApart ? statistics.retransmittedPacketsSent : 0)
        let octets = statistics.bytesSent - (isApart ? statistics.retransmittedBytesSent : 0)
        return SenderReport(
            ssrc: settings.ssrc, ntpTimestamp: clock.wallClock(at: now), rtpTimestamp: clock.timestamp(at: now),
            packetCount: UInt32(truncatingIfNeeded: packets),
            octetCount: UInt32(truncatingIfNeeded: octets))
    }
}
