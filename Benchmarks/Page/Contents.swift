import RillPages

/// A table; a cell may have a rating, which determines its color.
struct TableContent: Decodable {
    var head: [String]
    var rows: [Row]
    var holdsWords: Bool

    struct Row: Decodable {
        /// A row of one cell is a heading.
        var cells: [String]
        var isDetail: Bool
        /// The rating of each cell.
        var ratings: [String?]?
    }

    var html: HTML {
        var table = PageTable(head, holdsWords: holdsWords)
        for row in rows {
            if row.cells.count == 1, head.count > 1 {
                table.addGroup(row.cells[0])
            } else {
                let ratings = (row.ratings ?? []).map { $0.flatMap(PageTable.Rating.init(rawValue:)) }
                table.add(row.cells, isDetail: row.isDetail, ratings: ratings)
            }
        }
        return table.html
    }
}

/// A plot of values over an axis.
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
        /// Points with one value each, or two for a band.
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
