public import RillCore

/// Combines requests for the same key frame into one.
///
/// The network duplicates packets, and a PLI has no number that would distinguish a copy from a second request.
/// Several receivers that lost the same packet send requests at the same time. A request within a window after an
/// honored request therefore counts as the same. Each request that is `honored` leads to exactly one key frame.
/// Requests within the window do not extend it: a receiver that keeps requesting is honored once per window.
///
/// ```swift
/// var coalescer = KeyFrameRequestCoalescer(window: .milliseconds(200))
/// if coalescer.request(at: now) == .honored { encoder.requestKeyFrame() }
/// ```
///
/// Use one per stream: a request for one layer is independent of the others.
public struct KeyFrameRequestCoalescer: Sendable {
    /// The time after an honored request within which further requests count as the same.
    public let window: MediaDuration
    private var lastHonored: MediaTime?

    /// The outcome of a request.
    public enum Outcome: Equatable, Sendable {
        /// The request is to be answered with a key frame.
        case honored
        /// The request was already answered, or is about to be.
        case repeated
    }

    /// A coalescer with that window; zero honors every request.
    public init(window: MediaDuration) {
        self.window = window
    }

    /// Handles a request that arrived at `now`.
    public mutating func request(at now: MediaTime) -> Outcome {
        if let lastHonored, now - lastHonored < window { return .repeated }
        lastHonored = now
        return .honored
    }
}
