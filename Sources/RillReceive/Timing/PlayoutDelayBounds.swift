public import RillCore

/// Between which delays a ``JitterBuffer`` chooses how long frames are held back, counted from the fastest way that a
/// frame has lately had to the moment at which it is to be shown.
///
///     settings.playoutDelay = .adaptive  // as little as the network lets it
///     settings.playoutDelay = .fixed(.milliseconds(200))  // steady, for a viewer who only watches
///     settings.playoutDelay = .lowLatency  // a remote control: each frame as soon as it can be decoded
public struct PlayoutDelayBounds: Sendable, Equatable {
    /// The least, from zero.
    public var minimum: MediaDuration
    /// The most; not below ``minimum``.
    public var maximum: MediaDuration

    /// The most that a delay can be: 60 s.
    public static let longest = MediaDuration.seconds(60)

    /// Bounds of `minimum` and `maximum`, of which 0 ≤ `minimum` ≤ `maximum` ≤ 60 s is asked.
    public init(minimum: MediaDuration, maximum: MediaDuration) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// As little as the network lets it, at most 10 s.
    public static let adaptive = PlayoutDelayBounds(minimum: .zero, maximum: .seconds(10))
    /// Each frame is released as soon as it can be decoded.
    public static let lowLatency = fixed(.zero)

    /// Always the same delay.
    public static func fixed(_ delay: MediaDuration) -> PlayoutDelayBounds {
        PlayoutDelayBounds(minimum: delay, maximum: delay)
    }

    /// Traps, with the numbers, on bounds that contradict themselves: that is the programmer's mistake.
    func validate() {
        precondition(
            .zero <= minimum && minimum <= maximum && maximum <= PlayoutDelayBounds.longest,
            "playout delays go from \(minimum) to \(maximum): 0 to 60 s, the first not above the second")
    }
}
