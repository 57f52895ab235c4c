import Rill
import RillCore
import RillTranscode

/// The state of a batch on a terminal: a line for each running job and one for the batch, redrawn in place. Permanent
/// lines are printed above. In a pipe or on a dumb terminal, only the permanent lines are printed.
final class BatchBoard {
    private let jobs: [BatchJob]
    private let terminal = Terminal.standardError
    private var drawnLines = 0

    /// A board on standard error.
    init(_ jobs: [BatchJob]) {
        self.jobs = jobs
    }

    /// Prints permanent lines, and redraws the state below them.
    func draw(_ snapshot: BatchRun.Snapshot, seconds: Double, lines: [String]) {
        let staying = lines.map { $0 + "\n" }.joined()
        guard terminal.canRedraw else { return StandardError.write(staying) }
        let size = terminal.size
        let board = Self.lines(snapshot, jobs, seconds: seconds, height: size.rows - 1, length: size.columns - 1)
            .map { $0 + "\n" }
        StandardError.write(erasure + staying + board.joined())
        drawnLines = board.count
    }

    /// Erases the board.
    func finish() {
        StandardError.write(erasure)
        drawnLines = 0
    }

    /// Moves the cursor up to the first drawn line, and erases all below.
    private var erasure: String { drawnLines > 0 ? "\u{1B}[\(drawnLines)A\r\u{1B}[J" : "" }

    // MARK: The lines

    /// The maximum length of a name, of which the end is shown: with bar and numbers it fits in 80 columns.
    private static let nameWidth = 20

    /// The lines of a state, at most `height` of them, each at most `length` long: the bars are shortened first.
    static func lines(
        _ snapshot: BatchRun.Snapshot, _ jobs: [BatchJob], seconds: Double, height: Int, length: Int = 79
    ) -> [String] {
        var running: [(name: String, fraction: Double, figures: String)] = []
        var (frames, share, skipped) = (0, 0.0, 0)
        for (job, status) in zip(jobs, snapshot.statuses) {
            switch status {
            case .waiting: continue
            case .running(let progress, let frameCount):
                let fraction = progress?.fraction ?? 0
                let read = progress?.framesRead ?? 0
                share += fraction
                frames += read
                let count = frameCount.map { "\(read)/\($0)" } ?? "\(read)"
                let name = job.job.output.split(separator: "/").last ?? ""
                running.append((String(name), fraction, "\(count) frames"))
            case .ended(let result) where result.isSkipped: skipped += 1
            case .ended(let result):
                share += 1
                frames += result.summary?.framesRead ?? 0
            }
        }
        let shown = running.prefix(max(0, height - 1))
        let wanted = jobs.count - skipped
        let fraction = wanted > 0 ? share / Double(wanted) : 1
        let left =
            fraction > 0.01 && fraction < 1
            ? ", \(Self.clock(seconds * (1 - fraction) / fraction)) left" : ""
        let figures = "\(snapshot.ended.count)/\(jobs.count) files, \(frames) frames\(left)"
        return layOut(Array(shown) + [(name: "all", fraction: fraction, figures: figures)], length: length)
    }

    /// Aligns names, bars and figures in columns.
    private static func layOut(
        _ rows: [(name: String, fraction: Double, figures: String)], length: Int
    ) -> [String] {
        let names = rows.map { String($0.name.suffix(nameWidth)) }
        let width = names.map(\.columnCount).max() ?? 0
        let percent = ProgressBar.bar(0, width: 0).columnCount
        let figures = rows.map(\.figures.columnCount).max() ?? 0
        let barWidth = min(16, length - width - percent - figures - 4)
        return zip(names, rows).map { name, row in
            let space = String(repeating: " ", count: width - name.columnCount)
            let bar = ProgressBar.bar(row.fraction, width: barWidth)
            return ["\(name)\(space)  \(bar)", row.figures].fitted(to: length)
        }
    }

    /// `1:02:03`, or `2:03`.
    private static func clock(_ seconds: Double) -> String {
        let seconds = Int(min(seconds, 359_999).rounded(.up))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let minutes = seconds / 60 % 60
        return seconds < 3600
            ? "\(minutes):\(two(seconds % 60))" : "\(seconds / 3600):\(two(minutes)):\(two(seconds % 60))"
    }
}
