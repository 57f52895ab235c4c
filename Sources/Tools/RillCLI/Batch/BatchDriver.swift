import ArgumentParser
import Rill
import RillCore

/// Runs a batch and reports on it.
struct BatchDriver {
    var plan: BatchPlan
    var resumes: Bool
    var threads: Int
    /// Whether the result is printed as JSON instead of a table.
    var printsJSON: Bool

    /// Runs all jobs and waits for them.
    ///
    /// - Throws: `ExitCode` unless all jobs were done; an error that prevents the batch from starting.
    func run() throws {
        let start = Measurement.now
        let interruption = Interruption()
        let manifest = try BatchManifest(path: plan.manifestPath, resumes: resumes)
        for notice in plan.notices { StandardError.print(notice) }
        let results = follow(
            try BatchRun(plan, manifest, resumes: resumes, threads: threads), start, interruption)
        let report = BatchReport(plan.jobs, results)
        if printsJSON {
            try JSONOutput.print(report.object)
        } else {
            StandardError.print("\n" + report.text(on: .standardError))
        }
        StandardError.print(Measurement.now.since(start).text)
        let code = ExitCode(results)
        guard code == .success else { throw code }
    }

    /// Shows the progress until the last job has ended.
    private func follow(_ run: BatchRun, _ start: Measurement, _ interruption: Interruption) -> [BatchResult] {
        let board = BatchBoard(plan.jobs)
        var told = 0
        var lacks: Set<String> = []
        while true {
            if interruption.isRequested { run.cancel() }
            let snapshot = run.wait(pastEnd: told, atMost: .milliseconds(100))
            var lines: [String] = []
            for index in snapshot.ended[told...] {
                guard case .ended(let result) = snapshot.statuses[index] else { continue }
                lines += BatchReport.lines(plan.jobs[index], result)
                // Once for all clips.
                if let lack = result.outcome?.lack, lacks.insert(lack).inserted {
                    lines.append(lack)
                }
            }
            told = snapshot.ended.count
            board.draw(snapshot, seconds: Measurement.now.since(start).wallSeconds, lines: lines)
            guard told == plan.jobs.count else { continue }
            board.finish()
            return snapshot.statuses.compactMap { if case .ended(let result) = $0 { result } else { nil } }
        }
    }
}
