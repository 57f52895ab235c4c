import RillCore

/// What an estimate answers between two feedbacks, for each packet and each frame.
///
/// Most of it changes with feedback only, and is worked out then. It is a small value of its own: a caller in another module copies what it
/// asks, and the whole estimate is more than a kilobyte.
@usableFromInline
struct SendingLimits: Sendable {
    /// ``BandwidthEstimate/rate`` with its fraction.
    var bits: Double
    /// What the path seems to carry, in bits per second.
    var pathRate: Double
    /// How long the path seems to need for a packet.
    @usableFromInline var transmission: TransmissionTime
    /// The queue as our own packets fill it, when they are sent.
    @usableFromInline var queue = LinkModel()
    /// When the start is over.
    @usableFromInline var startEnd = MediaTime.distantFuture
    /// How fast packets leave: at the start, usually, and behind a queue of our own.
    @usableFromInline var startingPace = Bitrate(bitsPerSecond: 1000)
    @usableFromInline var steadyPace = Bitrate(bitsPerSecond: 1000)
    @usableFromInline var queuedPace = Bitrate(bitsPerSecond: 1000)
    /// What frames have less because others wait, in bits per second.
    var reserve = 0.0
    /// The round trip in seconds.
    var roundTrip = RoundTrip().seconds
    /// While the queue of a cut drains: until then nothing is sent beyond a small window.
    var drainUntil = MediaTime(nanoseconds: .min / 2)
    /// Since when little is sent after a rest, until a train shows what the path carries now.
    @usableFromInline var validatingSince: MediaTime?

    init(bits: Double) {
        (self.bits, pathRate) = (bits, 1.05 * bits)
        transmission = TransmissionTime(at: pathRate)
    }

    /// By how much faster packets leave than the rate in the first two seconds, and where the path bunches them; and than the capacity behind
    /// a queue of our own, still fast enough for trains to show a higher one. Otherwise see ``PacingGain``.
    private static let pacing = (starting: 3.0, bunching: 1.5, queued: 1.15)
    /// What may wait in the bottleneck's queue of our own packets before they are paced by its rate, in nanoseconds.
    @usableFromInline static var burst: Int64 { 15_000_000 }
    /// The time in which the next frames make good for what waits, in seconds.
    private static let recovery = 0.25
    /// What may wait when a frame is encoded, in seconds of transmission, before the frame is made smaller: no two frames take the same time,
    /// so that something always waits, and the mean of what is sent would stay below the rate.
    private static let harmless = 0.011

    /// Works out how fast packets leave.
    ///
    /// - Parameters:
    ///   - capacity: what the path carries in bits per second, if that is known.
    ///   - isBunching: whether the path bunches packets: then trains say nothing, and need no pace of their own.
    ///   - isSteady: whether the capacity stays the same for some seconds.
    mutating func setPace(capacity: Double?, isBunching: Bool = false, isSteady: Bool = true) {
        let usual = isBunching ? SendingLimits.pacing.bunching * bits : PacingGain.of(bits, isSteady: isSteady)
        let queued = capacity.map { min(usual, SendingLimits.pacing.queued * $0) } ?? usual
        startingPace = SendingLimits.bitrate(bits * SendingLimits.pacing.starting)
        steadyPace = SendingLimits.bitrate(usual)
        queuedPace = SendingLimits.bitrate(queued)
    }

    private static func bitrate(_ pace: Double) -> Bitrate { Bitrate(bitsPerSecond: Int(max(pace, 1000))) }

    /// How fast packets leave.
    @inlinable
    func pace(at now: MediaTime) -> Bitrate {
        if now < startEnd { return startingPace }
        return queue.queue(at: now) > Self.burst ? queuedPace : steadyPace
    }

    /// What the next frame may be encoded at, while so many bytes wait in the pacer.
    @usableFromInline
    func mediaRate(queued byteCount: Int, at now: MediaTime) -> Bitrate {
        let waiting = Double(byteCount * 8) + Double(queue.queue(at: now)) / 1e9 * pathRate
        let excess = max(0, waiting - SendingLimits.harmless * pathRate)
        let media = bits - excess / SendingLimits.recovery - reserve
        return Bitrate(bitsPerSecond: Int(max(media, 0.3 * bits)))
    }

    /// Whether so many bytes are more than the path needs.
    @usableFromInline
    func isWindowFull(_ bytesInFlight: Int, at now: MediaTime) -> Bool {
        let slack = validatingSince != nil ? 0.06 : roundTrip + (now < drainUntil ? 0.05 : 0.175)
        return Double(bytesInFlight * 8) > bits * slack
    }
}
