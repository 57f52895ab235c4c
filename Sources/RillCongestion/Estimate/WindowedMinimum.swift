import RillCore

/// The smallest value of the last 20 to 21 seconds, by seconds.
struct WindowedMinimum: Sendable {
    /// A value, and the size of its packet.
    struct Sample: Sendable {
        var value = Double.infinity
        var bits = 0.0
    }

    private static let length = 21
    private var minima = [Sample](repeating: Sample(), count: WindowedMinimum.length)
    /// The present second: its number, its start, and its smallest value, which is in no place yet.
    private var second: Int64 = -1_000_000
    private var start = MediaTime(nanoseconds: .max / 2)
    private var current = Sample()
    /// The smallest value; infinite before the first.
    private(set) var smallest = Sample()

    @inline(__always)
    mutating func add(_ value: Double, bits: Double = 0, at now: MediaTime) {
        if now < start || now.nanoseconds - start.nanoseconds >= 1_000_000_000 { advance(to: now) }
        if value < current.value { current = Sample(value: value, bits: bits) }
        if value < smallest.value { smallest = Sample(value: value, bits: bits) }
    }

    /// Forgets what is older than a time.
    mutating func forget(before time: MediaTime) {
        let kept = WindowedMinimum.second(of: time)
        for past in 1..<Int64(WindowedMinimum.length) where second - past < kept {
            minima[WindowedMinimum.place(second - past)] = Sample()
        }
        findSmallest()
    }

    private static func second(of time: MediaTime) -> Int64 {
        let (quotient, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
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
        (second, start, current) = (next, MediaTime(nanoseconds: next * 1_000_000_000), Sample())
        findSmallest()
    }

    private mutating func findSmallest() {
        smallest = current
        for sample in minima where sample.value < smallest.value { smallest = sample }
    }
}
