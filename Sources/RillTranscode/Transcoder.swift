import Glibc
public import RillCore
public import RillFiles

/// Turns a source into files, offline: as fast as the cores go, no frame lost, the same bytes every time.
///
///     let file = OutputFile(path: "out.ivf")
///     let writer = try IVFWriter(path: file.partPath, name: file.path, codec: .vp8, resolution: .vga)
///     let transcoder = Transcoder(
///         source: clip, outputs: [.encoded(.high(.vga, bitrate: .kilobits(800)), writer)], files: [file])
///     let running = transcoder.start()
///     for await progress in running.progress { show(progress.fraction) }
///     let report = try await running.report()
///
/// Reading and each output have a thread of their own, with a short queue between them: the slowest sets the pace, and
/// memory has a bound. The result does not depend on the threads.
///
/// A clip that can be opened more than once (``ReopenableClip``) can be coded in two passes, which outputs of
/// ``RillCore/EncoderSettings/Effort/good`` are, and cut into segments, which are coded at once. Segments that are
/// ahead of their turn wait in files without a name, beside the first output.
public final class Transcoder {
    /// One thing that is made of the source.
    public typealias Output = TranscodeOutput

    /// Processors of this machine: as many parts are in work at once unless said otherwise.
    public static let processorCount = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    private let work: TranscodeWork
    private var hasStarted = false

    /// Prepares the work on a source that is read once; nothing is read yet.
    ///
    /// - Parameters:
    ///   - outputs: one or more, with different RIDs.
    ///   - files: get their names when all is written, and are removed when that fails or is cancelled.
    public init(source: any FrameSource, outputs: [Output], files: [OutputFile] = []) {
        work = TranscodeWork(.once(source), [nil], outputs, files, threads: 1, SpareThreads())
    }

    /// Prepares the work on a clip that can be opened more than once; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - outputs: one or more, with different RIDs.
    ///   - files: get their names when all is written, and are removed when that fails or is cancelled.
    ///   - segments: into how many parts it is cut; a clip whose frames were not counted is not cut.
    ///   - threads: how many parts are in work at once.
    public convenience init(
        clip: ReopenableClip, outputs: [Output], files: [OutputFile] = [], segments: SegmentCount = .one,
        threads: Int = Transcoder.processorCount
    ) {
        precondition(threads > 0, "at least one part is in work, not \(threads)")
        self.init(
            clip: clip, outputs: outputs, files: files, segments: segments, threads: threads,
            spareThreads: SpareThreads(threads - 1))
    }

    /// The same for one of several transcodes side by side.
    ///
    /// - Parameter spareThreads: what they share; of these come all threads for parts but the first.
    package init(
        clip: ReopenableClip, outputs: [Output], files: [OutputFile], segments: SegmentCount, threads: Int,
        spareThreads: SpareThreads
    ) {
        let count = clip.opensRanges ? clip.frameCount : nil
        let ranges = count.map { segments.ranges(of: $0) } ?? []
        work = TranscodeWork(
            .again(clip), ranges.count > 1 ? ranges : [nil], outputs, files, threads: threads, spareThreads)
    }

    /// Starts the work, on threads of its own. A transcoder runs once.
    public func start() -> RunningTranscode {
        precondition(!hasStarted, "a transcoder runs once")
        hasStarted = true
        return RunningTranscode(work)
    }

    /// Does the work, and waits for it. A transcoder runs once.
    ///
    /// A source that fails half-way ends the work there: what came before is written, and the report says what happened. One
    /// that gives no frame at all leaves no file.
    ///
    /// - Parameter progress: is called on this thread with the number of frames that were read, now and then.
    /// - Throws: an error of an encoder, a sink or a file.
    public func run(progress: (Int) -> Void = { _ in }) throws -> TranscodeReport {
        let running = start()
        while true {
            if let report = try running.wait(atMost: .milliseconds(50)) {
                progress(report.framesRead)
                return report
            }
            progress(running.newestProgress.framesRead)
        }
    }
}
