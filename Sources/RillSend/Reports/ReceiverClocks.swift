package import RillCore
package import RillRTP

/// The times of receivers that send nothing, to be echoed so that they can measure the round trip (RFC 3611 §4.4, §4.5).
///
/// It remembers the newest time of each of eight receivers; a ninth takes the place of the one that has been known
/// longest. Each time is echoed once.
package struct ReceiverClocks: Sendable {
    private var clocks = InlineArray<8, Clock?>(repeating: nil)
    private var oldest = 0
    /// What ``write(from:at:into:)`` has in hand.
    private var echoes: [ReceiverDelay] = []

    private struct Clock {
        var receiver: SSRC
        var time: NTPShort
        var arrival: MediaTime
        var isEchoed = false
    }

    /// No clocks yet.
    package init() {
        echoes.reserveCapacity(clocks.count)
    }

    /// Takes the time of a receiver, which arrived at `now`.
    ///
    /// - Returns: whether the receiver is a new one, who knows no round trip yet.
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

    /// Bytes that ``write(from:at:into:)`` appends.
    package var byteCount: Int {
        var count = 0
        for index in clocks.indices where clocks[index]?.isEchoed == false { count += 1 }
        guard count > 0 else { return 0 }
        return ExtendedReportWriter.headerByteCount + 4 + count * ReceiverDelay.byteCount
    }

    /// Appends a report with all echoes that are due, or nothing.
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
