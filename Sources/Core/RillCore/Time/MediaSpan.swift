/// The length of a sequence of frames: from the first to the last, plus the mean frame duration for the last one.
package struct MediaSpan: Sendable {
    private var first: MediaTime?
    private var last = MediaTime.zero
    private var count = 0

    package init() {}

    /// Adds the next frame.
    package mutating func add(_ captureTime: MediaTime) {
        first = first ?? captureTime
        last = captureTime
        count += 1
    }

    /// Adds the frames that follow.
    package mutating func add(_ next: MediaSpan) {
        guard let nextFirst = next.first else { return }
        first = first ?? nextFirst
        last = next.last
        count += next.count
    }

    /// The length so far; zero for a single frame.
    package var duration: MediaDuration {
        guard let first, count > 1 else { return .zero }
        let length = Int128(last.nanoseconds) - Int128(first.nanoseconds)
        return MediaDuration(nanoseconds: Int64(clamping: length * Int128(count) / Int128(count - 1)))
    }
}
