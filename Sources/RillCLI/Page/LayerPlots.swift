import Rill
import RillCore
import RillLab
import RillPages

/// What happened on one layer over time, as plots over one time axis.
struct LayerPlots {
    private let layer: LoopbackReport.Layer
    private let timeline: LayerTimeline
    private let duration: Double
    private let time: ClosedRange<Double>

    /// - Parameters:
    ///   - duration: of what was sent, in seconds.
    ///   - time: what the plots show.
    init(
        _ layer: LoopbackReport.Layer, _ timeline: LayerTimeline, of duration: Double, over time: ClosedRange<Double>
    ) {
        self.layer = layer
        self.timeline = timeline
        self.duration = duration
        self.time = time
    }

    /// What all plots have in common.
    var introduction: String {
        let length = timeline.intervalLength.seconds
        let interval = length < 1 ? "\(Decimal.text(length * 1000, decimals: 1)) ms" : Clock.text(length) + " s"
        return "One time axis for all plots, in the session's own time. Shaded: freezes, by either rule. "
            + "Delays are gathered in intervals of \(interval), rates in \(Clock.text(binLength)) s."
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
        let again = rates { Double($0.retransmittedBytes) * 8 / 1000 }
        let target = Double(layer.targetBitrate) / 1000
        var marks: [Mark] = [
            .level("target", .grey, target), .step("sent", .orange, sent),
            .step("received", .blue, received, isDashed: true),
        ]
        if again.contains(where: { $0.y > 0 }) { marks.append(.step("of that sent again", .green, again)) }
        let fecPackets = rates { Double($0.fecBytes) * 8 / 1000 }
        if fecPackets.contains(where: { $0.y > 0 }) { marks.append(.step("of that FEC", .purple, fecPackets)) }
        return Plot(
            "Bitrate",
            caption: "RTP with its headers. Good: sent stays about the target, and received lies on it; a distance is "
                + "loss, or packets that wait in the network's queue.",
            x: x, y: Axis("bitrate", unit: "kbit/s", holding: (sent + received).map(\.y) + [target]),
            marks)
    }

    private var frameRate: Plot {
        let sent = rates { Double($0.framesSent) }
        let shown = rates { Double($0.framesShown) }
        return Plot(
            "Frames", caption: "Good: shown lies on sent.", x: x,
            y: Axis("frames", unit: "a second", holding: (sent + shown).map(\.y), atLeast: 5),
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
                "Held: from a frame's first packet to its release. Target: from the fastest way of the last minute to "
                + "showing; what a frame was late itself, it is held less. Good: a target as low and flat as the network's "
                + "jitter lets it be; it rises after a disturbance and comes back.",
            x: x, y: Axis("delay", unit: "ms", holding: actual.values + target.map(\.y), atLeast: 10), marks)
    }

    private var frameDelay: Plot {
        let delay = delays(\.frameDelay, "capture to showing", .blue)
        return Plot(
            "Frame delay",
            caption: "What the viewer lags behind. Good: low and flat; a row of falling points is a queue that empties "
                + "after a disturbance.",
            x: x, y: Axis("delay", unit: "ms", holding: delay.values, atLeast: 10), delay.marks)
    }

    /// Each frame a dot, as long as an interval holds few of them; then the mean, in a band from the least to the greatest.
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
                .band("\(name), least to greatest", ink, brokenAtGaps(ranges, \.x) { Mark.Range($0, .nan, .nan) }),
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

    /// Where nothing came for long there is no line.
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
                    "nothing shown any more; not counted, since no picture ended it", .red,
                    stretches: [(unended, "to the end")]))
        }
        rows += [
            row("key frames sent", .blue, \.keyFramesSent),
            row("key frames asked for (PLI)", .purple, \.keyFramesRequested),
            row("requests for missing packets (NACK)", .orange, \.packetRequests),
            row("repaired frames decoded", .green, \.framesRepaired),
            row("frames shown late", .grey, \.framesLate),
            row("frames decoded only, too late to be shown", .grey, \.framesDecodedOnly),
        ]
        let absent = rows.filter { $0.total == 0 }.map(\.name)
        return EventPlot(
            "Events",
            caption: "Good: no freeze, and no key frame asked for. "
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

    /// The time after the last picture, where more was sent that was never shown.
    private var unendedFreeze: ClosedRange<Double>? {
        timeline.unendedFreeze.map { $0.start.seconds...$0.end.seconds }
    }

    // MARK: Bins of a second

    /// A second, or an interval where that is longer.
    private var binLength: Double { max(1, timeline.intervalLength.seconds) }

    private var bins: [(start: Double, sum: TimelineInterval)] {
        let count = max(1, Int((binLength / timeline.intervalLength.seconds).rounded()))
        return stride(from: 0, to: timeline.intervals.count, by: count).map { first in
            let group = timeline.intervals[first..<min(first + count, timeline.intervals.count)]
            return (timeline.start(ofInterval: first).seconds, TimelineInterval(sumOf: group))
        }
    }

    /// A quantity a second. The last bin is as long as something was sent in it; too short a piece says nothing.
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
