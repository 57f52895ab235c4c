package import RillCore
package import RillRTP

/// The reference times of receivers that send no media, to be echoed so that they can measure the round-trip time.
///
/// See RFC 3611 §4.4 and §4.5. It stores the latest time of up to eight receivers; a ninth replaces the one known for
/// longest. Each time is echoed once.
package struct ReceiverClocks: Sendable {
    private var clocks = InlineArray<8, Clock?>(repeating: nil)
    private var oldest = 0
    /// The echoes that ``write(from:at:into:)`` is writing.
    private var echoes: [ReceiverDelay] = []

    private struct Clock {
        var receiver: SSRC
        var time: NTPShort
        var arrival: MediaTime
        var isEchoed = false
    }

    /// An empty set of clocks.
    package init() {
        echoes.reserveCapacity(clocks.count)
    }

    /// Stores the reference time of a receiver, which arrived at `now`.
    ///
    /// - Returns: whether the receiver is new, so that it does not know the round-trip time yet.
    package mutating func note(_ time: NTPTimestamp, of receiver: SSRC, at now: MediaTime) -> Bool {
        let clock = Clock(receiver: receiver, time: time.short, arrival: now)
        if let index = clocks.indices.first(where: { clocks[$0]?.receiver == receiver }) {
            clocks[index] = clock
            return false
        }
        clocks[oldest] = clock
        oldest = (oldest + 1) % clocks.count
        return true
    }

    /// The number of bytes that ``write(from:at:into:)`` appends.
    package var byteCount: Int {
        var count = 0
        for index in clocks.indices where clocks[index]?.isEchoed == false { count += 1 }
        guard count > 0 else { return 0 }
        return ExtendedReportWriter.headerByteCount + 4 + count * ReceiverDelay.byteCount
    }

    /// Appends a report with all pending echoes; nothing if there are none.
    @_lifetime(output: copy output)
    package mutating func write(from sender: SSRC, at now: MediaTime, into output: inout OutputSpan<UInt8>) {
        echoes.removeAll(keepingCapacity: true)
        for index in clocks.indices {
            guard let clock = clocks[index], !clock.isEchoed else { continue }
            clocks[index]?.isEchoed = true
            echoes.append(
                ReceiverDelay(
                    ssrc: clock.receiver, lastReceiverReport: clock.time,
                    delaySinceLastReceiverReport: NTPShort(nanoseconds: (now - clock.arrival).nanoseconds)))
        }
        guard !echoes.isEmpty else { return }
        let echoes = echoes
        let writer = ExtendedReportWriter(ssrc: sender, into: &output)
        writer.append(.delaySinceLastReceiverReport(WireList(echoes.span)), into: &output)
        writer.finish(into: &output)
    }
}
