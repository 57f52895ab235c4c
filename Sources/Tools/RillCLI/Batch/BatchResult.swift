import ArgumentParser
import Rill
import RillCore

/// The result of a job.
enum BatchResult: Sendable {
    /// Transcoded, completely or as far as the input could be read.
    case done(TranscodeOutcome)
    /// Done before, and skipped.
    case skipped(BatchRecord)
    /// The input cannot be read; no output was written.
    case unreadable(reason: String)
    /// The outputs cannot be written.
    case failed(reason: String)
    /// Ctrl-C was pressed before the job was done.
    case interrupted

    init(_ error: any Error) {
        switch error {
        case let error as CommandError where error.exitCode == .unreadableInput:
            self = .unreadable(reason: error.description)
        case let error as CommandError where error.exitCode == .interrupted: self = .interrupted
        case let error as ValidationError: self = .failed(reason: error.message)
        default: self = .failed(reason: "\(error)")
        }
    }

    /// The name of the result.
    var word: String {
        switch self {
        case .done(let outcome): outcome.partialReason == nil ? "done" : "partial"
        case .skipped: "skipped"
        case .unreadable, .failed: "failed"
        case .interrupted: "interrupted"
        }
    }

    /// The reason why the job is not complete, or was not run now.
    var reason: String? {
        switch self {
        case .done(let outcome): outcome.partialReason
        case .skipped(let record): record.partialReason.map { "done before, partial: \($0)" } ?? "done before"
        case .unreadable(let reason), .failed(let reason): reason
        case .interrupted: nil
        }
    }

    /// The summary of the outputs, written now or before.
    var summary: TranscodeSummary? {
        switch self {
        case .done(let outcome): outcome.summary
        case .skipped(let record): record.summary
        case .unreadable, .failed, .interrupted: nil
        }
    }

    /// The severity, starting from 0.
    fileprivate var gravity: Int {
        switch self {
        case .done(let outcome): outcome.partialReason == nil ? 0 : 1
        case .skipped(let record): record.partialReason == nil ? 0 : 1
        case .unreadable: 2
        case .failed: 3
        case .interrupted: 4
        }
    }
}

extension ExitCode {
    /// The exit code of a batch: that of its worst job.
    init(_ results: [BatchResult]) {
        let codes: [ExitCode] = [.success, .partialResult, .unreadableInput, .failure, .interrupted]
        self = codes[results.map(\.gravity).max() ?? 0]
    }
}
