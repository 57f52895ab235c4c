import RillPages

/// The plots of what congestion control did.
struct NetworkPlots {
    /// The figures of one interval, whose times are in seconds.
    struct Sample {
        var start, end: Double
        /// The estimate of what the network carries, in kbit/s; `nil` while there is none.
        var estimate: Double?
        /// The target of each layer's encoder, in kbit/s.
        var targets: [Double]
        /// The mean time that packets waited to leave, in milliseconds.
        var packetSendDelay: Double?
        /// How often the bitrate was cut, and probes of the network.
        var cuts, probes: Int
        /// The longest time in the network, in milliseconds, where that is known.
        var transit: Double?
    }

    private let samples: [Sample]
    private let layers: [String]
    private let x: Axis

    /// Creates the plots of samples in order, for layers of those names.
    init(_ samples: [Sample], layers: [String], x: Axis) { (self.samples, self.layers, self.x) = (samples, layers, x) }

    /// From top to bottom.
    var plots: [Plot] {
        [estimate] + (samples.contains { $0.transit != nil } ? [transit] : []) + [waits, decisions]
    }

    private var estimate: Plot {
        let colors: [Ink] = [.blue, .green, .red]
        let targets = layers.indices.map { layer in
            Mark.step(
                "\(layers[layer]) target", colors[layer % colors.count], steps { $0.targets[layer] }, isDashed: true)
        }
        return Plot(
            "What the network carries",
            caption: "The estimate with all headers, and what encoders were told to produce.", x: x,
            y: Axis("bitrate", unit: "kbit/s", holding: samples.flatMap { [$0.estimate ?? 0] + $0.targets }),
            [.step("estimate", .orange, steps { $0.estimate ?? .nan })] + targets)
    }

    private var transit: Plot {
        Plot(
            "Time in the network", caption: "The longest of the packets sent, its queue included. Good: low and flat.",
            x: x, y: Axis("delay", unit: "ms", holding: samples.map { $0.transit ?? 0 }, atLeast: 10),
            [.step("from leaving to arrival", .purple, steps { $0.transit ?? .nan })])
    }

    private var waits: Plot {
        Plot(
            "Time in the pacer", caption: "The mean of the packets sent. Good: below 25 ms.", x: x,
            y: Axis("delay", unit: "ms", holding: samples.map { $0.packetSendDelay ?? 0 }, atLeast: 10),
            [.step("wait to leave", .orange, steps { $0.packetSendDelay ?? .nan })])
    }

    private var decisions: Plot {
        Plot(
            "Cuts and probes", caption: "Cuts because of overload, and probes of whether there is more.", x: x,
            y: Axis(
                "decisions", unit: "per sample", holding: samples.flatMap { [Double($0.cuts), Double($0.probes)] },
                atLeast: 2),
            [
                .step("cuts", .red, steps { Double($0.cuts) }),
                .step("probes", .green, steps { Double($0.probes) }, isDashed: true),
            ])
    }

    private func steps(_ value: (Sample) -> Double) -> [Mark.Point] {
        guard let last = samples.last else { return [] }
        return samples.map { Mark.Point($0.start, value($0)) } + [Mark.Point(last.end, .nan)]
    }
}
