import Rill
import RillCore
import RillLab
import RillLink
import RillPages

/// The plots of one direction of a relay over a common time axis, and histograms of its delays.
struct RelayPlots {
    private let meter: RelayMeter
    private let timeline: RelayTimeline
    private let time: ClosedRange<Double>
    /// The number of intervals per step of a counted quantity, so that a plot has about 240 steps of at least 1/8 s.
    private let stride: Int

    init(_ meter: RelayMeter, over duration: Double) {
        self.meter = meter
        timeline = meter.timeline
        time = 0...max(1, duration)
        let length = timeline.length.seconds
        stride = max(1, Int((max(0.125, time.upperBound / 240) / length).rounded(.up)))
    }

    func section(_ title: String, network: String) -> HTML {
        guard meter.link.sent > 0 else { return .section(title, [.paragraph("No datagram arrived.")]) }
        return .section(
            title,
            [
                .paragraph("The link: \(network)", isNote: true),
                .stack([rates, delays, losses, queue, lateness].map(\.html), over: time), histograms.html,
            ])
    }

    private var x: Axis { .time(time) }

    // MARK: Counted quantities

    private var rates: Plot {
        let into = steps { Double($0.cameBytes) * 8 / 1000 / $1 }
        let out = steps { Double($0.leftBytes) * 8 / 1000 / $1 }
        return Plot(
            "Rate", caption: "Bytes of datagrams, without headers. Where out is below in, datagrams were lost or wait.",
            x: x,
            y: Axis("rate", unit: "kbit/s", holding: (into + out).map(\.y)),
            [.step("in", .orange, into), .step("out", .blue, out, isDashed: true)])
    }

    private var losses: Plot {
        let lost = steps { interval, _ in 100 * Double(interval.lost) / Double(interval.came) }
        let dropped = steps { interval, _ in 100 * Double(interval.dropped) / Double(interval.came) }
        var plot = Plot(
            "Lost", caption: "Share of the datagrams that arrived in the same time.", x: x,
            y: Axis("lost", unit: "%", holding: (lost + dropped).map(\.y), atLeast: 5, atMost: 100),
            [.step("by the link", .red, lost), .step("by the queue", .purple, dropped, isDashed: true)])
        plot.height = 70
        return plot
    }

    /// A value for each step, from the sum of its intervals and its length in seconds; NaN for a share of nothing.
    private func steps(_ value: (Sum, Double) -> Double) -> [Mark.Point] {
        let length = timeline.length.seconds * Double(stride)
        var points: [Mark.Point] = []
        for start in Swift.stride(from: 0, to: timeline.intervals.count, by: stride) {
            let sum = Sum(timeline.intervals[start..<min(start + stride, timeline.intervals.count)])
            let place = Double(start) * timeline.length.seconds
            points.append(Mark.Point(place, value(sum, length)))
        }
        // No more datagrams until the end.
        let end = Double(points.count) * length
        if end < time.upperBound { points.append(Mark.Point(end, value(Sum([]), length))) }
        return points + [Mark.Point(time.upperBound, .nan)]
    }

    /// The sum of several intervals.
    private struct Sum {
        var (came, lost, dropped) = (0, 0, 0)
        var (cameBytes, leftBytes) = (Int64(0), Int64(0))

        init(_ intervals: ArraySlice<RelayInterval>) {
            for interval in intervals {
                came += Int(interval.came)
                lost += Int(interval.lost)
                dropped += Int(interval.dropped)
                cameBytes += interval.cameBytes
                leftBytes += interval.leftBytes
            }
        }
    }

    // MARK: Measured quantities

    private var delays: Plot {
        let scheduled = ranges(\.scheduledDelay)
        let actual = points(\.actualDelay) { $0.mean ?? .nan }
        return Plot(
            "Delay",
            caption:
                "By the time of arrival at the relay. Good: the actual delay is inside the band of scheduled delays. "
                + "Duplicates are not counted.",
            x: x,
            y: Axis("delay", unit: "ms", holding: scheduled.map(\.high) + actual.map(\.y), atLeast: 1),
            [.band("scheduled, minimum to maximum", .orange, scheduled), .line("actual, mean", .blue, actual)])
    }

    private var queue: Plot {
        let onTheWay = points(\.onTheWay) { Double($0.maximum) }
        return Plot(
            "In flight",
            caption: "Datagrams that wait in the relay, for the bottleneck or for the end of their delay.",
            x: x, y: Axis("datagrams", holding: onTheWay.map(\.y), atLeast: 5), [.line("maximum", .green, onTheWay)])
    }

    private var lateness: Plot {
        let late = points(\.lateness) { Double($0.maximum) }
        var plot = Plot(
            "Timer lateness",
            caption: "Time from scheduled to actual departure, the maximum in each interval. Good: far below 1 ms.",
            x: x, y: Axis("late", unit: "ms", holding: late.map(\.y), atLeast: 0.5), [.line("maximum", .red, late)])
        plot.height = 70
        return plot
    }

    private func place(_ index: Int) -> Double { (Double(index) + 0.5) * timeline.length.seconds }

    /// A value for each interval that has one. A quarter of a second without values breaks the line.
    private func points(_ spread: KeyPath<RelayInterval, Spread>, _ value: (Spread) -> Double) -> [Mark.Point] {
        var points: [Mark.Point] = []
        var last = 0
        for (index, interval) in timeline.intervals.enumerated() where interval[keyPath: spread].count > 0 {
            if Double(index - last) * timeline.length.seconds > 0.25, !points.isEmpty {
                points.append(Mark.Point(place(last + 1), .nan))
            }
            points.append(Mark.Point(place(index), value(interval[keyPath: spread])))
            last = index
        }
        return points
    }

    private func ranges(_ spread: KeyPath<RelayInterval, Spread>) -> [Mark.Range] {
        let (low, high) = (points(spread) { Double($0.minimum) }, points(spread) { Double($0.maximum) })
        return zip(low, high).map { Mark.Range($0.x, $0.y, $1.y) }
    }

    // MARK: Histograms

    private var histograms: HistogramPlot {
        func row(_ name: String, _ ink: Ink, _ times: RelayTimes, limit: Double? = nil) -> HistogramPlot.Row {
            let buckets = times.buckets.map { HistogramPlot.Bucket($0.range, count: $0.count) }
            let note =
                "median \(Decimal.text(times.percentile(50), decimals: 2)) ms, "
                + "99 % \(Decimal.text(times.percentile(99), decimals: 2)) ms, "
                + "maximum \(Decimal.text(times.maximum, decimals: 2)) ms"
            return .init(
                name, [.init("", ink, buckets, mark: times.percentile(99).map { $0 / 1000 }, note: note)], limit: limit)
        }
        return HistogramPlot(
            "Delay and lateness", caption: "The line across a histogram is the 99th percentile.",
            [
                row("scheduled delay", .orange, meter.scheduledDelay),
                row("actual delay", .blue, meter.actualDelay),
                row("timer lateness", .red, meter.lateness, limit: 0.001),
            ])
    }
}
