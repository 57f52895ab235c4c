import ArgumentParser
import Rill
import RillCore
import RillFiles
import RillTranscode

/// One transcode, from paths and options to files and a summary. It prints nothing, so a batch can run many of them and
/// report on each.
struct TranscodeJob {
    var input: String
    var output: String
    var files: TranscodeFiles
    var options: TranscodeOptions
    /// The threads shared with other jobs; `nil` for a single job.
    var spareThreads: SpareThreads?

    /// The threads of FFmpeg's decoder: all cores for a single job, one in a batch.
    private var decoderThreads: Int { spareThreads == nil ? 0 : 1 }

    /// Runs the transcode and waits for its end. No output gets its final name before everything is done.
    ///
    /// - Parameters:
    ///   - begin: called when the input is open, with its frame count if known.
    ///   - watch: called ten times per second with the progress; `false` cancels the transcode.
    /// - Returns: the outcome.
    /// - Throws: ``CommandError``; a `ValidationError` for options that do not fit the input; an error of an
    ///   encoder or an output.
    func run(
        begin: (_ frameCount: Int?) -> Void = { _ in }, watch: (TranscodeProgress) -> Bool = { _ in true }
    ) throws -> TranscodeOutcome {
        let source = try readingInput { try TranscodeInput(input, options, decoderThreads: decoderThreads) }
        if TranscodeFiles.format(of: output) == .png { return try writePicture(of: source) }
        if case .once = source.feed, options.effort == .good {
            throw ValidationError("\(input): --good reads the clip twice: the input must be a regular file")
        }
        begin(source.format.frameCount)
        if TranscodeFiles.isPage(output) { return try writePage(of: source, watch) }
        let plan = try TranscodePlan(self, source)
        let running = plan.makeTranscoder(source, spareThreads).start()
        let report = try wait(for: running, watch)
        guard report.framesRead > 0 else {
            throw hasNoPicture(source, report.sourceFailure.map { "\($0)" })
        }
        try plan.commitParts()
        return try outcome(of: report, plan, source)
    }

    /// The failure of an input that could be opened but has no picture.
    private func hasNoPicture(_ source: TranscodeInput, _ failure: String?) -> CommandError {
        let damage = source.health.failure.map { "\(input) has no picture: \($0)" }
        return CommandError(failure ?? damage ?? "\(input) has no picture", .unreadableInput)
    }

    private func wait(
        for running: RunningTranscode, _ watch: (TranscodeProgress) -> Bool
    ) throws -> TranscodeReport {
        var isWanted = true
        while true {
            do {
                if let report = try running.wait(atMost: .milliseconds(100)) {
                    _ = watch(running.newestProgress)
                    return report
                }
            } catch is CancellationError {
                throw CommandError.interrupted
            }
            guard isWanted, !watch(running.newestProgress) else { continue }
            isWanted = false
            running.cancel()
        }
    }

    /// Whether the output holds encoded frames, and so has a bitrate.
    var isCoded: Bool { TranscodeFiles.isCoded(output) }

    /// Writes the first picture only.
    private func writePicture(of source: TranscodeInput) throws -> TranscodeOutcome {
        guard let frame = try source.firstPicture() else {
            throw hasNoPicture(source, nil)
        }
        let file = OutputFile(path: output)
        try PNGWriter.write(frame, to: file.partPath, name: output)
        try file.commit()
        let row = TranscodeRow(path: output, resolution: frame.resolution, frames: 1)
        let summary = TranscodeSummary(
            framesRead: 1, framesSkipped: 0, duration: 0, segments: 1, outputs: [row], notices: source.notices)
        return TranscodeOutcome(summary: summary, files: [output], lack: source.lack)
    }

    /// Writes the page of a comparison.
    private func writePage(
        of source: TranscodeInput, _ watch: (TranscodeProgress) -> Bool
    ) throws -> TranscodeOutcome {
        let pictures: any FrameSource =
            switch source.feed {
            case .once(let pictures): pictures
            case .again(let clip): try clip.open(nil)
            }
        guard let comparison = pictures as? CodingComparison else { preconditionFailure("refused by validate()") }
        var record = CodingRecord(comparison)
        var ending: String?
        do {
            while try record.addNext() {
                guard watch(TranscodeProgress(framesRead: record.pictures.count)) else {
                    throw CommandError.interrupted
                }
            }
        } catch let error as CommandError {
            throw error
        } catch {
            // What was read before stays, as for any output.
            guard let last = record.pictures.last else { throw hasNoPicture(source, "\(error)") }
            ending =
                "the clip ended early, after \(record.pictures.count) frames (\(last.captureTime.seconds) s): \(error)"
        }
        guard !record.pictures.isEmpty else { throw hasNoPicture(source, nil) }
        try CodingPage(record, of: comparison.layer, input: input).write(to: output)
        let row = TranscodeRow(path: output, resolution: source.format.resolution, frames: record.pictures.count)
        let summary = TranscodeSummary(
            framesRead: record.pictures.count, framesSkipped: source.health.framesSkipped,
            duration: record.duration.seconds, segments: 1, outputs: [row],
            notices: source.notices + [source.health.remark].compactMap(\.self))
        return TranscodeOutcome(
            summary: summary, files: [output], lack: source.lack, partialReason: source.health.failure ?? ending)
    }

    /// A notice if the size of the pictures changed in mid-clip; `nil` if it did not, or each size has a file.
    private func noticeOfSizes(_ source: TranscodeInput) -> String? {
        let sizes = source.health.furtherSizes
        guard !sizes.isEmpty, !options.splitSizes else { return nil }
        let list = sizes.map(\.description).joined(separator: ", ")
        return "\(input): pictures of \(list) are scaled to the first size"
    }

    private func outcome(
        of report: TranscodeReport, _ plan: TranscodePlan, _ source: TranscodeInput
    ) throws -> TranscodeOutcome {
        let conversion = source.health.conversion.map { "\(input): \($0)" }
        var notices = source.notices + [conversion, noticeOfSizes(source)].compactMap(\.self) + plan.notices
        notices += [source.health.rateChange.map { "\(input): \($0)" }].compactMap(\.self)
        notices += plan.noticesOfLostTime(report)
        notices += [source.health.remark].compactMap(\.self) + plan.bitrateRemarks(of: report)
        var rows = plan.rows(of: report)
        if options.psnr {
            switch source.feed {
            case .again(let clip): rows = try plan.rows(of: report, measuredAgainst: clip)
            case .once: notices.append("\(input) can be read only once: no PSNR")
            }
        }
        let summary = TranscodeSummary(
            framesRead: report.framesRead, framesSkipped: source.health.framesSkipped,
            duration: report.duration.seconds, segments: report.segmentCount, outputs: rows, notices: notices)
        let ending = report.sourceFailure.map { "the clip ended early, after \(report.framesRead) frames: \($0)" }
        return TranscodeOutcome(
            summary: summary, files: plan.writtenPaths, lack: source.lack,
            partialReason: source.health.failure ?? ending)
    }
}
