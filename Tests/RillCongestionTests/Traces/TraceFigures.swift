import RillCore

/// The figures of a call over a trace, from its fifth second on.
struct TraceFigures: Sendable {
    /// Accepted bytes over what the link carried, at most 2.5 Mbit/s of it.
    var utilization: Double
    /// The mean and the 95th percentile of the wait, in milliseconds.
    var (meanWait, wait): (Double, Double)
    /// The 95th percentile without the second after each scene cut, in milliseconds.
    var calmWait: Double
    /// The share of packets that the queue dropped.
    var loss: Double

    /// The maximum rate of a sender.
    static let maximum = Bitrate.kilobits(2500)
    private static let start = MediaTime.zero + .seconds(5)

    /// Counts.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - usable: the ``usableBits(of:)`` of its trace.
    init(_ call: TraceCall, of usable: Double) {
        let trips = call.trips.filter { $0.sent >= Self.start }
        utilization = Double(8 * trips.reduce(0) { $0 + ($1.wait == nil ? 0 : $1.byteCount) }) / usable
        let waits = trips.compactMap { $0.wait?.milliseconds }
        meanWait = waits.reduce(0, +) / Double(max(1, waits.count))
        wait = waits.percentile(95)
        calmWait = trips.filter { $0.sent.seconds.truncatingRemainder(dividingBy: 3) >= 1 }
            .compactMap { $0.wait?.milliseconds }.percentile(95)
        loss = Double(trips.count { $0.wait == nil }) / Double(max(1, trips.count))
    }

    /// The bits that a trace carries of a sender that is never application-limited.
    static func usableBits(of trace: CapacityTrace) -> Double {
        trace.usableBits(
            from: start, to: .zero + trace.duration, maximum: Double(maximum.bitsPerSecond))
    }
}
