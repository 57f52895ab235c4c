import Rill
import RillBeauty
import RillContainers
import RillCore
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
        // A part with an end is judged by what it has of the clip.
        if opened is ContainerSource, options.times.duration == nil { health.note(Truncation(ofFile: path)) }
        video = SourceVideo(path, opened)
        notices += video.notices
        var lack: String?
        let faces = try options.facesOptions.detection(for: options.beauty) { lack = $0 }
        self.lack = lack
        rate =
            opened is ContainerSource && Self.canOpenAgain(path) ? .inPackets(path) : .known(opened.format.frameRate)
        let coding = options.comparesCoding ? options.high(of: opened.format.resolution, at: try rate.typical()) : nil
        if options.times.constantRate { rate = .known(try options.fps ?? rate.typical()) }
        let chain = Chain(
            times: options.times, constantRate: options.times.constantRate ? try rate.typical() : nil,
            isSteady: !options.splitSizes && (opened is DecodedSource || opened is ContainerSource),
            resolution: opened.format.resolution, beauty: options.beauty, faces: faces,
            compares: options.compare, coding: coding, health: health)
        let prepared = try chain.prepare(opened)
        let excerpt = Self.canOpenAgain(path) ? try Self.excerpt(path, options) : nil
        var format = prepared.format
        if let excerpt, !options.times.constantRate { format.frameCount = excerpt.format.frameCount }
        self.format = format
        guard Self.canOpenAgain(path) else {
            feed = .once(prepared)
            if options.segments != .one { notices.append("\(path) can be read only once: one segment") }
            return
        }
        let runIn = options.beauty == nil ? 2 : faces == .off ? Self.runInForBeauty : Self.runInForFaces
        if options.segments != .one {
            let ranged = options.times.isWhole ? try options.clipOptions.ranged(path) : excerpt
            switch Self.cut(ranged, options.segments) {
            case .success(let clip):
                rate = .known(clip.format.frameRate)
                feed = .again(ReopenableClip(clip, runIn: runIn) { try chain.prepare($0) })
                return
            case .failure(let refusal): notices.append("\(path) \(refusal.reason): one segment")
            }
        }
        if let excerpt {
            feed = .again(
                ReopenableClip(frameCount: format.frameCount, opensRanges: false, runIn: runIn) { _ in
                    try chain.prepare(excerpt.open(frames: 0..<Int.max))
                })
            return
        }
        let clipOptions = options.clipOptions
        feed = .again(
            ReopenableClip(frameCount: format.frameCount, opensRanges: false, runIn: runIn) { _ in
                try chain.prepare(clipOptions.open(path, decoderThreads: decoderThreads))
            })
    }

    /// The frames of the part that the options select; `nil` for the whole clip, or if it does not know their times.
    private static func excerpt(_ path: String, _ options: TranscodeOptions) throws -> (any RangedSource)? {
        guard !options.times.isWhole, let clip = try options.clipOptions.ranged(path),
            let frames = options.times.frames(of: clip)
        else { return nil }
        return ExcerptClip(clip: clip, frames: frames, start: options.times.start ?? .zero)
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
        var times: TimeOptions
        /// The rate to keep; `nil` to keep the times.
        var constantRate: FrameRate?
        var isSteady: Bool
        var resolution: Resolution
        var beauty: BeautyOptions?
        var faces: FaceDetection
        var compares: Bool
        /// How pictures are coded to be compared; `nil` if they are not.
        var coding: LayerSettings?
        var health: SourceHealth

        func prepare(_ opened: any FrameSource) throws -> any FrameSource {
            let watched = WatchedSource(opened, health, resolution)
            // A part ends before the clip does, and then this reading is over.
            let part = times.excerpt(of: watched) { [health] in health.note(opened) }
            let sized: any FrameSource = isSteady ? try FixedSizeSource(part, resolution: resolution) : part
            let steady =
                constantRate.map { rate in
                    let source = ConstantRateSource(sized, rate: rate) { [health, times] in
                        times.endTime(health.endTime)
                    }
                    return RateWatchedSource(source, health) as any FrameSource
                } ?? sized
            if let coding { return try CodingComparison(steady, layer: coding) }
            guard let beauty else { return steady }
            return compares
                ? try BeautyComparison(steady, options: beauty, faces: faces)
                : BeautySource(steady, options: beauty, faces: faces)
        }
    }
}
