import RillCodec
import RillCore
import RillFiles
import RillThreads

/// The work of a ``Transcoder``, on the calling thread and those that it starts: the passes over each part of the
/// clip, several parts in parallel, and the outputs in order.
final class TranscodeWork {
    /// The source of the pictures.
    enum Source {
        case once(any FrameSource)
        case again(ReopenableClip)
    }

    let meter: TranscodeMeter
    private let source: Source
    /// The frames of each part; `nil` for all.
    private let ranges: [Range<Int>?]
    private let layers: [LayerSettings]
    private let kinds: [PartReader.Kind]
    private let ordered: [OrderedOutput]
    private let files: [OutputFile]
    private let threads: Int
    private let spareThreads: SpareThreads
    private let keyFrameInterval: MediaDuration?

    /// The result of one part.
    struct Part: Sendable {
        var framesRead = 0
        var framesConverted = 0
        var span = MediaSpan()
        var sourceFailure: (any Error)?
    }

    init(
        _ source: Source, _ ranges: [Range<Int>?], _ outputs: [Transcoder.Output], _ files: [OutputFile], threads: Int,
        _ spareThreads: SpareThreads, keyFrameInterval: MediaDuration?
    ) {
        self.keyFrameInterval = keyFrameInterval
        self.source = source
        self.ranges = ranges
        self.files = files
        self.threads = min(threads, ranges.count)
        self.spareThreads = spareThreads
        layers = outputs.map(\.layer)
        kinds = outputs.map(PartReader.Kind.init)
        // Spools are in the folder of the result, which has room.
        let folder = files.first { $0.isPart }.map { OutputFile.folder(of: $0.partPath) } ?? "/tmp"
        ordered = outputs.map { OrderedOutput($0, spoolFolder: folder) }
        let total =
            switch source {
            case .once(let source): source.format.frameCount
            case .again(let clip): clip.frameCount
            }
        meter = TranscodeMeter(
            outputCount: outputs.count, totalFrames: total, passCount: kinds.contains(.twoPasses) ? 2 : 1)
    }

    /// Does all the work, and waits for every thread.
    ///
    /// Every sink is finished, whatever happened to the others. The first error is thrown. Without an error the files
    /// get their final names.
    func run() throws -> TranscodeReport {
        let work = Result { try workOnParts() }
        let finished = ordered.map { output in Result { try output.finish() } }
        do {
            let parts = try work.get()
            for result in finished { try result.get() }
            if meter.isCancelled { throw CancellationError() }
            let report = report(of: parts)
            // A source without frames produces no file.
            for file in files { if report.framesRead > 0 { try file.commit() } else { file.discard() } }
            return report
        } catch {
            for file in files { file.discard() }
            throw error
        }
    }

    private func report(of parts: [Part]) -> TranscodeReport {
        var report = TranscodeReport()
        var span = MediaSpan()
        for part in parts {
            report.framesRead += part.framesRead
            report.framesConverted += part.framesConverted
            span.add(part.span)
            report.sourceFailure = part.sourceFailure
            if part.sourceFailure != nil { break }
        }
        report.segmentCount = ranges.count
        report.duration = span.duration
        report.outputs = ordered.map(\.written)
        return report
    }

    // MARK: Parts

    private func workOnParts() throws -> [Part] {
        guard !layers.isEmpty else { throw TranscodeError.codec(.invalidSettings("there is no output")) }
        guard Set(layers.map(\.rid)).count == layers.count else {
            throw TranscodeError.codec(
                .invalidSettings("two outputs have the same RID: \(layers.map(\.rid.description))"))
        }
        switch source {
        case .once(let source):
            guard !kinds.contains(.twoPasses) else { throw TranscodeError.sourceNotReopenable }
            return [try reader(0).read(source)]
        case .again(let clip) where ranges.count == 1: return [try reader(0).read(clip)]
        case .again(let clip): return try workOnAll(clip)
        }
    }

    private func reader(_ part: Int) -> PartReader {
        PartReader(
            part: part, frames: ranges[part], layers: layers, kinds: kinds, outputs: ordered, meter: meter,
            keyFrameInterval: keyFrameInterval)
    }

    /// Processes the parts in order, as many in parallel as there are threads: its own, and borrowed ones.
    private func workOnAll(_ clip: ReopenableClip) throws -> [Part] {
        struct Progress: ~Copyable {
            var next = 0
            var results: [Int: Result<Part, any Error>] = [:]
        }
        let readers = ranges.indices.map(reader)
        let progress = Monitor(Progress())
        let (meter, spareThreads) = (meter, spareThreads)
        /// Whether there is a part that no thread works on.
        @Sendable func isPartLeft() -> Bool {
            let next = progress.withLock { $0.next }
            return next < readers.count && !meter.isOver(part: next)
        }
        @Sendable func work(_ index: Int) {
            // At the end, waiting threads must notice that there is no work left for them.
            defer { spareThreads.wake() }
            while index == 0 || spareThreads.borrow(while: isPartLeft) {
                defer { if index > 0 { spareThreads.add() } }
                let part = progress.withLock { progress in
                    defer { progress.next += 1 }
                    return progress.next
                }
                guard part < readers.count, !meter.isOver(part: part) else { return }
                let result = Result { try readers[part].read(clip) }
                progress.withLock { $0.results[part] = result }
                // An encoder's or sink's error ends everything. When the source ends, earlier parts continue.
                if case .failure(let error) = result, !(error is CancellationError) { meter.end(withPart: -1) }
            }
        }
        var workers: [NamedThread] = []
        do throws(ThreadError) {
            for index in 0..<threads {
                workers.append(try NamedThread("rill-part-\(index)") { work(index) })
            }
        } catch {
            meter.end(withPart: -1)
            spareThreads.wake()
            for worker in workers { worker.join() }
            throw error
        }
        for worker in workers { worker.join() }
        let results = progress.withLock { $0.results }
        var parts: [Part] = []
        for part in ranges.indices {
            guard let result = results[part] else { break }
            switch result {
            case .success(let done): parts.append(done)
            // Ended because of another part, whose error is reported.
            case .failure(is CancellationError) where !meter.isCancelled: continue
            case .failure(let error): throw error
            }
        }
        return parts
    }
}

/// Threads that several transcodes share. Each has one of its own, and borrows more for parts of its clip that can
/// run in parallel: one thread for one part, then it is returned.
///
/// ```swift
/// let spare = SpareThreads(6)  // eight threads, two transcodes
/// ```
///
/// A transcode without work left adds its own thread. Callable from any thread.
package final class SpareThreads: Sendable {
    private let count: Monitor<Int>

    /// Creates a pool of that many idle threads.
    package init(_ count: Int = 0) {
        self.count = Monitor(count)
    }

    /// Adds a thread for those that wait: a new one, or a borrowed one that is returned.
    package func add() { count.change { $0 += 1 } }

    /// Waits for a thread as long as it is wanted. `isWanted` is evaluated at each change and each ``wake()``.
    ///
    /// - Returns: whether a thread was borrowed, which must be returned later.
    func borrow(while isWanted: () -> Bool) -> Bool {
        count.wait { count -> Bool? in
            guard isWanted() else { return false }
            guard count > 0 else { return nil }
            count -= 1
            return true
        }
    }

    /// Makes all waiting callers check whether they still want a thread.
    func wake() { count.change { _ in } }
}
