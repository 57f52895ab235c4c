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
    private var second = Int64.min
    /// The smallest value; infinite before the first.
    private(set) var smallest = Sample()

    mutating func add(_ value: Double, bits: Double = 0, at now: MediaTime) {
        let current = now.nanoseconds / 1_000_000_000
        if current != second { advance(to: current) }
        let place = WindowedMinimum.place(current)
        if value < minima[place].value { minima[place] = Sample(value: value, bits: bits) }
        if value < smallest.value { smallest = Sample(value: value, bits: bits) }
    }

    /// Forgets what is older than a time.
    mutating func forget(before time: MediaTime) {
        let kept = time.nanoseconds / 1_000_000_000
        guard second > .min else { return }
        for past in 0..<Int64(WindowedMinimum.length) where second - past < kept {
            minima[WindowedMinimum.place(second - past)] = Sample()
        }
        findSmallest()
    }

    /// Forgets everything.
    mutating func reset() {
        for place in minima.indices { minima[place] = Sample() }
        (second, smallest) = (.min, Sample())
    }

    private static func place(_ second: Int64) -> Int {
        let rest = Int(second % Int64(length))
        return rest < 0 ? rest + length : rest
    }

    private mutating func advance(to current: Int64) {
        let isContinued = second != .min && current > second && current - second < Int64(WindowedMinimum.length)
        let first = isContinued ? second + 1 : current - Int64(WindowedMinimum.length) + 1
        for entered in first...current { minima[WindowedMinimum.place(entered)] = Sample() }
        second = current
        findSmallest()
    }

    private mutating func findSmallest() {
        smallest = Sample()
        for sample in minima where sample.value < smallest.value { smallest = sample }
    }
}
