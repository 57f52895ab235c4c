import Rill
import RillCore

/// The results of all jobs of a batch, as a table or as JSON.
struct BatchReport {
    private let jobs: [(job: BatchJob, result: BatchResult)]

    /// Creates a report; `results` are in the order of `jobs`.
    init(_ jobs: [BatchJob], _ results: [BatchResult]) {
        self.jobs = Array(zip(jobs, results))
    }

    /// The lines printed when a job ends: its result, and notices.
    static func lines(_ job: BatchJob, _ result: BatchResult) -> [String] {
        var line = "\(result.word): \(job.job.input) → \(job.job.output)"
        if let first = result.summary?.outputs.first {
            line += ", \(first.frames) frames" + (first.bitrate.map { ", \(kilobits($0)) kbit/s" } ?? "")
        }
        if let reason = result.reason { line += ": \(reason)" }
        guard case .done(let outcome) = result else { return [line] }
        return [line] + outcome.notices.map { "  \($0)" }
    }

    /// A table with a row for each written file, or for the job if there is none.
    func text(on terminal: Terminal) -> String {
        var table = TextTable(["job", "output", "frames", "target", "kbit/s", "result"], textColumns: [0, 1, 5])
        for (job, result) in jobs {
            let end = result.word + (result.reason.map { ": \($0)" } ?? "")
            guard let rows = result.summary?.outputs, !rows.isEmpty else {
                table.add([job.name, job.job.output, "–", "–", "–", end])
                continue
            }
            for (index, row) in rows.enumerated() {
                table.add([
                    index == 0 ? job.name : "", row.path, "\(row.frames)", row.targetText,
                    row.bitrateText, index == 0 ? end : "",
                ])
            }
        }
        return table.text(on: terminal)
    }

    private static func kilobits(_ bitrate: Double) -> String { Decimal.text(bitrate / 1000, decimals: 1) }

    /// The report as JSON.
    var object: Object {
        Object(
            jobs: jobs.map { job, result in
                Object.Job(
                    name: job.name, input: job.job.input, output: job.job.output, result: result.word,
                    reason: result.reason, summary: result.summary)
            })
    }

    /// The JSON object of `--json`.
    struct Object: Encodable {
        struct Job: Encodable {
            var name: String
            var input: String
            var output: String
            /// `done`, `partial`, `skipped`, `failed` or `interrupted`.
            var result: String
            var reason: String?
            /// As for a single transcode.
            var summary: TranscodeSummary?
        }

        var jobs: [Job]
    }
}
