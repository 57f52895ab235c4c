import ArgumentParser
import Foundation
import Rill
import RillCore
import RillFiles

/// The clips of a folder as jobs. Each output has the clip's name with another extension, in another folder.
struct ClipFolder {
    let path: String
    let output: String
    let target: BatchOptions.Target
    let isRecursive: Bool

    /// Searches the folder for clips, and creates the folders of the outputs.
    ///
    /// - Parameters:
    ///   - files: the further output files of every job.
    ///   - options: the options of every job.
    /// - Returns: the plan of the batch.
    /// - Throws: ``BatchRefusal``, or an error of the file system.
    func plan(_ files: TranscodeFiles, _ options: TranscodeOptions) throws -> BatchPlan {
        guard RealPath(path) != RealPath(output) else {
            throw BatchRefusal(problems: [
                .init(place: output, reason: "is the folder of the clips: the outputs would be clips of the next run")
            ])
        }
        guard FileStatus(path: path) != nil else {
            throw BatchRefusal(
                problems: [.init(place: path, reason: "no such folder; check the path")], isUnreadable: true)
        }
        var found = Found()
        try look(through: "", &found)
        guard !found.clips.isEmpty else {
            throw BatchRefusal(problems: [.init(place: path, reason: "contains no clip")])
        }
        var problems: [BatchRefusal.Problem] = []
        var sources: [String: String] = [:]
        let jobs = found.clips.map { clip in
            let stem = clip.lastIndex(of: ".").map { String(clip[..<$0]) } ?? clip
            let job = TranscodeJob(
                input: "\(path)/\(clip)", output: "\(output)/\(stem).\(target.rawValue)", files: files,
                options: options)
            if let other = sources.updateValue(clip, forKey: stem) {
                problems.append(
                    .init(
                        place: "\(path)/\(clip)",
                        reason: "has the same output as \(other), \(job.output): use a list, with --jobs"))
            }
            do { try files.validate(job.input, job.output, options) } catch {
                problems.append(.init(place: job.input, reason: JobLine.reason(for: error)))
            }
            if [.i420, .nv12].contains(VideoFileFormat(path: clip)), options.clipOptions.rawSize == nil {
                problems.append(.init(place: job.input, reason: "raw video does not store its size; add --raw-size"))
            }
            return BatchJob(name: clip, job: job)
        }
        guard problems.isEmpty else { throw BatchRefusal(problems: problems) }
        let notices = found.skipped == 0 ? [] : ["\(path): files skipped that are not clips: \(found.skipped)"]
        let plan = try BatchPlan(jobs, manifestPath: "\(output)/rill-transcode.done", notices: notices)
        for folder in Set(jobs.map { OutputFile.folder(of: $0.job.output) } + [output]) {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        return plan
    }

    private struct Found {
        /// Paths in the folder, sorted by name.
        var clips: [String] = []
        var skipped = 0
        /// The folders searched so far: links may form cycles.
        var folders: Set<RealPath> = []
    }

    /// Searches a folder. Hidden files, including part files, and the folder of the outputs are skipped.
    private func look(through folder: String, _ found: inout Found) throws {
        let here = folder.isEmpty ? path : "\(path)/\(folder)"
        guard found.folders.insert(RealPath(here)).inserted else { return }
        for name in try FileManager.default.contentsOfDirectory(atPath: here).sorted() where !name.hasPrefix(".") {
            let place = folder.isEmpty ? name : "\(folder)/\(name)"
            switch FileStatus(path: "\(path)/\(place)")?.kind {
            case .folder where isRecursive && RealPath("\(path)/\(place)") != RealPath(output):
                try look(through: place, &found)
            case .folder: continue
            case .file where ClipEndings.isClip(name): found.clips.append(place)
            case .file, .other, nil: found.skipped += 1
            }
        }
    }
}

/// The options of a batch.
struct BatchOptions: ParsableArguments {
    /// The output format of the clips of a folder.
    enum Target: String, ExpressibleByArgument, CaseIterable {
        case webm, mkv, ivf, y4m
    }

    @Option(
        help: ArgumentHelp(
            "Run the jobs of a list, one per line: INPUT OUTPUT and options, quoted as for a shell; # starts a "
                + "comment. Paths are relative to the list's folder. A line's options override those given here.",
            valueName: "list"), completion: .file())
    var jobs: String?

    @Option(help: "Output format when INPUT and OUTPUT are folders.")
    var to: Target?

    @Flag(help: "With a folder: include its subfolders.")
    var recursive = false

    @Flag(
        help: ArgumentHelp(
            "Skip the jobs that were done before, according to the manifest (LIST.done, or rill-transcode.done in the "
                + "output folder): same input, same options, outputs still present."))
    var resume = false
}
