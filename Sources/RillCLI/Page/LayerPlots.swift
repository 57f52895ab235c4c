import Rill
import RillCore
import RillLab
import RillPages

/// The plots of one layer over a common time axis.
struct LayerPlots {
    private let layer: LoopbackReport.Layer
    private let timeline: LayerTimeline
    private let duration: Double
    private let time: ClosedRange<Double>

    /// Creates the plots.
    ///
    /// - Parameters:
    ///   - layer: the statistics of the layer.
    ///   - timeline: the layer's timeline.
    ///   - duration: the duration of the sent clip, in seconds.
    ///   - time: the time range of the plots, in seconds.
    init(
        _ layer: LoopbackReport.Layer, _ timeline: LayerTimeline, of duration: Double, over time: ClosedRange<Double>
    ) {
        self.layer = layer
        self.timeline = timeline
        self.duration = duration
        self.time = time
    }

    /// A paragraph on the common properties of the plots.
    var introduction: String {
        let length = timeline.intervalLength.seconds
        let interval = length < 1 ? "\(Decimal.text(length * 1000, decimals: 1)) ms" : Clock.text(length) + " s"
        return "All plots share one time axis, in session time. Shaded: freezes, by either rule. "
            + "Delays are collected in intervals of \(interval), rates in \(Clock.text(binLength)) s."
    }

    /// The plots, from top to bottom.
    var plots: [HTML] {
        [bitrate, frameRate, loss, bufferDelay, frameDelay].map { plot in
            var plot = plot
            plot.shades = timeline.freezes.map(\.stretch) + (unendedFreeze.map { [$0] } ?? [])
            return plot.html
        } + [events.html]
    }

    private var x: Axis { .time(time) }

    // MARK: Rates

    private var bitrate: Plot {
        let sent = rates { Double($0.bytesSent) * 8 / 1000 }
        let received = rates { Double($0.bytesReceived) * 8 / 1000 }
        let retransmitted = rates { Double($0.retransmittedBytes) * 8 / 1000 }
        let target = Double(layer.targetBitrate) / 1000
        var marks: [Mark] = [
            .level("target", .grey, target), .step("sent", .orange, sent),
            .step("received", .blue, received, isDashed: true),
        ]
        if retransmitted.contains(where: { $0.y > 0 }) { marks.append(.step("retransmitted", .green, retransmitted)) }
        let fecPackets = rates { Double($0.fecBytes) * 8 / 1000 }
        if fecPackets.contains(where: { $0.y > 0 }) { marks.append(.step("FEC", .purple, fecPackets)) }
        return Plot(
            "Bitrate",
            caption: "RTP with headers. Good: sent is close to the target, and received equals sent; a difference is "
                + "loss, or packets in the network's queue.",
            x: x, y: Axis("bitrate", unit: "kbit/s", holding: (sent + received).map(\.y) + [target]),
            marks)
    }

    private var frameRate: Plot {
        let sent = rates { Double($0.framesSent) }
        let shown = rates { Double($0.framesShown) }
        return Plot(
            "Frames", caption: "Good: shown equals sent.", x: x,
            y: Axis("frames", unit: "per second", holding: (sent + shown).map(\.y), atLeast: 5),
            [.step("sent", .orange, sent), .step("shown", .blue, shown, isDashed: true)])
    }

    private var loss: Plot {
        let lost = bins.map { bin in
            Mark.Point(
                bin.start,
                bin.sum.packetsSent > 0 ? 100 * Double(bin.sum.packetsLost) / Double(bin.sum.packetsSent) : .nan)
        }
        var plot = Plot(
            "Packets lost", caption: "By the network, of those sent in the same time. Good: zero.", x: x,
            y: Axis("lost", unit: "%", holding: lost.map(\.y), atLeast: 5, atMost: 100),
            [.step("lost", .red, closed(lost))])
        plot.height = 70
        return plot
    }

    // MARK: Delays

    private var bufferDelay: Plot {
        let actual = delays(\.bufferDelay, "held", .blue)
        let target = means(\.targetDelay)
        var marks = actual.marks
        if !target.isEmpty { marks.append(.line("target", .orange, target, isDashed: true)) }
        return Plot(
            "Jitter buffer delay",
            caption:
                "Held: from a frame's first packet to its release. Target: from the smallest network delay of the last "
                + "minute to showing; a late frame is held for less time. Good: a target as low and flat as the "
                + "network's jitter allows; it rises after a disturbance and falls back.",
            x: x, y: Axis("delay", unit: "ms", holding: actual.values + target.map(\.y), atLeast: 10), marks)
    }

    private var frameDelay: Plot {
        let delay = delays(\.frameDelay, "capture to showing", .blue)
        return Plot(
            "Frame delay",
            caption: "How far the viewer lags behind. Good: low and flat; a series of falling points is a queue that "
                + "drains after a disturbance.",
            x: x, y: Axis("delay", unit: "ms", holding: delay.values, atLeast: 10), delay.marks)
    }

    /// Each frame as a dot if intervals are short; otherwise the mean, in a band from the smallest to the largest
    /// delay.
    private func delays(
        _ spread: KeyPath<TimelineInterval, Spread>, _ name: String, _ ink: Ink
    ) -> (marks: [Mark], values: [Double]) {
        let ranges = timeline.intervals.enumerated().compactMap { index, interval -> Mark.Range? in
            let spread = interval[keyPath: spread]
            guard spread.count > 0 else { return nil }
            return Mark.Range(middle(ofInterval: index), Double(spread.minimum), Double(spread.maximum))
        }
        let values = ranges.map(\.high)
        guard timeline.intervalLength > .milliseconds(70) else {
            let points = ranges.flatMap { range in
                (range.low == range.high ? [range.low] : [range.low, range.high]).map { Mark.Point(range.x, $0) }
            }
            return ([.scatter(name, ink, points)], values)
        }
        return (
            [
                .band("\(name), minimum to maximum", ink, brokenAtGaps(ranges, \.x) { Mark.Range($0, .nan, .nan) }),
                .line("mean", ink, means(spread)),
            ], values
        )
    }

    private func means(_ spread: KeyPath<TimelineInterval, Spread>) -> [Mark.Point] {
        let points = timeline.intervals.enumerated().compactMap { index, interval in
            interval[keyPath: spread].mean.map { Mark.Point(middle(ofInterval: index), $0) }
        }
        return brokenAtGaps(points, \.x) { Mark.Point($0, .nan) }
    }

    /// Breaks a line where there are no values for at least a second.
    private func brokenAtGaps<Value>(
        _ values: [Value], _ x: KeyPath<Value, Double>, gap: (Double) -> Value
    ) -> [Value] {
        let longest = max(1, 3 * timeline.intervalLength.seconds)
        var broken: [Value] = []
        for value in values {
            if let last = broken.last, value[keyPath: x] - last[keyPath: x] > longest {
                broken.append(gap(last[keyPath: x]))
            }
            broken.append(value)
        }
        return broken
    }

    private func middle(ofInterval index: Int) -> Double {
        timeline.start(ofInterval: index).seconds + timeline.intervalLength.seconds / 2
    }

    // MARK: Events

    private var events: EventPlot {
        let freezes = timeline.freezes
        let left = timeline.omittedFreezes > 0 ? " (the \(freezes.count) longest drawn)" : ""
        var rows: [EventPlot.Row] = [
            .init(
                "freezes, W3C's rule" + left, .red, stretches: freezes.filter(\.isFreeze).map(\.hinted),
                total: layer.received.freezeCount),
            .init(
                "gaps longer than 500 ms" + left, .orange, stretches: freezes.filter(\.isLongGap).map(\.hinted),
                total: layer.received.longFreezeCount),
        ]
        if let unended = unendedFreeze {
            rows.append(
                .init(
                    "no picture shown until the end; not counted as a freeze", .red,
                    stretches: [(unended, "to the end")]))
        }
        rows += [
            row("key frames sent", .blue, \.keyFramesSent),
            row("key frames requested (PLI)", .purple, \.keyFramesRequested),
            row("missing packets requested (NACK)", .orange, \.packetRequests),
            row("repaired frames decoded", .green, \.framesRepaired),
            row("frames shown late", .grey, \.framesLate),
            row("frames decoded, but too late to be shown", .grey, \.framesDecodedOnly),
        ]
        let absent = rows.filter { $0.total == 0 }.map(\.name)
        return EventPlot(
            "Events",
            caption: "Good: no freeze, and no key frame requested. "
                + (absent.isEmpty ? "" : "Did not happen: \(absent.joined(separator: "; "))."),
            x: x, rows.filter { $0.total > 0 })
    }

    private func row(_ name: String, _ ink: Ink, _ count: KeyPath<TimelineInterval, Int32>) -> EventPlot.Row {
        EventPlot.Row(
            name, ink,
            events: timeline.intervals.enumerated().compactMap { index, interval in
                let count = Int(interval[keyPath: count])
                return count > 0 ? EventPlot.Event(middle(ofInterval: index), count: count) : nil
            })
    }

    /// The time after the last shown picture, if more was sent.
    private var unendedFreeze: ClosedRange<Double>? {
        timeline.unendedFreeze.map { $0.start.seconds...$0.end.seconds }
    }

    // MARK: Bins of a second

    /// One second, or an interval if that is longer.
    private var binLength: Double { max(1, timeline.intervalLength.seconds) }

    private var bins: [(start: Double, sum: TimelineInterval)] {
        let count = max(1, Int((binLength / timeline.intervalLength.seconds).rounded()))
        return stride(from: 0, to: timeline.intervals.count, by: count).map { first in
            let group = timeline.intervals[first..<min(first + count, timeline.intervals.count)]
            return (timeline.start(ofInterval: first).seconds, TimelineInterval(sumOf: group))
        }
    }

    /// A quantity per second. The last bin ends with the clip, and is left out if it is shorter than half a bin.
    private func rates(_ quantity: (TimelineInterval) -> Double) -> [Mark.Point] {
        let points = bins.map { bin in
            let length = min(binLength, duration - bin.start)
            return Mark.Point(bin.start, length > binLength / 2 ? quantity(bin.sum) / length : .nan)
        }
        return closed(points)
    }

    /// The last step is as long as the others.
    private func closed(_ points: [Mark.Point]) -> [Mark.Point] {
        guard let last = points.last(where: \.y.isFinite) else { return [] }
        return points.filter { $0.x <= last.x } + [Mark.Point(min(last.x + binLength, time.upperBound), .nan)]
    }
}

extension Freeze {
    /// On the time axis.
    fileprivate var stretch: ClosedRange<Double> { start.seconds...end.seconds }

    fileprivate var hinted: (range: ClosedRange<Double>, hint: String) {
        (
            stretch,
            "\(Clock.text(stretch.lowerBound, decimals: 2)) to \(Clock.text(stretch.upperBound, decimals: 2)): "
                + "\(Decimal.text(duration.milliseconds, decimals: 0)) ms"
        )
    }
}
