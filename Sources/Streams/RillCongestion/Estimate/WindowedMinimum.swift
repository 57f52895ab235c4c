import RillCore

/// The minimum of the last 20 to 21 seconds, with a resolution of one second (LEDBAT keeps its base delay so, by the
/// minute: RFC 6817).
struct WindowedMinimum: Sendable {
    /// A value, and the size of its packet.
    struct Sample: Sendable {
        /// The largest integer for none.
        var value = Int64.max
        var byteCount: Int32 = 0
    }

    private static let length = 21
    private static let billion: Int64 = 1_000_000_000
    private var minima = [Sample](repeating: Sample(), count: WindowedMinimum.length)
    /// The present second: its number, its start in nanoseconds, and its minimum, which is not stored in ``minima``
    /// yet.
    private var second: Int64 = -1_000_000
    private var start = Int64.max / 2
    private var current = Sample()
    /// The minimum of the window.
    private(set) var smallest = Sample()

    @inline(__always)
    mutating func add(_ value: Int64, byteCount: Int32 = 0, at now: MediaTime) {
        if UInt64(bitPattern: now.nanoseconds &- start) >= UInt64(WindowedMinimum.billion) { advance(to: now) }
        guard value < current.value else { return }
        current = Sample(value: value, byteCount: byteCount)
        if value < smallest.value { smallest = current }
    }

    /// Removes values from before a time.
    mutating func forget(before time: MediaTime) {
        let kept = WindowedMinimum.second(of: time)
        for past in 1..<Int64(WindowedMinimum.length) where second - past < kept {
            minima[WindowedMinimum.place(second - past)] = Sample()
        }
        findSmallest()
    }

    private static func second(of time: MediaTime) -> Int64 {
        let (quotient, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: billion)
        return rest < 0 ? quotient - 1 : quotient
    }

    private static func place(_ second: Int64) -> Int {
        let rest = Int(second % Int64(length))
        return rest < 0 ? rest + length : rest
    }

    @inline(never)
    private mutating func advance(to now: MediaTime) {
        let next = WindowedMinimum.second(of: now)
        minima[WindowedMinimum.place(second)] = current
        let isContinued = next > second && next - second < Int64(WindowedMinimum.length)
        let first = isContinued ? second + 1 : next - Int64(WindowedMinimum.length) + 1
        for entered in first...next { minima[WindowedMinimum.place(entered)] = Sample() }
        (second, start, current) = (next, next &* WindowedMinimum.billion, Sample())
        findSmallest()
    }

    private mutating func findSmallest() {
        smallest = current
        for sample in minima where sample.value < smallest.value { smallest = sample }
    }
}
