import Rill
import RillCore

/// One transcode of a batch, and how it is called there.
struct BatchJob: Sendable {
    /// `jobs.txt:3` of a list, the clip's name of a folder.
    var name: String
    var job: TranscodeJob

    /// All files that it is known to write; ``SizeParts`` and ``ThumbnailSink`` find more.
    var plannedFiles: [String] {
        [job.output] + (job.files.more + [job.files.thumbnails]).compactMap(\.self) + job.files.steps(of: job.output)
    }
}

/// The jobs of a batch, none of which touches another's files, and the place of its manifest.
struct BatchPlan: Sendable {
    let jobs: [BatchJob]
    let manifestPath: String
    /// What the user should know of how they were found.
    let notices: [String]

    /// Refuses jobs that would destroy each other's files, or read what another one writes: they run in no order.
    ///
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
                    problems.append(.init(place: job.name, reason: "\(path) is written by \(other) too"))
                }
            }
        }
        for job in jobs where job.job.options.splitSizes {
            for (path, other) in writers where SizeParts.isPart(path.text, of: RealPath(job.job.output).text) {
                problems.append(
                    .init(place: job.name, reason: "\(path.text) may be one of its sizes, and is written by \(other)"))
            }
        }
        for job in jobs {
            if let writer = writers[RealPath(job.job.input)] {
                problems.append(
                    .init(place: job.name, reason: "\(job.job.input) is written by \(writer): jobs have no order"))
            }
            for path in job.plannedFiles where RealPath(path) == RealPath(manifestPath) {
                problems.append(.init(place: job.name, reason: "\(path) is the manifest of what was done"))
            }
        }
        guard problems.isEmpty else { throw BatchRefusal(problems: problems) }
    }
}

/// What is wrong with a batch, said before anything is transcoded.
struct BatchRefusal: Error, Equatable, CustomStringConvertible {
    /// One thing that is wrong.
    struct Problem: Equatable {
        /// `jobs.txt:3`, or a clip.
        var place: String
        var reason: String
    }

    var problems: [Problem]
    /// Whether there is nothing that could be wrong: the list or the folder is not there, or cannot be read.
    var isUnreadable = false

    /// Those beyond these are only counted.
    private static let shownCount = 20

    var description: String {
        let lines = problems.prefix(Self.shownCount).map { "\($0.place): \($0.reason)" }
        let more = problems.count - lines.count
        return (lines + (more > 0 ? ["and \(more) more"] : [])).joined(separator: "\n")
    }
}
