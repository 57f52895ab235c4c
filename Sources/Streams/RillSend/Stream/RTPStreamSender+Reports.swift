public import RillCore
package import RillRTP

extension RTPStreamSender {
    /// The next action for the sender.
    public enum PollResult: Equatable, Sendable {
        /// Call ``RTPStreamSender/writeReport(at:into:)``.
        case reportDue
        /// Nothing to do before that time.
        case idle(until: MediaTime)
    }

    /// Returns what to do at `now`, or when to poll again.
    ///
    /// The first report is due with the first frame, so that receivers can map the stream to wall clock time and
    /// measure the round-trip time from the start. Further reports follow every `reportInterval`. The first reference
    /// time of a receiver (RFC 3611 §4.4) makes the next report due earlier, but at least 100 ms after the previous
    /// one. A sender that has sent nothing for two intervals does not report (RFC 3550 §6.4): reports stop until the
    /// next frame.
    public func poll(at now: MediaTime) -> PollResult {
        now >= nextReport ? .reportDue : .idle(until: nextReport)
    }

    /// The size of the report that ``writeReport(at:into:)`` writes in bytes.
    public var reportByteCount: Int {
        senderReport(at: .zero).byteCount + SourceDescription.byteCount(canonicalName: canonicalName.count)
            + receiverClocks.byteCount
    }

    /// Appends a compound packet: a sender report, the canonical name (RFC 3550 §6.1), and echoes of the reference
    /// times that arrived since the last report, for receivers to measure the round-trip time (RFC 3611 §4.5).
    ///
    /// The NTP and RTP timestamps of the report both denote `now`. The wall clock time is `wallClockAtZero` advanced
    /// by the pipeline's clock. The RTP timestamp is that of a picture captured at `now`. Traps before the first
    /// frame, and unless `output` has room for `reportByteCount` bytes.
    @_lifetime(output: copy output)
    public mutating func writeReport(at now: MediaTime, into output: inout OutputSpan<UInt8>) {
        precondition(statistics.packetsSent > 0, "a sender report before the first packet")
        senderReport(at: now).write(into: &output)
        SourceDescription.write(canonicalName: canonicalName.span, of: settings.ssrc, into: &output)
        receiverClocks.write(from: settings.ssrc, at: now, into: &output)
        noteReport(at: now)
        nextReport = isSilent(at: now) ? .distantFuture : now + settings.reportInterval
    }

    /// Records that the contents of ``senderReport(at:)`` were sent, in this stream's datagram or in the session's.
    package mutating func noteReport(at now: MediaTime) {
        statistics.reportsSent += 1
        lastReport = now
    }

    /// Returns whether there is nothing to report: no frame was sent within two intervals (RFC 3550 §6.4).
    package func isSilent(at now: MediaTime) -> Bool {
        statistics.packetsSent == 0 || now - lastSend > settings.reportInterval * 2
    }

    /// Stores the reference time of a receiver. The echo to a new receiver is sent soon.
    mutating func noteReferenceTime(_ time: NTPTimestamp, of receiver: SSRC, at now: MediaTime) {
        guard receiverClocks.note(time, of: receiver, at: now), statistics.packetsSent > 0 else { return }
        nextReport = min(nextReport, max(now, lastReport + min(Self.reportSpacing, settings.reportInterval)))
    }

    /// The minimum time between reports, for any number of receivers; the interval if that is shorter.
    private static var reportSpacing: MediaDuration { .milliseconds(100) }

    /// The sequence number of the newest packet, with the number of its wraps in the upper 16 bits (RFC 3550 §6.4.1).
    /// Before the first packet, the number before its sequence number, modulo 2^32 (RFC 7728 §8.2, erratum 5540).
    package var extendedHighestSequenceNumber: UInt32 {
        firstExtendedNumber &+ UInt32(truncatingIfNeeded: history.count) &- 1
    }

    /// Returns the sender report of this stream at `now`, without report blocks.
    @_lifetime(immortal)
    package func senderReport(at now: MediaTime) -> SenderReport {
        // A retransmission stream is a separate source, whose packets do not count here.
        let isApart = settings.retransmission != nil
        let packets = statistics.packetsSent - (isApart ? statistics.retransmittedPacketsSent : 0)
        let octets = statistics.bytesSent - (isApart ? statistics.retransmittedBytesSent : 0)
        return SenderReport(
            ssrc: settings.ssrc, ntpTimestamp: clock.wallClock(at: now), rtpTimestamp: clock.timestamp(at: now),
            packetCount: UInt32(truncatingIfNeeded: packets),
            octetCount: UInt32(truncatingIfNeeded: octets))
    }
}
