import Rill
import RillCore

/// One transcode of a batch, with its name.
struct BatchJob: Sendable {
    /// For a list, as in `jobs.txt:3`; for a folder, the clip's name.
    var name: String
    var job: TranscodeJob

    /// The files that it is known to write; ``SizeParts`` and ``ThumbnailSink`` may add more.
    var plannedFiles: [String] {
        [job.output] + (job.files.more + [job.files.thumbnails]).compactMap(\.self) + job.files.steps(of: job.output)
    }
}

/// The jobs of a batch, which do not share files, and the path of its manifest.
struct BatchPlan: Sendable {
    let jobs: [BatchJob]
    let manifestPath: String
    /// Notices for the user on the search for jobs.
    let notices: [String]

    /// Creates a plan, and refuses jobs that would overwrite each other's files or read another job's output: the order
    /// of jobs is undefined.
    ///
    /// - Parameters:
    ///   - jobs: the jobs.
    ///   - manifestPath: the path of the manifest.
    ///   - notices: notices for the user on the search for jobs.
    /// - Throws: ``BatchRefusal``.
    init(_ jobs: [BatchJob], manifestPath: String, notices: [String] = []) throws(BatchRefusal) {
        self.jobs = jobs
        self.manifestPath = manifestPath
        self.notices = notices
        var problems: [BatchRefusal.Problem] = []
        var writers: [RealPath: String] = [:]
        for job in jobs {
            for path in job.plannedFiles {
                if let other = writers.updateValue(job.name, forKey: RealPath(path)) {
                    problems.append(.init(place: job.name, reason: "\(path) is also written by \(other)"))
                }
            }
        }
        for job in jobs where job.job.options.splitSizes {
            for (path, other) in writers where SizeParts.isPart(path.text, of: RealPath(job.job.output).text) {
                problems.append(
                    .init(place: job.name, reason: "\(path.text) may be one of its files, and is written by \(other)"))
            }
        }
        for job in jobs {
            if let writer = writers[RealPath(job.job.input)] {
                problems.append(
                    .init(place: job.name, reason: "\(job.job.input) is written by \(writer): jobs have no order"))
            }
            for path in job.plannedFiles where RealPath(path) == RealPath(manifestPath) {
                problems.append(.init(place: job.name, reason: "\(path) is the manifest of the batch"))
            }
        }
        guard problems.isEmpty else { throw BatchRefusal(problems: problems) }
    }
}

/// The problems of a batch, reported before anything is transcoded.
struct BatchRefusal: Error, Equatable, CustomStringConvertible {
    /// One problem.
    struct Problem: Equatable {
        /// `jobs.txt:3`, or a clip.
        var place: String
        var reason: String
    }

    var problems: [Problem]
    /// Whether the list or the folder does not exist or cannot be read.
    var isUnreadable = false

    /// The number of problems shown; more are only counted.
    private static let shownCount = 20

    var description: String {
        let lines = problems.prefix(Self.shownCount).map { "\($0.place): \($0.reason)" }
        let more = problems.count - lines.count
        return (lines + (more > 0 ? ["and \(more) more"] : [])).joined(separator: "\n")
    }
}
