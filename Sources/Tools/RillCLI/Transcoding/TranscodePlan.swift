import Rill
import RillCodec
import RillContainers
import RillCore
import RillFiles
import RillImage
import RillTranscode

/// The outputs of one transcode: their layers, their sinks and their files.
struct TranscodePlan {
    private(set) var outputs: [Transcoder.Output] = []
    private(set) var paths: [String] = []
    /// Notices on what of the source the outputs cannot store.
    private(set) var notices: [String] = []
    private var files: [OutputFile] = []
    private let parts: SizeParts?
    private var thumbnails: ThumbnailSink?
    private let options: TranscodeOptions
    /// The frame rate of most of the clip.
    private let sourceRate: FrameRate

    init(_ job: TranscodeJob, _ source: TranscodeInput) throws {
        options = job.options
        sourceRate = try source.typicalFrameRate()
        let high =
            options.comparesCoding
            ? LayerSettings.high(source.format.resolution, bitrate: .suggested(for: source.format.resolution))
                .takingEveryFrame(of: sourceRate)
            : options.high(of: source.format.resolution, at: sourceRate)
        parts = options.splitSizes ? SizeParts(job, .slower(high.frameRate, sourceRate), source.video) : nil
        if options.bitrate != nil, job.isCoded { try high.requireReachable("--bitrate", at: sourceRate) }
        if job.files.low != nil || job.files.ladder { try lowLayer.requireReachable("--low-bitrate", at: sourceRate) }
        if let parts {
            outputs = [.wholePictures(high, parts.sink)]
            paths = [job.output]
        } else {
            let layers = job.files.ladder ? [LayerSettings].ladder(high, low: lowLayer) : [high]
            if job.files.ladder { notices += Self.notices(ofLadder: layers, below: high.resolution, job.output) }
            for (index, layer) in layers.enumerated() {
                try add(index == 0 ? job.output : TranscodeFiles.path(job.output, step: "\(layer.rid)"), layer, source)
            }
        }
        if let low = job.files.low { try add(low, lowLayer, source) }
        if let path = job.files.pictures { try add(path, high.named("pictures"), source) }
        if let path = job.files.lowPictures { try add(path, lowLayer.named("lowpictures"), source) }
        if let folder = job.files.thumbnails {
            let sink = try ThumbnailSink(folder: folder)
            thumbnails = sink
            outputs.append(.pictures(.thumbnails(of: high.resolution, every: job.files.thumbnailInterval), sink))
            paths.append(folder)
        }
    }

    /// Notices on the steps of the ladder that a small clip does not have.
    private static func notices(
        ofLadder layers: [LayerSettings], below resolution: Resolution, _ output: String
    ) -> [String] {
        LayerSettings.ladderSteps.filter { step in !layers.contains { $0.rid == step } }.map { step in
            "\(TranscodeFiles.path(output, step: "\(step)")) is left out: for \(resolution) it would not be larger "
                + "than the low layer"
        }
    }

    private var lowLayer: LayerSettings {
        var layer = LayerSettings.low(options.codec)
        layer.bitrate = options.lowBitrate
        options.content.apply(to: &layer.encoder)
        return layer
    }

    private mutating func add(_ path: String, _ layer: LayerSettings, _ source: TranscodeInput) throws {
        let file = OutputFile(path: path)
        files.append(file)
        paths.append(path)
        let rate = FrameRate.slower(layer.frameRate, sourceRate)
        notices += source.video.notices(ofOutput: path, layer.encoder.codec, layer.resolution)
        if let container = ContainerFormat(path: path) {
            let writer = try source.video.writer(
                file, container, layer, rate, hasSound: outputs.isEmpty, options.times,
                endTime: { [health = source.health, times = options.times] in times.endTime(health.endTime) })
            notices += writer.notices
            outputs.append(.encoded(layer, writer))
            return
        }
        if outputs.isEmpty { notices += source.video.noticesOfSilence }
        switch TranscodeFiles.format(of: path) {
        case .ivf:
            let writer = try IVFWriter(
                path: file.partPath, name: path, codec: layer.encoder.codec, resolution: layer.resolution)
            outputs.append(.encoded(layer, writer))
        case .y4m:
            let writer = try Y4MWriter(
                path: file.partPath, name: path, header: source.video.y4mHeader(layer.resolution, rate))
            outputs.append(.pictures(layer, writer))
        case .i420:
            let writer = try RawVideoWriter(path: file.partPath, name: path, resolution: layer.resolution)
            outputs.append(.pictures(layer, writer))
        case .nv12, .rtpDump, .pcap, .pcapng, .png, nil: preconditionFailure("refused by validate()")
        }
    }

    /// Makes the transcoder.
    ///
    /// - Parameters:
    ///   - source: the input.
    ///   - spareThreads: threads shared with other jobs; `nil` for a single job.
    func makeTranscoder(_ source: TranscodeInput, _ spareThreads: SpareThreads?) -> Transcoder {
        let threads = options.partsAtOnce
        return switch source.feed {
        case .once(let source):
            Transcoder(
                source: source, outputs: outputs, files: files, keyFrameInterval: options.times.keyInterval)
        case .again(let clip):
            Transcoder(
                clip: clip, outputs: outputs, files: files, segments: options.segments, threads: threads,
                spareThreads: spareThreads ?? SpareThreads(threads - 1),
                keyFrameInterval: options.times.keyInterval)
        }
    }

    /// All files that have their names after ``commitParts()``.
    var writtenPaths: [String] { files.map(\.path) + (parts?.paths ?? []) + (thumbnails?.paths ?? []) }

    /// Renames the files whose number was not known in advance.
    func commitParts() throws {
        try parts?.commit()
        try thumbnails?.commit()
    }

    func rows(of report: TranscodeReport) -> [TranscodeRow] {
        var rows = zip(paths, zip(outputs, report.outputs)).map { path, pair in
            TranscodeRow(path: path, pair.0, pair.1, seconds: report.duration.seconds)
        }
        if let parts { rows.replaceSubrange(0..<1, with: parts.rows) }
        return rows
    }

    /// A remark on each output whose bitrate is far from its target.
    func bitrateRemarks(of report: TranscodeReport) -> [String] {
        zip(zip(paths, outputs), report.outputs).compactMap { place, written in
            guard case .encoded(let layer, _) = place.1 else { return nil }
            // The user requested only the bitrate of the high layer.
            let isRequested = layer.rid == .high && options.bitrate != nil
            return BitrateRemark.text(
                of: place.0, layer, bytes: written.bytesEncoded, seconds: report.duration.seconds,
                parts: report.segmentCount, isRequested: isRequested)
        }
    }

    /// A notice on each file of pictures that is longer or shorter than the clip, since it stores no times.
    func noticesOfLostTime(_ report: TranscodeReport) -> [String] {
        zip(zip(paths, outputs), report.outputs).compactMap { place, written in
            guard [.y4m, .i420].contains(TranscodeFiles.format(of: place.0)), case .pictures(let layer, _) = place.1
            else {
                return nil
            }
            let rate = FrameRate.slower(layer.frameRate, sourceRate)
            let (length, whole) = (Double(written.framesWritten) / rate.framesPerSecond, report.duration.seconds)
            guard abs(length - whole) > max(0.1, whole / 50) else { return nil }
            let (given, lost) = (Decimal.text(length, decimals: 2), Decimal.text(whole, decimals: 2))
            return
                "\(place.0) lasts \(given) s instead of \(lost) s: it stores one frame rate, and the clip's times are "
                + "uneven; --constant-rate repeats and drops frames"
        }
    }

    /// The rows, with the PSNR of the encoded outputs against the clip.
    func rows(of report: TranscodeReport, measuredAgainst clip: ReopenableClip) throws -> [TranscodeRow] {
        var rows = rows(of: report)
        for (index, output) in outputs.enumerated() {
            guard case .encoded(let layer, _) = output else { continue }
            rows[index].psnr = try QualityCheck.psnr(of: paths[index], layer, against: clip, options.clipOptions)
        }
        return rows
    }
}

extension LayerSettings {
    /// The same settings with another RID.
    fileprivate func named(_ rid: StreamLayer.RID) -> LayerSettings {
        var layer = self
        layer.rid = rid
        return layer
    }
}

/// The output as one file for each picture size: `out.y4m`, then `out.2.y4m`.
final class SizeParts {
    let sink: SplitSizeSink
    private let files: Files
    private let path: String

    /// The files that were started.
    private final class Files {
        var all: [OutputFile] = []
    }

    init(_ job: TranscodeJob, _ rate: FrameRate, _ video: SourceVideo) {
        let files = Files()
        self.files = files
        path = job.output
        sink = SplitSizeSink { part, size in
            let path = Self.path(of: part, job.output)
            if part > 1 { try requireDistinct(input: job.input, outputs: [path, job.output] + job.files.more) }
            let file = OutputFile(path: path)
            files.all.append(file)
            guard TranscodeFiles.format(of: path) == .y4m else {
                return try RawVideoWriter(path: file.partPath, name: path, resolution: size)
            }
            return try Y4MWriter(path: file.partPath, name: path, header: video.y4mHeader(size, rate))
        }
    }

    var rows: [TranscodeRow] {
        sink.parts.enumerated().map { index, part in
            TranscodeRow(path: Self.path(of: index + 1, path), resolution: part.resolution, frames: part.frameCount)
        }
    }

    var paths: [String] { files.all.map(\.path) }

    func commit() throws { for file in files.all { try file.commit() } }

    /// Whether a path is that of the second or a later size of an output.
    static func isPart(_ path: String, of output: String) -> Bool {
        let number = path.split(separator: ".").dropLast().last.flatMap { Int($0) }
        return number.map { $0 > 1 && Self.path(of: $0, output) == path } ?? false
    }

    private static func path(of part: Int, _ output: String) -> String {
        guard part > 1, let dot = output.lastIndex(of: ".") else { return output }
        return "\(output[..<dot]).\(part)\(output[dot...])"
    }
}

/// Measures the quality of an encoded file against the original clip: both are read again, picture by picture.
enum QualityCheck {
    /// PSNR of luma, in decibels; `nil` if there is no picture.
    static func psnr(
        of path: String, _ layer: LayerSettings, against clip: ReopenableClip, _ options: ClipOptions
    ) throws -> Double? {
        let (coded, original) = (I420Source(try options.open(path)), I420Source(try clip.open(nil)))
        let scaler = try LayerScaler(layer.resolution, aspect: layer.aspect, capacity: 2)
        var meter = QualityMeter()
        var (current, following) = (try frame(of: original), try frame(of: original))
        // The first picture is always encoded. Times in a file count from its first picture.
        var shift: MediaDuration?
        while let shown = try frame(of: coded), let first = current {
            let offset = shift ?? first.captureTime - shown.captureTime
            shift = offset
            let time = shown.captureTime + offset
            while let now = current, let next = following,
                abs((next.captureTime - time).nanoseconds) < abs((now.captureTime - time).nanoseconds)
            {
                (current, following) = (next, try frame(of: original))
            }
            guard let picture = current.flatMap({ scaler.fitted($0) }) else { break }
            meter.add(PictureDifference(between: shown, and: picture))
        }
        return meter.psnr?.y
    }

    private static func frame(of source: any FrameSource) throws -> VideoFrame? {
        while true {
            switch try source.next() {
            case .frame(let frame): return frame
            case .pending: continue
            case .noBuffer, .end: return nil
            }
        }
    }
}
