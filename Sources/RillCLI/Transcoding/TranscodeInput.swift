import Glibc
import Rill
import RillContainers
import RillCore
import RillTranscode

/// The input of a transcode, opened: what is known of it, and how it is read, with all that is done to its pictures before
/// they go to the outputs.
struct TranscodeInput {
    /// How it is read.
    enum Feed {
        /// From the front to the back, once: standard input, a pipe.
        case once(any FrameSource)
        case again(ReopenableClip)
    }

    /// Size of the pictures that the outputs get, and the rate that the clip names.
    let format: SourceFormat
    let feed: Feed
    /// What the clip says of its video and its sound.
    let video: SourceVideo
    /// What could not be read, once all was.
    let health = SourceHealth()
    /// What the user should know of it.
    private(set) var notices: [String] = []
    private var rate: Rate

    /// Frames that beauty sees before those of a segment: its mask has settled by then.
    private static let runInForBeauty = 15

    /// Opens the input.
    ///
    /// - Parameter decoderThreads: of FFmpeg's decoders, where the whole clip is read; 0 are one for each core.
    /// - Throws: what says why it cannot be read.
    init(_ path: String, _ options: TranscodeOptions, decoderThreads: Int = 0) throws {
        let opened = try options.clipOptions.open(path, decoderThreads: decoderThreads)
        if opened is ContainerSource { health.note(Truncation(ofFile: path)) }
        video = SourceVideo(path, opened)
        if let changes = video.changes { notices.append("\(path): \(changes)") }
        let chain = Chain(
            isSteady: !options.splitSizes && (opened is DecodedSource || opened is ContainerSource),
            resolution: opened.format.resolution, beauty: options.beauty, compares: options.compare, health: health)
        let prepared = try chain.prepare(opened)
        format = prepared.format
        rate = opened is ContainerSource && Self.canOpenAgain(path) ? .inPackets(path) : .known(format.frameRate)
        guard Self.canOpenAgain(path) else {
            feed = .once(prepared)
            if options.segments != .one { notices.append("\(path) is read once, from the front: one segment") }
            return
        }
        let runIn = options.beauty == nil ? 2 : Self.runInForBeauty
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

    /// The clip, if it is worth cutting: not where it would be decoded more than twice, all segments together.
    private static func cut(
        _ clip: (any RangedSource)?, _ segments: SegmentCount
    ) -> Result<any RangedSource, CutRefusal> {
        guard let clip else { return .failure(CutRefusal(reason: "cannot be opened in the middle")) }
        guard let count = clip.format.frameCount else {
            return .failure(CutRefusal(reason: "does not say which frames it has"))
        }
        let wasted = segments.ranges(of: count).reduce(0) { $0 + $1.lowerBound - clip.entry(for: $1.lowerBound) }
        guard wasted <= count else { return .failure(CutRefusal(reason: "has too few places to begin at")) }
        return .success(clip)
    }

    /// The rate that most of the clip has: what a file of one rate says, and what the encoders expect. 30 where nobody knows.
    func typicalFrameRate() throws -> FrameRate {
        switch rate {
        case .known(let rate): rate ?? 30
        case .inPackets(let path): try ContainerSource.typicalFrameRate(ofFile: path) ?? 30
        }
    }

    /// The rate of most of the clip's pictures, or where it stands.
    private enum Rate {
        case known(FrameRate?)
        case inPackets(String)
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
        var status = stat()
        guard path != "-", unsafe stat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFREG
    }
}

extension TranscodeInput {
    /// What is done to the pictures of each reading of the clip.
    private struct Chain: Sendable {
        var isSteady: Bool
        var resolution: Resolution
        var beauty: BeautyOptions?
        var compares: Bool
        var health: SourceHealth

        func prepare(_ opened: any FrameSource) throws -> any FrameSource {
            let watched = WatchedSource(opened, health)
            let steady: any FrameSource = isSteady ? try FixedSizeSource(watched, resolution: resolution) : watched
            guard let beauty else { return steady }
            return compares ? try BeautyComparison(steady, options: beauty) : BeautySource(steady, options: beauty)
        }
    }
}

/// What of the clip could not be decoded, in all of its readings. Any thread.
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

    /// What may be missing, in words: the clip may have been cut short, or only its sound be longer.
    var remark: String? { state.withLock { $0.truncation == nil ? $0.missing.map(Self.text(ofMissing:)) : nil } }

    /// What became of the range of the pictures, in words; `nil` where all had that of the outputs.
    var conversion: String? {
        state.withLock { state in
            guard state.ranges.contains(.full) else { return nil }
            return "full to limited range" + (state.ranges.count > 1 ? ", in a part of the pictures" : "")
        }
    }

    private static func text(ofMissing missing: MediaDuration) -> String {
        "the pictures end \(missing) before the end that the clip tells of"
    }

    /// Frames that are missing.
    var framesSkipped: Int { state.withLock { $0.framesSkipped } }

    /// What is missing and why, in words; `nil` where nothing is.
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
                ? "damaged pictures, patched up by the decoder: \(state.picturesConcealed)" : nil
        }
        return state.framesSkipped > 0
            ? "\(state.framesSkipped) frames could not be decoded; the first because \(first)"
            : "\(state.packetsRejected) packets could not be decoded; the first because: \(first)"
    }

    /// Takes note of a file that is shorter than it says.
    func note(_ truncation: Truncation?) { state.withLock { $0.truncation = truncation } }

    /// Takes note of a picture in a range that was not seen before.
    func note(_ range: ColorSpace.Range) { _ = state.withLock { $0.ranges.insert(range) } }

    /// Takes note of a source that was read to its end. The passes over a clip find the same.
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

/// A source whose health is noted when it ends.
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
