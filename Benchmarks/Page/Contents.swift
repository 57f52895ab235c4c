import RillPages

/// A table; a cell may have a verdict, which is its colour.
struct TableContent: Decodable {
    var head: [String]
    var rows: [Row]
    var holdsWords: Bool

    struct Row: Decodable {
        /// One alone is a heading.
        var cells: [String]
        var isDetail: Bool
        /// Of each cell.
        var verdicts: [String?]?
    }

    var html: HTML {
        var table = PageTable(head, holdsWords: holdsWords)
        for row in rows {
            if row.cells.count == 1, head.count > 1 {
                table.addGroup(row.cells[0])
            } else {
                let verdicts = (row.verdicts ?? []).map { $0.flatMap(PageTable.Verdict.init(rawValue:)) }
                table.add(row.cells, isDetail: row.isDetail, verdicts: verdicts)
            }
        }
        return table.html
    }
}

/// Values over an axis.
struct PlotContent: Decodable {
    var title: String
    var caption: String
    var height: Int
    var x: AxisContent
    var y: AxisContent
    var marks: [MarkContent]

    struct AxisContent: Decodable {
        var title: String
        var unit: String
        /// `linear`, `logarithmic`, `count`.
        var scale: String
        var range: [Double]

        var axis: Axis {
            let range = range[0]...max(range[0], range[1])
            return switch scale {
            case "logarithmic": .logarithmic(title, unit: unit, range)
            case "count": .count(title, range)
            default: Axis(title, unit: unit, range)
            }
        }
    }

    struct MarkContent: Decodable {
        var name: String
        var ink: Ink
        /// `line`, `dashed`, `scatter`, `band`.
        var form: String
        /// Places with one value each, of a band with two.
        var points: [[Double]]

        var mark: Mark {
            switch form {
            case "scatter": .scatter(name, ink, points.map { Mark.Point($0[0], $0[1]) })
            case "band": .band(name, ink, points.map { Mark.Range($0[0], $0[1], $0[2]) })
            default: .line(name, ink, points.map { Mark.Point($0[0], $0[1]) }, isDashed: form == "dashed")
            }
        }
    }

    var plot: Plot {
        var plot = Plot(title, caption: caption, x: x.axis, y: y.axis, marks.map(\.mark))
        plot.height = height
        return plot
    }
}

/// Costs beside one that is taken as 1.
struct RatioContent: Decodable {
    var title: String
    var caption: String
    var groups: [Group]

    struct Group: Decodable {
        var title: String
        var level: [Double]
        var rows: [Row]
    }

    struct Row: Decodable {
        var name: String
        var ink: Ink
        var ratio: Double
        var range: [Double]
        var note: String
    }

    var plot: RatioPlot {
        RatioPlot(
            title, caption: caption, reference: "Rill",
            groups.map { group in
                RatioPlot.Group(
                    group.title,
                    group.rows.map {
                        .init($0.name, $0.ink, ratio: $0.ratio, $0.range[0]...$0.range[1], note: $0.note)
                    }, level: group.level[0]...group.level[1])
            })
    }
}

/// How long things took. All in seconds.
struct HistogramContent: Decodable {
    var title: String
    var caption: String
    var span: [Double]
    var rows: [Row]

    struct Row: Decodable {
        var name: String
        var limit: Double?
        var series: [Series]
    }

    struct Series: Decodable {
        var name: String
        var ink: Ink
        /// From, to, how many.
        var buckets: [[Double]]
        var mark: Double
        var note: String
    }

    var plot: HistogramPlot {
        HistogramPlot(
            title, caption: caption,
            rows.map { row in
                HistogramPlot.Row(
                    row.name,
                    row.series.map { series in
                        .init(
                            series.name, series.ink,
                            series.buckets.map { .init($0[0]...$0[1], count: Int($0[2])) }, mark: series.mark,
                            note: series.note)
                    }, limit: row.limit)
            }, span: span[0]...span[1])
    }
}

extension Ink: @retroactive Decodable {}
