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
        var line = "\(result.result): \(job.job.input) → \(job.job.output)"
        if let first = result.summary?.outputs.first {
            line += ", \(first.frames) frames" + (first.bitrate.map { ", \(kilobits($0)) kbit/s" } ?? "")
        }
        if let reason = result.reason { line += ": \(reason)" }
        return [line] + (result.outcome?.notices ?? []).map { "  \($0)" }
    }

    /// A table with a row for each written file, or for the job if there is none.
    func text(on terminal: Terminal) -> String {
        var table = TextTable(["job", "output", "frames", "target", "kbit/s", "result"], textColumns: [0, 1, 5])
        for (job, result) in jobs {
            let end = result.result + (result.reason.map { ": \($0)" } ?? "")
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

    /// The JSON object of `--json`: the result of each job beside its names.
    var object: [String: [JoinedObject<[String: String], BatchResult>]] {
        let objects = jobs.map { job, result in
            JoinedObject(
                first: ["name": job.name, "input": job.job.input, "output": job.job.output], second: result)
        }
        return ["jobs": objects]
    }
}
