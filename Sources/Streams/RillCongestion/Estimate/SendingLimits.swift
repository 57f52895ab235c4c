import RillCore

/// The limits that each packet and each frame reads between two feedbacks.
///
/// Most of them change with feedback only, and are computed then. They form a small value of their own: a caller in
/// another module copies what it reads, and the whole estimate has more than a kilobyte.
@usableFromInline
struct SendingLimits: Sendable {
    /// ``BandwidthEstimate/rate`` with its fraction, in bits per second.
    var bits: Double
    /// The assumed capacity in bits per second.
    var pathRate: Double
    /// The transmission time of packets at the assumed capacity.
    @usableFromInline var transmission: TransmissionTime
    /// The virtual queue of our own packets, at send time.
    @usableFromInline var queue = LinkModel()
    /// The end of the startup phase.
    @usableFromInline var startEnd = MediaTime.distantFuture
    /// The pacing rates: during startup, in the steady state, and behind a standing queue of our own.
    @usableFromInline var startingPace = Bitrate(bitsPerSecond: 1000)
    @usableFromInline var steadyPace = Bitrate(bitsPerSecond: 1000)
    @usableFromInline var queuedPace = Bitrate(bitsPerSecond: 1000)
    /// Whether packets of a frame may leave together.
    @usableFromInline var allowsBursts = false
    /// The reduction of the next frames under contention, in bits per second.
    var reserve = 0.0
    /// The RTT in seconds.
    var roundTrip = RoundTrip().seconds
    /// The end of the drain after a cut. Until then the in-flight window is small.
    var drainUntil = MediaTime(nanoseconds: .min / 2)
    /// The start of rate validation after an idle period. Until a train has measured the capacity, the in-flight
    /// window is small.
    @usableFromInline var validatingSince: MediaTime?

    @usableFromInline var stall = PathStall()
    /// The acknowledged rate in bits per second, which decides how often feedback comes; 0 before the first.
    var delivered = 0.0

    init(bits: Double) {
        (self.bits, pathRate) = (bits, 1.05 * bits)
        transmission = TransmissionTime(at: pathRate)
    }

    /// The pacing gains over the rate, in the first two seconds and on a path that bunches packets, and the gain over
    /// the capacity behind a standing queue of our own. See ``PacingGain`` for all other cases.
    ///
    /// The first is high so that the first frames measure the capacity (BBR's startup gain is 2.9). The last still
    /// lets trains measure a higher capacity.
    private static let pacing = (starting: 3.0, bunching: 1.5, queued: 1.15)
    /// The queue of our own packets at the bottleneck that lowers the pacing rate, in nanoseconds.
    @usableFromInline static var burst: Int64 { 15_000_000 }
    /// The time in which the next frames compensate a queue, in seconds.
    private static let recovery = 0.25
    /// The queue that does not reduce the next frame, in seconds of transmission. Frame intervals and sizes vary, so
    /// some queue always remains; without this allowance the mean bitrate would stay below the rate.
    private static let harmless = 0.011

    /// Computes the pacing rates.
    ///
    /// - Parameters:
    ///   - capacity: the capacity in bits per second, if it is known.
    ///   - isBunching: whether the path bunches packets. Trains measure nothing there, so the gain is fixed.
    ///   - isSteady: whether the capacity has been constant for some seconds.
    mutating func setPace(capacity: Double?, isBunching: Bool = false, isSteady: Bool = true) {
        let usual = isBunching ? SendingLimits.pacing.bunching * bits : PacingGain.of(bits, isSteady: isSteady)
        let queued = capacity.map { min(usual, SendingLimits.pacing.queued * $0) } ?? usual
        startingPace = SendingLimits.bitrate(bits * SendingLimits.pacing.starting)
        steadyPace = SendingLimits.bitrate(usual)
        queuedPace = SendingLimits.bitrate(queued)
    }

    private static func bitrate(_ pace: Double) -> Bitrate { Bitrate(bitsPerSecond: Int(max(pace, 1000))) }

    /// The pacing rate.
    @inlinable
    func pace(at now: MediaTime) -> Bitrate {
        if now < startEnd { return startingPace }
        return queue.queue(at: now) > Self.burst ? queuedPace : steadyPace
    }

    /// The bitrate for the next frame, with `byteCount` bytes in the pacer; at least 30 % of the rate.
    @usableFromInline
    func mediaRate(queued byteCount: Int, at now: MediaTime) -> Bitrate {
        let waiting = Double(byteCount * 8) + Double(queue.queue(at: now)) / 1e9 * pathRate
        let excess = max(0, waiting - SendingLimits.harmless * pathRate)
        let media = bits - excess / SendingLimits.recovery - reserve
        return Bitrate(bitsPerSecond: Int(max(media, 0.3 * bits)))
    }

    /// Whether the bytes exceed the in-flight window: the rate times the RTT plus a slack. The slack covers frame and
    /// feedback intervals. It is smaller while a queue drains.
    @usableFromInline
    func isWindowFull(_ bytesInFlight: Int, at now: MediaTime) -> Bool {
        // Packets that are sent into a stall would only wait, and delay those after it. Once none counts as in flight,
        // one frame at a time tries the path.
        if bytesInFlight > 0, isStalled(at: now) { return true }
        let slack = validatingSince != nil ? 0.06 : roundTrip + (now < drainUntil ? 0.05 : 0.175)
        return Double(bytesInFlight * 8) > bits * slack
    }

    /// Whether the path has stalled.
    func isStalled(at now: MediaTime) -> Bool { stall.isOn(roundTrip: roundTrip, rate: delivered, at: now) }
}
