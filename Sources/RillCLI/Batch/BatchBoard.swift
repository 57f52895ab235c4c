import Glibc
import Rill
import RillCore
import RillPages
import RillTranscode

/// The state of a batch on a terminal: a line for each job in work and one for all, drawn over each other. Lines that stay
/// are printed above. Where standard error is no terminal, only those are.
final class BatchBoard {
    private let jobs: [BatchJob]
    private let isShown: Bool
    private var drawnLines = 0

    /// A board on standard error.
    init(_ jobs: [BatchJob]) {
        self.jobs = jobs
        isShown = isatty(STDERR_FILENO) == 1
    }

    /// Draws the state anew, below lines that stay.
    func draw(_ snapshot: BatchRun.Snapshot, seconds: Double, lines: [String]) {
        let staying = lines.map { $0 + "\n" }.joined()
        guard isShown else { return StandardError.write(staying) }
        let size = Self.terminalSize
        let board = Self.lines(snapshot, jobs, seconds: seconds, height: size.rows - 1).map {
            String($0.prefix(size.columns - 1)) + "\n"
        }
        StandardError.write(erasure + staying + board.joined())
        drawnLines = board.count
    }

    /// Takes the board away.
    func finish() {
        StandardError.write(erasure)
        drawnLines = 0
    }

    /// Up to the first line that was drawn, and all below it gone.
    private var erasure: String { drawnLines > 0 ? "\u{1B}[\(drawnLines)A\r\u{1B}[J" : "" }

    // MARK: The lines

    /// Of a name its end is shown: with the bar and the numbers it fits into 80 columns.
    private static let nameWidth = 20

    private static func bar(_ fraction: Double) -> String { ProgressBar.bar(fraction, width: 16) }

    /// The lines of a state, at most `height` of them.
    static func lines(
        _ snapshot: BatchRun.Snapshot, _ jobs: [BatchJob], seconds: Double, height: Int
    ) -> [String] {
        var running: [(name: String, text: String)] = []
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
                running.append((String(name), "\(bar(fraction))  \(count) frames"))
            case .ended(.skipped): skipped += 1
            case .ended(let result):
                share += 1
                frames += result.summary?.framesRead ?? 0
            }
        }
        let shown = running.prefix(max(0, height - 1))
        let width = min(nameWidth, max(3, shown.map(\.name.count).max() ?? 0))
        func line(_ name: String, _ text: String) -> String {
            let end = String(name.suffix(width))
            return end + String(repeating: " ", count: width - end.count) + "  " + text
        }
        let wanted = jobs.count - skipped
        let fraction = wanted > 0 ? share / Double(wanted) : 1
        let left =
            fraction > 0.01 && fraction < 1
            ? ", \(Self.clock(seconds * (1 - fraction) / fraction)) left" : ""
        let all = "\(bar(fraction))  \(snapshot.ended.count)/\(jobs.count) files, \(frames) frames\(left)"
        return shown.map { line($0.name, $0.text) } + [line("all", all)]
    }

    /// `1:02:03`, or `2:03`.
    private static func clock(_ seconds: Double) -> String {
        let seconds = Int(min(seconds, 359_999).rounded(.up))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let minutes = seconds / 60 % 60
        return seconds < 3600
            ? "\(minutes):\(two(seconds % 60))" : "\(seconds / 3600):\(two(minutes)):\(two(seconds % 60))"
    }

    private static var terminalSize: (columns: Int, rows: Int) {
        var size = winsize()
        // The call fills the structure in, or fails and leaves it.
        guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1, size.ws_row > 1 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
