import RillCore

/// Measures the frame rate and the bitrate of a layer, over the last one to two seconds.
struct LayerMeter: Sendable {
    private var previous = Span()
    private var current = Span()

    private struct Span {
        var start: MediaTime?
        var end = MediaTime.zero
        var frames = 0
        var bytes = 0
    }

    private static let length = MediaDuration.seconds(1)

    /// Adds a frame that arrived.
    mutating func add(byteCount: Int, at now: MediaTime) {
        advance(to: now)
        if current.start == nil { current.start = now }
        current.frames += 1
        current.bytes += byteCount
    }

    private mutating func advance(to now: MediaTime) {
        guard let start = current.start, now - start >= LayerMeter.length else { return }
        current.end = now
        previous = now - start < LayerMeter.length * 2 ? current : Span()
        current = Span(start: now)
    }

    /// Frames and bits per second; zero where nothing has arrived for two seconds.
    func rates(at now: MediaTime) -> (frames: Double, bits: Double) {
        guard let first = previous.start ?? current.start, let start = current.start,
            now - start < LayerMeter.length * 2
        else { return (0, 0) }
        // Before half a second is over, one frame tells little.
        let seconds = max((now - first).seconds, 0.5)
        return (
            Double(previous.frames + current.frames) / seconds, 8 * Double(previous.bytes + current.bytes) / seconds
        )
    }
}
