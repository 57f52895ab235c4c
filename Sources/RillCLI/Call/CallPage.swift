import Rill
import RillCore
import RillPages

/// The page of a call: figures over time, events and results.
struct CallPage {
    var log: CallLog
    /// The parameters of the call: names and values.
    var facts: [(name: String, value: String)]
    var title = "Call"

    var page: Page {
        Page(
            title: title,
            subtitle: "\(Decimal.text(time.upperBound, decimals: 1)) s, as seen on this side.",
            body: [overview, plots, events])
    }

    private var time: ClosedRange<Double> { 0...max(1, log.samples.last?.time ?? 1) }
    private var x: Axis { .time(time) }

    private var overview: HTML {
        var run = PageTable(["Session", ""], holdsWords: true)
        for fact in facts { run.add([fact.name, fact.value]) }
        var seen = PageTable(["Results"] + log.layers)
        let them = log.last?.participants.first
        func row(_ name: String, _ value: (ReceiveStatistics?, EncoderStatistics?) -> String) {
            seen.add(
                [name]
                    + log.layers.map { layer in
                        value(
                            them?.shown.first { $0.rid.description == layer }?.received,
                            log.last?.layers.first { $0.rid.description == layer }?.encoder)
                    })
        }
        guard log.way == .both else {
            for figure in log.figures { seen.add([figure.name] + figure.values) }
            return .element("section", [:], .element("div", ["class": "columns"], seen.html, run.html))
        }
        row("frames sent") { "\($1?.framesEncoded ?? 0)" }
        row("pictures shown") { received, _ in "\(received?.framesShown ?? 0)" }
        row("freezes, W3C's rule") { received, _ in "\(received?.freezes.freezeCount ?? 0)" }
        row("received packets lost") { received, _ in "\(received?.stream.packetsLost ?? 0)" }
        row("of those recovered") { received, _ in "\(received?.repair.packetsRecovered ?? 0)" }
        row("NACKs sent") { received, _ in "\(received?.stream.nackCount ?? 0)" }
        row("key frames requested") { received, _ in "\(received?.stream.pliCount ?? 0)" }
        return .element("section", [:], .element("div", ["class": "columns"], seen.html, run.html))
    }

    private var plots: HTML {
        let (sends, receives) = (log.way != .receiving, log.way != .sending)
        func marks(_ sent: Mark, _ received: Mark) -> [Mark] { (sends ? [sent] : []) + (receives ? [received] : []) }
        let bitrate = Plot(
            "Bitrate", caption: "All streams, with retransmissions and RTCP.", x: x,
            y: Axis("bitrate", unit: "kbit/s", holding: log.samples.flatMap { [$0.sent, $0.received] }),
            [.step("sent", .orange, steps(\.sent)), .step("received", .blue, steps(\.received), isDashed: true)])
        let frames = log.layers.indices.map { layer in
            Plot(
                "Frames of the \(log.layers[layer]) stream", caption: "Good: constant, at the stream's rate.", x: x,
                y: Axis(
                    "frames", unit: "per second",
                    holding: log.samples.flatMap { [$0.framesEncoded[layer], $0.framesShown[layer]] }, atLeast: 5),
                marks(
                    .step("sent", .orange, steps { $0.framesEncoded[layer] }),
                    .step("shown", .blue, steps { $0.framesShown[layer] }, isDashed: true)))
        }
        let lost = Plot(
            "Packets lost", caption: "Before repair. Good: zero.", x: x,
            y: Axis(
                "lost", unit: "%", holding: log.samples.flatMap { [$0.lost, $0.lostThere ?? 0] }, atLeast: 5,
                atMost: 100),
            marks(
                .step("sent, as reported", .orange, steps { $0.lostThere ?? .nan }, isDashed: true),
                .step("received", .red, steps(\.lost))))
        let playout = Mark.step("playout target", .orange, steps { $0.playoutDelay ?? .nan }, isDashed: true)
        let delay = Plot(
            "Delay",
            caption:
                "Playout target: from the smallest network delay of the last minute to showing. Good: low and flat.",
            x: x,
            y: Axis(
                "delay", unit: "ms", holding: log.samples.flatMap { [$0.roundTripTime ?? 0, $0.playoutDelay ?? 0] },
                atLeast: 10),
            [.step("round-trip time", .green, steps { $0.roundTripTime ?? .nan })] + (receives ? [playout] : []))
        let plots = [bitrate] + network + frames + [lost, delay]
        return .section("Over time", [.stack(plots.map(\.html), over: time)])
    }

    /// What congestion control did; none without it.
    private var network: [Plot] {
        guard log.samples.contains(where: { $0.estimated != nil }) else { return [] }
        let samples = log.samples.map { sample in
            NetworkPlots.Sample(
                start: max(0, sample.time - sample.length), end: sample.time, estimate: sample.estimated,
                targets: sample.targets, packetSendDelay: sample.packetSendDelay, cuts: sample.cuts,
                probes: sample.probes)
        }
        return NetworkPlots(samples, layers: log.layers, x: x).plots
    }

    private func steps(_ value: (CallLog.Sample) -> Double) -> [Mark.Point] {
        guard let last = log.samples.last else { return [] }
        return log.samples.map { Mark.Point(max(0, $0.time - $0.length), value($0)) } + [Mark.Point(last.time, .nan)]
    }

    private var events: HTML {
        var table = PageTable(["second", "event"], holdsWords: true)
        for note in log.notes { table.add([Decimal.text(note.time, decimals: 2), note.text]) }
        return .section("Events", [log.notes.isEmpty ? .paragraph("None: the other side did not join.") : table.html])
    }
}
