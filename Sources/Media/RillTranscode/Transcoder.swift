public import RillCore
public import RillFiles
import RillThreads

/// Converts a source to files, offline: as fast as the cores allow, without losing a frame, and with the same bytes
/// every time.
///
/// ```swift
/// let file = OutputFile(path: "out.ivf")
/// let writer = try IVFWriter(path: file.partPath, name: file.path, codec: .vp8, resolution: .vga)
/// let transcoder = Transcoder(
///     source: clip, outputs: [.encoded(.high(.vga, bitrate: .kilobits(800)), writer)], files: [file])
/// let running = transcoder.start()
/// for await progress in running.progress { show(progress.fraction) }
/// let report = try await running.report()
/// ```
///
/// Reading and each output have their own thread, with a short queue between them: the slowest determines the speed,
/// and memory is bounded. The result does not depend on the threads.
///
/// A clip that can be opened more than once (``ReopenableClip``) can be coded in two passes, as outputs with
/// ``RillCore/EncoderSettings/Effort/good`` are. It can also be split into segments, which are coded in parallel.
/// Segments that are ahead of their turn wait in unnamed files, beside the first output.
public final class Transcoder {
    /// An output of the transcode.
    public typealias Output = TranscodeOutput

    /// The number of processors that this process may use, by its CPU affinity and its control group's quota: by
    /// default as many parts run in parallel.
    public static let processorCount = ProcessorCount.usable

    private let work: TranscodeWork
    private var hasStarted = false

    /// The most media time between two key frames of a file where nothing else is requested: a player that seeks
    /// decodes at most that much. It is the usual limit of streaming services.
    public static let defaultKeyFrameInterval = MediaDuration.seconds(10)

    /// Prepares a transcode of a source that is read once. Nothing is read yet.
    ///
    /// - Parameters:
    ///   - source: the pictures.
    ///   - outputs: one or more, with different RIDs.
    ///   - files: get their final names when everything is written, and are removed on failure or cancellation.
    ///   - keyFrameInterval: the most media time between two key frames; `nil` leaves it to the encoders' settings.
    public init(
        source: any FrameSource, outputs: [Output], files: [OutputFile] = [],
        keyFrameInterval: MediaDuration? = Transcoder.defaultKeyFrameInterval
    ) {
        work = TranscodeWork(
            .once(source), [nil], outputs, files, threads: 1, SpareThreads(), keyFrameInterval: keyFrameInterval)
    }

    /// Prepares a transcode of a clip that can be opened more than once. Nothing is opened yet.
    ///
    /// - Parameters:
    ///   - clip: the clip.
    ///   - outputs: one or more, with different RIDs.
    ///   - files: get their final names when everything is written, and are removed on failure or cancellation.
    ///   - segments: into how many parts the clip is split. A clip whose frames were not counted is not split.
    ///   - threads: how many parts run in parallel, at least 1.
    ///   - keyFrameInterval: the most media time between two key frames; `nil` leaves it to the encoders' settings.
    public convenience init(
        clip: ReopenableClip, outputs: [Output], files: [OutputFile] = [], segments: SegmentCount = .one,
        threads: Int = Transcoder.processorCount,
        keyFrameInterval: MediaDuration? = Transcoder.defaultKeyFrameInterval
    ) {
        precondition(threads > 0, "at least one part is in work, not \(threads)")
        self.init(
            clip: clip, outputs: outputs, files: files, segments: segments, threads: threads,
            spareThreads: SpareThreads(threads - 1), keyFrameInterval: keyFrameInterval)
    }

    /// Prepares one of several parallel transcodes.
    ///
    /// - Parameters:
    ///   - clip: the clip.
    ///   - outputs: one or more, with different RIDs.
    ///   - files: get their final names when everything is written, and are removed on failure or cancellation.
    ///   - segments: into how many parts the clip is split.
    ///   - threads: the maximum number of parts in parallel.
    ///   - spareThreads: the shared threads, which process all parts beyond the first.
    ///   - keyFrameInterval: the most media time between two key frames.
    package init(
        clip: ReopenableClip, outputs: [Output], files: [OutputFile], segments: SegmentCount, threads: Int,
        spareThreads: SpareThreads, keyFrameInterval: MediaDuration?
    ) {
        let count = clip.opensRanges ? clip.frameCount : nil
        let ranges = count.map { segments.ranges(of: $0) } ?? []
        work = TranscodeWork(
            .again(clip), ranges.count > 1 ? ranges : [nil], outputs, files, threads: threads, spareThreads,
            keyFrameInterval: keyFrameInterval)
    }

    /// Starts the work on its own threads. A transcoder runs once.
    public func start() -> RunningTranscode {
        precondition(!hasStarted, "a transcoder runs once")
        hasStarted = true
        return RunningTranscode(work)
    }

    /// Does the work, and waits for it. A transcoder runs once.
    ///
    /// If the source fails halfway, the work ends there: everything before is written, and the report holds the
    /// error. A source without frames leaves no file.
    ///
    /// - Parameter progress: called on this thread from time to time, with the number of frames read.
    /// - Returns: the report.
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
