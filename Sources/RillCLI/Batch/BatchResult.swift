import ArgumentParser
import Rill
import RillCore

/// What has become of a job.
enum BatchResult: Sendable {
    /// Transcoded, wholly or as far as the input could be read.
    case done(TranscodeOutcome)
    /// Done before, and left as it is.
    case skipped(BatchRecord)
    /// Nothing bears its name; the input cannot be read, or the outputs cannot be made.
    case unreadable(reason: String)
    case failed(reason: String)
    /// Ctrl-C came before it was done.
    case interrupted

    init(_ error: any Error) {
        switch error {
        case TranscodeFailure.unreadable(let reason): self = .unreadable(reason: reason)
        case TranscodeFailure.interrupted: self = .interrupted
        case let error as ValidationError: self = .failed(reason: error.message)
        default: self = .failed(reason: "\(error)")
        }
    }

    /// The word for it.
    var word: String {
        switch self {
        case .done(let outcome): outcome.partialReason == nil ? "done" : "partial"
        case .skipped: "skipped"
        case .unreadable, .failed: "failed"
        case .interrupted: "interrupted"
        }
    }

    /// Why it is not wholly done, or not done now.
    var reason: String? {
        switch self {
        case .done(let outcome): outcome.partialReason
        case .skipped(let record): record.partialReason.map { "done before, partial: \($0)" } ?? "done before"
        case .unreadable(let reason), .failed(let reason): reason
        case .interrupted: nil
        }
    }

    /// What was made, now or before.
    var summary: TranscodeSummary? {
        switch self {
        case .done(let outcome): outcome.summary
        case .skipped(let record): record.summary
        case .unreadable, .failed, .interrupted: nil
        }
    }

    /// How grave it is, from nothing on.
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
    /// The code of a batch: that of its gravest job.
    init(_ results: [BatchResult]) {
        let codes: [ExitCode] = [.success, .partialResult, .unreadableInput, .failure, .interrupted]
        self = codes[results.map(\.gravity).max() ?? 0]
    }
}
