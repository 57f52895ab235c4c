public import RillCore

extension LinkSettings {
    /// The time over which the capacity of a trace is a mean.
    public static let traceCapacityWindow = MediaDuration.milliseconds(200)

    /// The capacity of the bottleneck at a time: the rate, or the mean of a trace over the 200 ms before (at the start:
    /// over the first 200 ms).
    ///
    /// - Parameter time: counted from the clock's zero, as rate steps are.
    /// - Returns: the capacity in bit/s, headers included; `nil` for a link without a bottleneck.
    public func capacity(at time: MediaTime) -> Bitrate? {
        rate?.rate(at: time) ?? trace?.recentRate(at: time)
    }

    /// The mean capacity of the bottleneck over a period, which utilization is relative to.
    ///
    /// - Parameter period: not empty; counted from the clock's zero.
    /// - Returns: the capacity in bit/s, rounded down, headers included; `nil` for a link without a bottleneck.
    public func capacity(over period: Range<MediaTime>) -> Bitrate? {
        rate?.meanRate(over: period) ?? trace?.meanRate(over: period)
    }
}

extension RateSchedule {
    /// The rate at a time; before the first step the first rate.
    ///
    /// - Parameter time: counted from the clock's zero.
    /// - Returns: the rate.
    public func rate(at time: MediaTime) -> Bitrate {
        (steps.last { $0.start <= time } ?? steps[0]).rate
    }

    /// The mean rate over a period.
    ///
    /// - Parameter period: not empty; counted from the clock's zero.
    /// - Returns: the rate, rounded down to whole bit/s.
    public func meanRate(over period: Range<MediaTime>) -> Bitrate {
        precondition(!period.isEmpty, "a mean over no time")
        var sum: Int128 = 0
        for (index, step) in steps.enumerated() {
            let start = index == 0 ? period.lowerBound : max(step.start, period.lowerBound)
            let end = index + 1 < steps.count ? min(steps[index + 1].start, period.upperBound) : period.upperBound
            if start < end { sum += Int128((end - start).nanoseconds) * Int128(step.rate.bitsPerSecond) }
        }
        return Bitrate(bitsPerSecond: Int(sum / Int128((period.upperBound - period.lowerBound).nanoseconds)))
    }
}

extension DeliveryTrace {
    /// The mean rate over a period, as the trace repeats.
    ///
    /// - Parameter period: not empty; counted from the clock's zero, before which nothing passes.
    /// - Returns: the rate, rounded down to whole bit/s.
    public func meanRate(over period: Range<MediaTime>) -> Bitrate {
        precondition(!period.isEmpty, "a mean over no time")
        let opportunities = count(before: period.upperBound) - count(before: period.lowerBound)
        let bits = Int128(opportunities) * Int128(Self.bytesPerOpportunity) * 8_000_000_000
        return Bitrate(bitsPerSecond: Int(bits / Int128((period.upperBound - period.lowerBound).nanoseconds)))
    }

    /// The mean over the ``LinkSettings/traceCapacityWindow`` before `time`, or the first one.
    func recentRate(at time: MediaTime) -> Bitrate {
        let end = max(time, .zero + LinkSettings.traceCapacityWindow)
        return meanRate(over: end - LinkSettings.traceCapacityWindow..<end)
    }

    /// The number of opportunities before `time`.
    private func count(before time: MediaTime) -> Int64 {
        guard time > .zero else { return 0 }
        // A round ends with its last opportunity: it does not count in the first instant of the next one.
        let (round, rest) = (time.nanoseconds - 1).quotientAndRemainder(dividingBy: period.nanoseconds)
        var (low, high) = (0, milliseconds.count)
        while low < high {
            let middle = (low + high) / 2
            if Int64(milliseconds[middle]) * 1_000_000 <= rest { low = middle + 1 } else { high = middle }
        }
        return round * Int64(milliseconds.count) + Int64(low)
    }
}
