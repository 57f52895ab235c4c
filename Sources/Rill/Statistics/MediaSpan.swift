import RillCore

/// How long a row of frames lasts: from the first to the last, which is taken to last as long as the frames do in the
/// mean.
struct MediaSpan {
    private var first: MediaTime?
    private var last = MediaTime.zero
    private var count = 0

    /// Adds the next frame.
    mutating func add(_ captureTime: MediaTime) {
        first = first ?? captureTime
        last = captureTime
        count += 1
    }

    /// The length so far; a single frame has none.
    var duration: MediaDuration {
        guard let first, count > 1 else { return .zero }
        return MediaDuration(nanoseconds: Int64(Int128((last - first).nanoseconds) * Int128(count) / Int128(count - 1)))
    }
}
