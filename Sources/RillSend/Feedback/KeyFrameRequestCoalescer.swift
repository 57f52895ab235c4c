public import RillCore

/// Makes one key frame of all that asks for the same one.
///
/// The network duplicates packets, and PLI has no number that would tell a copy from a second request; several receivers
/// that lost the same packet ask at once. So a request that comes within a window after one that was honoured is taken
/// for the same. Each request that is `honored` leads to exactly one key frame. The window does not move with requests
/// that it swallows: one who keeps asking is heard once a window.
///
///     var coalescer = KeyFrameRequestCoalescer(window: .milliseconds(200))
///     if coalescer.request(at: now) == .honored { encoder.requestKeyFrame() }
///
/// One for each stream: what is asked of one layer says nothing of another.
public struct KeyFrameRequestCoalescer: Sendable {
    /// How long after an honoured request another one counts as the same.
    public let window: MediaDuration
    private var lastHonored: MediaTime?

    /// What became of a request.
    public enum Outcome: Equatable, Sendable {
        /// It is to be answered by a key frame.
        case honored
        /// It was already answered, or is about to be.
        case repeated
    }

    /// A coalescer with that window; zero honours every request.
    public init(window: MediaDuration) {
        self.window = window
    }

    /// Takes a request that arrived at `now`.
    public mutating func request(at now: MediaTime) -> Outcome {
        if let lastHonored, now - lastHonored < window { return .repeated }
        lastHonored = now
        return .honored
    }
}
