import RillCodec
import RillCore
import RillImage
import RillThreads

/// Reads one part of a clip, once per pass, and passes its frames to the outputs' threads.
struct PartReader: Sendable {
    /// How an output processes its frames.
    enum Kind: Sendable {
        case onePass, twoPasses, pictures, wholePictures

        init(_ output: Transcoder.Output) {
            switch output {
            case .encoded(let layer, _): self = layer.encoder.effort == .good ? .twoPasses : .onePass
            case .pictures: self = .pictures
            case .wholePictures: self = .wholePictures
            }
        }
    }

    /// The index of the part.
    let part: Int
    /// The frames of the part; `nil` for all.
    let frames: Range<Int>?
    let layers: [LayerSettings]
    let kinds: [Kind]
    let outputs: [OrderedOutput]
    let meter: TranscodeMeter
    /// The most media time between two key frames of an output; `nil` for no limit.
    let keyFrameInterval: MediaDuration?

    /// How many pictures a sink may hold before the work waits for it.
    private static let keptPictures = 4

    /// Makes one pass over a source that is the whole clip.
    func read(_ source: any FrameSource) throws -> TranscodeWork.Part {
        try code(source, runIn: 0, gridStart: nil, firstPasses: [:])
    }

    /// Makes all passes over the part of a clip.
    func read(_ clip: ReopenableClip) throws -> TranscodeWork.Part {
        let begin = frames?.lowerBound ?? 0
        let runIn = min(clip.runIn, begin)
        let gridStart = begin > 0 ? clip.start : nil
        /// Opens the part. If a later part cannot be opened, the clip ends before it.
        func open(_ result: inout TranscodeWork.Part) throws -> (any FrameSource)? {
            do { return try clip.open(frames.map { $0.lowerBound - runIn..<$0.upperBound }) } catch {
                guard part > 0 else { throw error }
                result.sourceFailure = error
                end()
                return nil
            }
        }
        var result = TranscodeWork.Part()
        var statistics: [Int: FirstPassStatistics] = [:]
        if kinds.contains(.twoPasses) {
            guard let source = try open(&result) else { return result }
            statistics = try analyze(source, runIn: runIn, gridStart: gridStart)
        }
        guard let source = try open(&result) else { return result }
        return try code(source, runIn: runIn, gridStart: gridStart, firstPasses: statistics)
    }

    /// Ends the clip with this part: later ones are not written.
    private func end() {
        meter.end(withPart: part)
        for output in outputs { output.end(withPart: part) }
    }

    // MARK: Passes

    private func analyze(
        _ source: any FrameSource, runIn: Int, gridStart: MediaTime?
    ) throws -> [Int: FirstPassStatistics] {
        var workers: [OutputWorker?] = []
        for (index, layer) in layers.enumerated() {
            guard kinds[index] == .twoPasses else {
                workers.append(nil)
                continue
            }
            let task = OutputWorker.Task.analysis(try LayerAnalyzer(layer))
            workers.append(try OutputWorker(layer.rid, task, part: part, index, meter))
        }
        var result = TranscodeWork.Part()
        let reading = Result {
            try read(source, into: workers, runIn: runIn, gridStart: gridStart, &result) { _ in
                meter.update { $0.framesAnalyzed += 1 }
            }
        }
        // A source that fails here fails in the second pass too, which reports it.
        let results = workers.map { worker in Result { try worker?.finish() } }
        try reading.get()
        var statistics: [Int: FirstPassStatistics] = [:]
        for (index, result) in results.enumerated() { statistics[index] = try result.get() }
        return statistics
    }

    private func code(
        _ source: any FrameSource, runIn: Int, gridStart: MediaTime?, firstPasses: [Int: FirstPassStatistics]
    ) throws -> TranscodeWork.Part {
        var workers: [OutputWorker?] = []
        for (index, layer) in layers.enumerated() {
            let sink = PartSink(outputs[index], part: part)
            let task: OutputWorker.Task =
                switch kinds[index] {
                case .onePass, .twoPasses:
                    .encoding(try LayerEncoder(layer, firstPass: firstPasses[index]?.nonempty), sink)
                case .pictures:
                    .scaling(
                        try LayerScaler(layer.resolution, aspect: layer.aspect, capacity: Self.keptPictures), sink)
                case .wholePictures: .passing(sink)
                }
            workers.append(try OutputWorker(layer.rid, task, part: part, index, meter))
        }
        var result = TranscodeWork.Part()
        let reading = Result {
            try read(source, into: workers, runIn: runIn, gridStart: gridStart, &result) { more in
                meter.update { progress in
                    progress.framesRead += 1
                    progress.mediaTime += more
                }
            }
        }
        if result.sourceFailure != nil { end() }
        // Every output is finished, whatever happened to the others. The first error is reported.
        let results = workers.map { worker in Result { try worker?.finish() } }
        for result in results { _ = try result.get() }
        try reading.get()
        return result
    }

    /// Reads to the end, or until the source or an output fails.
    private func read(
        _ opened: any FrameSource, into workers: [OutputWorker?], runIn: Int, gridStart: MediaTime?,
        _ result: inout TranscodeWork.Part, _ count: (_ more: MediaDuration) -> Void
    ) throws {
        // Each output has its own plan: layers are independent.
        var plans: [SimulcastPlan] = []
        for layer in layers { plans.append(try SimulcastPlan(layers: [layer])) }
        if let gridStart { for index in plans.indices { plans[index].alignGrids(to: gridStart) } }
        let looksForChanges = plans.contains { $0.looksForChanges }
        var spacings = layers.map { _ in KeyFrameSpacing(keyFrameInterval) }
        var changes = PictureChangeCounter()
        var skipped = 0
        let source = I420Source(opened)
        defer { result.framesConverted = source.framesConverted }
        while true {
            guard !meter.isOver(part: part) else { throw CancellationError() }
            let output: SourceOutput
            do { output = try source.next() } catch {
                result.sourceFailure = error
                return
            }
            switch output {
            case .frame(let frame):
                let isRunIn = skipped < runIn
                let before = result.span.duration
                let content = looksForChanges ? changes.add(frame) : nil
                if isRunIn {
                    skipped += 1
                } else {
                    result.framesRead += 1
                    result.span.add(frame.captureTime)
                }
                for (index, worker) in workers.enumerated() {
                    let task = plans[index].tasks(
                        at: frame.captureTime, content: content, isDiscontinuity: frame.isDiscontinuity)[0]
                    guard let worker, var task, !isRunIn else { continue }
                    if spacings[index].isDue(at: frame.captureTime) { task.isKeyFrameRequested = true }
                    // The worker reports why it stopped.
                    guard worker.append(frame, task) else { return }
                }
                if !isRunIn { count(result.span.duration - before) }
            case .noBuffer:
                // All buffers are in use: wait for the outputs.
                LiveClock.pause()
            case .pending: continue
            case .end: return
            }
        }
    }
}
