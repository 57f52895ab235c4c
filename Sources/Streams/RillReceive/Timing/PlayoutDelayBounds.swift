public import RillCore

/// The range of the playout delay of a ``JitterBuffer``.
///
/// The delay counts from the shortest recent transit of a frame to the moment at which it is to be shown.
///
/// ```swift
/// settings.playoutDelay = .adaptive  // as short as the network allows
/// settings.playoutDelay = .fixed(.milliseconds(200))  // steady, for a viewer who only watches
/// settings.playoutDelay = .lowLatency  // a remote control: each frame as soon as it can be decoded
/// ```
public struct PlayoutDelayBounds: Sendable, Equatable {
    /// The shortest delay; at least zero.
    public var minimum: MediaDuration
    /// The longest delay; not below ``minimum``.
    public var maximum: MediaDuration

    /// The upper bound of any delay: 60 s.
    public static let longest = MediaDuration.seconds(60)

    /// Creates bounds. A ``JitterBuffer`` requires 0 ≤ `minimum` ≤ `maximum` ≤ 60 s.
    public init(minimum: MediaDuration, maximum: MediaDuration) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// As short as the network allows, at most 10 s.
    public static let adaptive = PlayoutDelayBounds(minimum: .zero, maximum: .seconds(10))
    /// Each frame is released as soon as it can be decoded.
    public static let lowLatency = fixed(.zero)

    /// Returns bounds that keep the delay constant.
    public static func fixed(_ delay: MediaDuration) -> PlayoutDelayBounds {
        PlayoutDelayBounds(minimum: delay, maximum: delay)
    }

    /// Traps, with the values, on contradictory bounds.
    func validate() {
        precondition(
            .zero <= minimum && minimum <= maximum && maximum <= PlayoutDelayBounds.longest,
            "playout delays go from \(minimum) to \(maximum): 0 to 60 s, the first not above the second")
    }
}
