import RillCore

/// Decides which frames of an output must be key frames, so that two are never further apart than an interval of
/// media time. A player that seeks decodes at most that much.
///
/// A frame becomes a key frame if the next one would be too far from the last key frame, judged by the time since the
/// frame before. Where the times of a clip are uneven, the distance may exceed the interval by that unevenness.
struct KeyFrameSpacing {
    private let interval: MediaDuration?
    private var lastKey: MediaTime?
    private var last: MediaTime?

    /// Creates a spacing; `nil` for no limit.
    init(_ interval: MediaDuration?) { self.interval = interval }

    /// Returns whether the next frame, at `time`, must be a key frame. The first one is in any case.
    mutating func isDue(at time: MediaTime) -> Bool {
        guard let interval else { return false }
        let step = last.map { time - $0 } ?? .zero
        last = time
        guard let lastKey else {
            self.lastKey = time
            return false
        }
        guard time - lastKey + step > interval else { return false }
        self.lastKey = time
        return true
    }
}
