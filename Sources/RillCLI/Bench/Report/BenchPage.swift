import RillPages

/// What `rill bench` found out, as a page: where Rill stands in one table, then a plot for each job, then all that is
/// needed to believe it and to do it again.
struct BenchPage {
    private let report: BenchReport

    init(_ report: BenchReport) {
        self.report = report
    }

    var page: Page {
        Page(
            title: "Rill beside the others",
            subtitle: "\(report.measured.dropLast()), on \(processor).",
            body: (report.jobs.isEmpty ? [] : [headline, overview, reading]) + [bars] + report.jobs.map(section)
                + [report.latency.map { LatencySection($0).html } ?? .empty]
                + (report.scale.map { ScaleSection($0).html } ?? []) + [surroundings]
                + (report.commands.isEmpty ? [] : [commands]))
    }

    private var processor: String { report.machine.first { $0.name == "processor" }?.value ?? "an unknown machine" }

    private var headline: HTML {
        var parts = [HTML.element("p", ["class": "headline"], HTML(text: report.headline))]
        let behind = report.shortcomings
        if !behind.isEmpty {
            parts.append(.paragraph("Behind, worst first:"))
            parts.append(.element("ul", [:], behind.map { .element("li", [:], HTML(text: $0)) }))
        }
        return .element("div", [:], parts)
    }

    private var reading: HTML {
        guard !report.jobs.isEmpty else { return .empty }
        return .paragraph(
            "Of everything measured here less is better. A figure is what the other takes over what Rill takes, so above 1 "
                + "Rill takes less. Green: Rill is ahead. Grey: level, the difference is no larger than between two runs of "
                + "one and the same command, or the turns do not agree. Red: Rill is behind.",
            isNote: true)
    }

    /// What Rill promises, and whether this run keeps it.
    private var bars: HTML {
        guard !report.bars.isEmpty else { return .empty }
        let rows = report.bars.map { bar in
            HTML.element(
                "tr", [:], .element("th", ["scope": "row"], HTML(text: bar.name)),
                .element("td", [:], HTML(text: bar.finding)),
                .element(
                    "td", [:],
                    .element(
                        "span", ["class": "verdict \(bar.isMet ? Verdict.ahead : .behind)"],
                        HTML(text: bar.isMet ? "met" : "missed"))))
        }
        let head = ["what Rill promises", "measured", ""].map { HTML.element("th", ["scope": "col"], HTML(text: $0)) }
        return .element(
            "div", ["class": "scroll"],
            .element(
                "table", ["class": "verdicts"], .element("thead", [:], .element("tr", [:], head)),
                .element("tbody", [:], rows)))
    }

    // MARK: The table of verdicts

    private var overview: HTML {
        let rows = report.jobs.flatMap { job in
            job.heats.flatMap { heat in
                heat.measures.compactMap { measure in row(job, heat, measure) }
            }
        }
        guard !rows.isEmpty else { return .empty }
        let head = ["what", "with", "what the others take, over what Rill takes"].map {
            HTML.element("th", ["scope": "col"], HTML(text: $0))
        }
        return .element(
            "div", ["class": "scroll"],
            .element(
                "table", ["class": "verdicts"], .element("thead", [:], .element("tr", [:], head)),
                .element("tbody", [:], rows)))
    }

    private func row(_ job: JobResult, _ heat: HeatResult, _ measure: Measure) -> HTML? {
        let comparisons = job.comparisons.filter {
            $0.heat == heat.title && $0.measure == measure && $0.verdict != nil
        }
        guard !comparisons.isEmpty else { return nil }
        let cells = comparisons.map { comparison in
            HTML.element(
                "span", ["class": "key"], HTML(text: comparison.rival + ": "),
                .element(
                    "span", ["class": "verdict \(comparison.verdict?.rawValue ?? "")"],
                    HTML(
                        text:
                            "\(RatioText.times(comparison.ratio, comparison.measure)) \(comparison.verdict?.words ?? "")"
                    )))
        }
        return .element(
            "tr", [:], .element("th", ["scope": "row"], HTML(text: "\(job.name), \(measure.title)")),
            .element("td", [:], HTML(text: heat.title)),  // A line may end between two of them.
            .element("td", [:], cells.flatMap { [$0, HTML(text: " ")] }))
    }

    // MARK: One job

    private func section(_ job: JobResult) -> HTML {
        var content = [HTML.paragraph(job.sentence)]
        for note in job.notices + job.remarks { content.append(.paragraph(note, isNote: true)) }
        content.append(plot(job))
        for heat in job.heats { content += [table(heat), scatter(heat)] }
        for line in job.explanation { content.append(.paragraph(line, isNote: true)) }
        let title = job.title.prefix(1).lowercased() + job.title.dropFirst()
        return .section("\(job.name.prefix(1).uppercased())\(job.name.dropFirst()): \(title)", content)
    }

    private func plot(_ job: JobResult) -> HTML {
        let comparisons = job.comparisons
        let groups = job.heats.flatMap { heat in
            heat.measures.map { measure in
                let rows = comparisons.filter { $0.heat == heat.title && $0.measure == measure }.map { comparison in
                    RatioPlot.Row(
                        comparison.rival, comparison.verdict?.ink ?? .blue, ratio: comparison.ratio,
                        comparison.lowQuartile...comparison.highQuartile,
                        note: "\(RatioText.text(comparison)), \(comparison.verdict?.words ?? "a floor: less work")")
                }
                let ours = heat.entries.first?.sample(measure)?.median
                let scatter = heat.scatter(measure)
                return RatioPlot.Group(
                    "\(measure.title), \(heat.title): Rill takes \(measure.text(ours))", rows,
                    level: 1 / (1 + scatter)...1 + scatter)
            }
        }
        let plot = RatioPlot(
            "What the others take, as a multiple of Rill's",
            caption:
                "Bars: the median of the ratios turn by turn. Whiskers: the middle half of the turns. Shaded: what is "
                + "level, because a command strays as far from itself.",
            reference: "Rill", groups)
        return plot.groups.isEmpty ? .paragraph("Nobody was there to compare Rill with.", isNote: true) : plot.html
    }

    private func table(_ heat: HeatResult) -> HTML {
        let measures = heat.measuresTaken
        var table = PageTable([heat.title] + measures.map(\.title) + ["pictures", "coded bytes"])
        for entry in heat.entries {
            table.add(
                [entry.name] + measures.map { $0.text(entry.sample($0)?.median) }
                    + [entry.work.map { "\($0.frames)" } ?? "–", entry.work?.codedBytes.map { "\($0)" } ?? "–"])
            let spreads = measures.map { measure -> String in
                guard let sample = entry.sample(measure), sample.sorted.count > 1 else { return "" }
                return "\(measure.text(sample.least)) – \(measure.text(sample.most))"
            }
            if spreads.contains(where: { !$0.isEmpty }) {
                table.add(["least to most"] + spreads + ["", ""], isDetail: true)
            }
        }
        return table.html
    }

    private func scatter(_ heat: HeatResult) -> HTML {
        .paragraph(
            "With \(heat.title) a command differed from itself by: \(heat.scatterText). Smaller differences are level.",
            isNote: true)
    }

    // MARK: To do it again

    private var surroundings: HTML {
        var table = PageTable(["Machine and programs", ""], holdsWords: true)
        for fact in report.machine + report.versions { table.add([fact.name, fact.value]) }
        return .section("Where it was measured", [table.html])
    }

    private var commands: HTML {
        .section(
            "The commands",
            [
                .paragraph(
                    "As they were run; the folder with the clips was a temporary one, and ports were the system's choice.",
                    isNote: true)
            ]
                + report.commands.flatMap { command in
                    [
                        HTML.element("h3", [:], HTML(text: command.name)),
                        HTML.element("pre", [:], HTML(text: command.value)),
                    ]
                })
    }
}

extension Verdict {
    fileprivate var words: String {
        switch self {
        case .ahead: "Rill is ahead"
        case .level: "level"
        case .behind: "Rill is behind"
        }
    }

    fileprivate var ink: Ink {
        switch self {
        case .ahead: .green
        case .level: .grey
        case .behind: .red
        }
    }
}

extension JobResult {
    /// Where Rill stands, in a sentence for each verdict that was given.
    fileprivate var sentence: String {
        let sentences = Verdict.allCases.compactMap { verdict -> String? in
            let found = comparisons.filter { $0.verdict == verdict }
            guard !found.isEmpty else { return nil }
            let places = unique(found.map(\.rival)).map { rival in
                let measures = unique(found.filter { $0.rival == rival }.map(name))
                return "\(rival) (\(measures.joined(separator: ", ")))"
            }
            let beginning = verdict == .ahead ? "Ahead of" : verdict == .level ? "Level with" : "Behind"
            return "\(beginning) \(places.joined(separator: "; "))."
        }
        return sentences.isEmpty ? "Rill ran alone." : sentences.joined(separator: " ")
    }

    /// The measure; with its heat where the same rival came out otherwise in another one.
    private func name(_ comparison: Comparison) -> String {
        let isSplit = comparisons.contains {
            $0.rival == comparison.rival && $0.measure == comparison.measure && $0.verdict != comparison.verdict
        }
        return comparison.measure.title + (isSplit ? " with \(comparison.heat)" : "")
    }

    private func unique(_ words: [String]) -> [String] {
        words.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
