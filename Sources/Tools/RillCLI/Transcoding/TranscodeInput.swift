import Rill
import RillContainers
import RillCore
import RillFaces
import RillTranscode

/// The opened input of a transcode: its properties, how it is read, and the processing of its pictures before the
/// outputs.
struct TranscodeInput {
    /// How the input is read.
    enum Feed {
        /// Once, from start to end: standard input, a pipe.
        case once(any FrameSource)
        case again(ReopenableClip)
    }

    /// The size of the pictures for the outputs, and the clip's nominal rate.
    let format: SourceFormat
    let feed: Feed
    /// The clip's metadata of video and audio.
    let video: SourceVideo
    /// What could not be read; complete when the clip was read to its end.
    let health = SourceHealth()
    /// Notices about the input for the user.
    private(set) var notices: [String] = []
    /// What this machine lacks for the options.
    let lack: String?
    private var rate: Rate

    /// The number of frames before a segment that beauty processes, so that its mask has converged.
    private static let runInForBeauty = 15
    /// The same with faces: within three seconds a face is found, and its color learned.
    private static let runInForFaces = 90

    /// Opens the input.
    ///
    /// - Parameters:
    ///   - path: the file, or `-` for standard input.
    ///   - options: the options of the transcode.
    ///   - decoderThreads: threads of FFmpeg's decoders when the clip is read as a whole; 0 for one per core.
    /// - Throws: an error with the reason why the input cannot be read.
    init(_ path: String, _ options: TranscodeOptions, decoderThreads: Int = 0) throws {
        let opened = try options.clipOptions.open(path, decoderThreads: decoderThreads)
        if opened is ContainerSource { health.note(Truncation(ofFile: path)) }
        video = SourceVideo(path, opened)
        if let changes = video.changes { notices.append("\(path): \(changes)") }
        var lack: String?
        let faces = try options.facesOptions.detection(for: options.beauty) { lack = $0 }
        self.lack = lack
        rate =
            opened is ContainerSource && Self.canOpenAgain(path) ? .inPackets(path) : .known(opened.format.frameRate)
        let coding = options.comparesCoding ? options.high(of: opened.format.resolution, at: try rate.typical()) : nil
        let chain = Chain(
            isSteady: !options.splitSizes && (opened is DecodedSource || opened is ContainerSource),
            resolution: opened.format.resolution, beauty: options.beauty, faces: faces,
            compares: options.compare, coding: coding, health: health)
        let prepared = try chain.prepare(opened)
        format = prepared.format
        guard Self.canOpenAgain(path) else {
            feed = .once(prepared)
            if options.segments != .one { notices.append("\(path) can be read only once: one segment") }
            return
        }
        let runIn = options.beauty == nil ? 2 : faces == .off ? Self.runInForBeauty : Self.runInForFaces
        if options.segments != .one {
            switch Self.cut(try options.clipOptions.ranged(path), options.segments) {
            case .success(let clip):
                rate = .known(clip.format.frameRate)
                feed = .again(ReopenableClip(clip, runIn: runIn) { try chain.prepare($0) })
                return
            case .failure(let refusal): notices.append("\(path) \(refusal.reason): one segment")
            }
        }
        let clipOptions = options.clipOptions
        feed = .again(
            ReopenableClip(frameCount: format.frameCount, opensRanges: false, runIn: runIn) { _ in
                try chain.prepare(clipOptions.open(path, decoderThreads: decoderThreads))
            })
    }

    private struct CutRefusal: Error { var reason: String }

    /// The clip, if cutting pays: the segments together must not decode more than twice the clip.
    private static func cut(
        _ clip: (any RangedSource)?, _ segments: SegmentCount
    ) -> Result<any RangedSource, CutRefusal> {
        guard let clip else { return .failure(CutRefusal(reason: "cannot be opened in the middle")) }
        guard let count = clip.format.frameCount else {
            return .failure(CutRefusal(reason: "does not store its frame count"))
        }
        let wasted = segments.ranges(of: count).reduce(0) { $0 + $1.lowerBound - clip.entry(for: $1.lowerBound) }
        guard wasted <= count else { return .failure(CutRefusal(reason: "has too few key frames to start at")) }
        return .success(clip)
    }

    /// The rate of most of the clip, for files with a fixed rate and for the encoders; 30 if it is unknown.
    func typicalFrameRate() throws -> FrameRate { try rate.typical() }

    /// The rate of most of the clip's pictures, or the path of the file to compute it from.
    private enum Rate {
        case known(FrameRate?)
        case inPackets(String)

        func typical() throws -> FrameRate {
            switch self {
            case .known(let rate): rate ?? 30
            case .inPackets(let path): try ContainerSource.typicalFrameRate(ofFile: path) ?? 30
            }
        }
    }

    /// The first picture.
    func firstPicture() throws -> VideoFrame? {
        let source: any FrameSource =
            switch feed {
            case .once(let source): source
            case .again(let clip): try clip.open(nil)
            }
        guard case .frame(let frame) = try source.next() else { return nil }
        return frame
    }

    private static func canOpenAgain(_ path: String) -> Bool {
        path != "-" && FileStatus(path: path)?.kind == .file
    }
}

extension TranscodeInput {
    /// The processing of the clip's pictures, applied to each reading of the clip.
    private struct Chain: Sendable {
        var isSteady: Bool
        var resolution: Resolution
        var beauty: BeautyOptions?
        var faces: FaceDetection
        var compares: Bool
        /// How pictures are coded to be compared; `nil` if they are not.
        var coding: LayerSettings?
        var health: SourceHealth

        func prepare(_ opened: any FrameSource) throws -> any FrameSource {
            let watched = WatchedSource(opened, health)
            let steady: any FrameSource = isSteady ? try FixedSizeSource(watched, resolution: resolution) : watched
            if let coding { return try CodingComparison(steady, layer: coding) }
            guard let beauty else { return steady }
            return compares
                ? try BeautyComparison(steady, options: beauty, faces: faces)
                : BeautySource(steady, options: beauty, faces: faces)
        }
    }
}

/// What could not be decoded, over all readings of the clip. Any thread.
final class SourceHealth: Sendable {
    private struct State: ~Copyable {
        var framesSkipped = 0
        var packetsRejected = 0
        var picturesConcealed = 0
        var missing: MediaDuration?
        var truncation: Truncation?
        var ranges: Set<ColorSpace.Range> = []
        var firstFailure: String?
    }

    private let state = Monitor(State())

    /// A remark if the pictures end before the clip: the clip may be truncated, or its sound may be longer.
    var remark: String? { state.withLock { $0.truncation == nil ? $0.missing.map(Self.text(ofMissing:)) : nil } }

    /// A description of the conversion of the color range; `nil` if there was none.
    var conversion: String? {
        state.withLock { state in
            guard state.ranges.contains(.full) else { return nil }
            return "full to limited range" + (state.ranges.count > 1 ? ", in some of the pictures" : "")
        }
    }

    private static func text(ofMissing missing: MediaDuration) -> String {
        "the pictures end \(missing) before the clip's stated end"
    }

    /// The number of missing frames.
    var framesSkipped: Int { state.withLock { $0.framesSkipped } }

    /// What is missing and why; `nil` if nothing is.
    var failure: String? {
        state.withLock { state in
            let cut = state.truncation.map { cut in
                "\(cut)" + (state.missing.map { "; \(Self.text(ofMissing: $0))" } ?? "")
            }
            let reasons = [cut, Self.damage(state)].compactMap(\.self)
            return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
        }
    }

    private static func damage(_ state: borrowing State) -> String? {
        guard let first = state.firstFailure else {
            return state.picturesConcealed > 0
                ? "damaged pictures, concealed by the decoder: \(state.picturesConcealed)" : nil
        }
        return state.framesSkipped > 0
            ? "\(state.framesSkipped) frames could not be decoded; reason for the first: \(first)"
            : "\(state.packetsRejected) packets could not be decoded; reason for the first: \(first)"
    }

    /// Records that a file is shorter than its header says.
    func note(_ truncation: Truncation?) { state.withLock { $0.truncation = truncation } }

    /// Records a color range.
    func note(_ range: ColorSpace.Range) { _ = state.withLock { $0.ranges.insert(range) } }

    /// Records the failures of a source that was read to its end. All readings of a clip have the same failures.
    func note(_ source: any FrameSource) {
        state.withLock { state in
            if let decoded = source as? DecodedSource, let failure = decoded.firstFailure {
                state.framesSkipped = max(state.framesSkipped, decoded.framesSkipped)
                state.firstFailure = state.firstFailure ?? "\(failure)"
            }
            if let container = source as? ContainerSource, let refusal = container.firstRejection {
                state.packetsRejected = max(state.packetsRejected, container.packetsRejected)
                state.firstFailure = state.firstFailure ?? refusal
            }
            if let container = source as? ContainerSource {
                state.picturesConcealed = max(state.picturesConcealed, container.picturesConcealed)
                state.missing = container.missingDuration ?? state.missing
            }
        }
    }
}

/// A source whose failures are recorded when it ends.
private final class WatchedSource: FrameSource {
    private let source: any FrameSource
    private let health: SourceHealth
    private var range: ColorSpace.Range?

    init(_ source: any FrameSource, _ health: SourceHealth) {
        self.source = source
        self.health = health
    }

    var format: SourceFormat { source.format }

    func next() throws -> SourceOutput {
        do {
            let output = try source.next()
            switch output {
            case .frame(let frame) where frame.colorSpace.range != range:
                range = frame.colorSpace.range
                health.note(frame.colorSpace.range)
            case .end: health.note(source)
            case .frame, .noBuffer, .pending: break
            }
            return output
        } catch {
            health.note(source)
            throw error
        }
    }
}

/// What was missing in the part of a clip that was read.
struct InputHealth {
    private let source: any FrameSource
    private let path: String?
    private let health = SourceHealth()

    /// The health of `source`, which reads all or the start of the clip at `path` (`nil` for a scene or a camera).
    init(_ source: any FrameSource, of path: String?) {
        self.source = source
        self.path = path
    }

    /// What is missing and why, after reading; `nil` if nothing is. Truncation of a file counts only if it was read to
    /// its end.
    ///
    /// - Parameter wasReadToItsEnd: whether the source or its duration limit ended the reading, not the user.
    func failure(wasReadToItsEnd: Bool) -> String? {
        let timed = source as? TimedSource
        health.note(timed?.wrapped ?? source)
        let isCut = wasReadToItsEnd && timed?.isTimeOver != true && (timed?.wrapped ?? source) is ContainerSource
        if isCut { health.note(path.flatMap { Truncation(ofFile: $0) }) }
        return health.failure
    }

    /// Further remarks for the user.
    var remarks: [String] { [health.remark].compactMap(\.self) }
}
