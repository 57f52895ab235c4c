import RillPages

extension TraceComparison {
    /// Utilization against the 95th percentile of the wait, a dot a trace.
    var plot: Plot {
        let inks: [(Contender, Ink)] = [
            (.fixed(300), .grey), (.fixed(800), .purple), (.fixed(1500), .green), (.google(25), .orange),
            (.rill, .blue),
        ]
        let marks = inks.compactMap { contender, ink in
            row(contender).map { row in
                Mark.scatter(
                    contender.name, ink, row.figures.map { .init(min($0.wait, Self.longest), min($0.utilization, 1)) })
            }
        }
        let target = Mark.line("target", .red, [.init(targets.wait, 0), .init(targets.wait, 1)], isDashed: true)
        var plot = Plot(
            "Utilization, \(title)",
            caption: "A dot is a trace. Further up and to the left is better. Waits above 500 ms are drawn at 500 ms.",
            x: Axis("95th percentile of the wait", unit: "ms", 0...Self.longest), y: Axis("utilization", 0...1),
            marks + [target])
        plot.height = 260
        return plot
    }

    private static let longest = 500.0
}
