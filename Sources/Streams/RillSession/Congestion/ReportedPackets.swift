import RillCore
import RillRTP

/// What report blocks say of one stream, each since the one before.
struct ReportedPackets: Sendable {
    /// The highest number that was reported; `nil` before the first report.
    private var highest: SequenceNumber?
    private var lost = 0
    private var lastEcho: NTPShort?

    /// What a block adds.
    struct Progress: Equatable, Sendable {
        var packetsExpected: Int
        var packetsLost: Int
        /// The round trip, if the block answers another sender report than the last one.
        var roundTripTime: MediaDuration?
    }

    /// Takes a block.
    ///
    /// Numbers are compared modulo 2^16: some receivers (aiortc) report them without their wraps.
    ///
    /// - Parameters:
    ///   - block: the block.
    ///   - sent: the numbers of the first packet and the newest one.
    ///   - wallClock: now, by the clock of our sender reports.
    /// - Returns: what is new; `nil` for a report that was overtaken, or of packets that were never sent.
    mutating func take(
        _ block: ReportBlock, sent: (first: SequenceNumber, newest: SequenceNumber), at wallClock: NTPTimestamp
    ) -> Progress? {
        let former = highest?.rawValue ?? sent.first.rawValue &- 1
        let reported = UInt16(truncatingIfNeeded: block.extendedHighestSequenceNumber)
        let expected = reported &- former
        guard expected <= sent.newest.rawValue &- former else { return nil }
        let more = block.cumulativeLost - lost
        (highest, lost) = (SequenceNumber(reported), block.cumulativeLost)
        var time: MediaDuration?
        if let echo = block.lastSenderReport, echo != lastEcho {
            lastEcho = echo
            time = block.roundTripTime(at: wallClock).map { MediaDuration(nanoseconds: $0.nanoseconds) }
        }
        return Progress(
            packetsExpected: Int(expected), packetsLost: min(max(more, -Int(expected)), Int(expected)),
            roundTripTime: time)
    }
}
