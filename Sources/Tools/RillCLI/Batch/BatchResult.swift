import ArgumentParser
import Rill
import RillCore

/// The result of a job.
struct BatchResult: Encodable, Sendable {
    /// `done`, `partial`, `skipped`, `failed` or `interrupted`.
    let result: String
    /// The reason why the job is not complete, or was not run now.
    let reason: String?
    /// The summary of the outputs, written now or before; as for a single transcode.
    let summary: TranscodeSummary?
    /// What was transcoded now, completely or as far as the input could be read.
    let outcome: TranscodeOutcome?
    /// The exit code of a batch of this job alone.
    let exitCode: ExitCode

    private enum CodingKeys: String, CodingKey { case result, reason, summary }

    /// Whether the job was done before.
    var isSkipped: Bool { result == "skipped" }

    /// The result of a job that was transcoded.
    init(_ outcome: TranscodeOutcome) {
        self.outcome = outcome
        summary = outcome.summary
        reason = outcome.partialReason
        result = reason == nil ? "done" : "partial"
        exitCode = reason == nil ? .success : .partialResult
    }

    /// The result of a job that was done before.
    init(skipping record: BatchRecord) {
        outcome = nil
        summary = record.summary
        reason = record.partialReason.map { "done before, partial: \($0)" } ?? "done before"
        result = "skipped"
        exitCode = record.partialReason == nil ? .success : .partialResult
    }

    /// The result of a job that was not done.
    init(_ error: any Error) {
        (outcome, summary) = (nil, nil)
        switch error {
        case let error as CommandError where error.exitCode == .interrupted:
            (result, reason, exitCode) = ("interrupted", nil, .interrupted)
        case let error as CommandError where error.exitCode == .unreadableInput:
            (result, reason, exitCode) = ("failed", error.description, .unreadableInput)
        case let error as ValidationError: (result, reason, exitCode) = ("failed", error.message, .failure)
        default: (result, reason, exitCode) = ("failed", "\(error)", .failure)
        }
    }
}

extension ExitCode {
    /// The exit code of a batch: that of its worst job.
    init(_ results: [BatchResult]) {
        let codes: [ExitCode] = [.success, .partialResult, .unreadableInput, .failure, .interrupted]
        self = codes.last { code in results.contains { $0.exitCode == code } } ?? .success
    }
}
