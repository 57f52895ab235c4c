import Rill
import RillContainers
import RillCore
import RillFiles
import RillTranscode

/// What a clip says of its pictures besides their size, and of its sound: what outputs are told, and what of it they cannot
/// say.
struct SourceVideo {
    private let path: String
    /// As the first picture has it.
    private let colorSpace: ColorSpace
    /// Whether the clip itself names its matrix.
    private let namesMatrix: Bool
    /// Width and height of a pixel; `nil` where nobody says it.
    private let pixelAspect: Y4MHeader.PixelAspect?
    private let interlacing: Y4MHeader.Interlacing
    private let chromaSiting: Y4MHeader.ChromaSiting
    private let resolution: Resolution
    private let audioCodecNames: [String]
    /// What is done to the pictures on the way in, in words; `nil` where they are taken as they are.
    let changes: String?

    /// - Parameter opened: the clip at `path`.
    init(_ path: String, _ opened: any FrameSource) {
        self.path = path
        resolution = opened.format.resolution
        let header = (opened as? Y4MReader)?.header
        let container = opened as? ContainerSource
        let decoded = opened as? DecodedSource
        colorSpace =
            container?.colorSpace ?? decoded?.colorSpace ?? ColorSpace(range: header?.range ?? .limited)
        namesMatrix = container?.namesMatrix ?? (decoded != nil)
        pixelAspect =
            container.map { .init(width: Int($0.pixelAspect.width), height: Int($0.pixelAspect.height)) }
            ?? (header.map(\.pixelAspect) ?? .square)
        interlacing = container.map { .init($0.fieldOrder) } ?? header?.interlacing ?? .progressive
        chromaSiting = header?.chromaSiting ?? .jpeg
        audioCodecNames = container?.audioCodecNames ?? []
        changes = container.flatMap { $0.changes.isEmpty ? nil : $0.changes.joined(separator: ", ") }
    }

    /// What is said of an output that cannot have sound.
    var noticesOfSilence: [String] {
        audioCodecNames.isEmpty
            ? [] : ["sound (\(audioCodecNames.joined(separator: ", "))) is left out: .webm and .mkv take it"]
    }

    /// What of the pictures an output cannot say.
    ///
    /// - Parameter size: that of its pictures.
    func notices(ofOutput output: String, _ codec: VideoCodec, _ size: Resolution) -> [String] {
        let isContainer = ContainerFormat(path: output) != nil
        let format = TranscodeFiles.format(of: output)
        var notices: [String] = []
        func leaveOut(_ what: String?, because reason: String) {
            if let what { notices.append("\(what) is left out of \(output): \(reason)") }
        }
        if !isContainer, format != .y4m { leaveOut(pixelShape, because: ".webm, .mkv and .y4m say it") }
        if interlacing == .mixed {
            leaveOut(fields, because: "no output says it")
        } else if format != .y4m {
            leaveOut(fields, because: ".y4m says it")
        } else if size != resolution {
            leaveOut(fields, because: "another size mixes them")
        }
        if !isContainer, format != .ivf || codec == .vp8 { leaveOut(matrix, because: ".webm and .mkv say it") }
        return notices
    }

    /// What is done to the pictures for a call, and what of them a call cannot say.
    var noticesOfCall: [String] {
        let unsaid = [pixelShape, fields, matrix].compactMap(\.self)
        return (changes.map { ["\(path): \($0)"] } ?? []) + unsaid.map { "\($0) is left out: a call does not say it" }
    }

    // What may have to be left out, in words; `nil` where there is nothing to be said.

    private var pixelShape: String? {
        guard let pixelAspect, pixelAspect.width != pixelAspect.height else { return nil }
        return "the shape of the pixels (\(pixelAspect.width):\(pixelAspect.height))"
    }

    private var fields: String? { interlacing.words.map { "the order of the fields (interlaced, \($0))" } }

    private var matrix: String? {
        colorSpace.matrix == .bt709 && namesMatrix ? "the matrix of the colours (BT.709)" : nil
    }

    /// The first line of a Y4M of the clip's pictures at that size, in limited range.
    func y4mHeader(_ size: Resolution, _ rate: FrameRate) -> Y4MHeader {
        // Fields that were scaled into each other are none; each frame of a mixed clip would have to say what it is.
        let isKnown = size == resolution && interlacing != .mixed
        // Y4M means limited range by itself: it is said where the clip had another.
        return Y4MHeader(
            resolution: size, frameRate: rate,
            interlacing: interlacing.words == nil || isKnown ? interlacing : .unknown, pixelAspect: pixelAspect,
            chromaSiting: chromaSiting, range: colorSpace.range == .full ? .limited : nil)
    }

    /// A file in a container for frames of a layer, beside which the clip's sound is copied if `hasSound`.
    func writer(
        _ file: OutputFile, _ format: ContainerFormat, _ layer: LayerSettings, _ rate: FrameRate, hasSound: Bool
    ) throws -> ContainerWriter {
        // Scaling keeps the shape of the pixels: what is of another shape is cut.
        let video = ContainerWriter.Video(
            codec: layer.encoder.codec, resolution: layer.resolution, frameRate: rate,
            colorSpace: ColorSpace(matrix: colorSpace.matrix, range: .limited),
            pixelAspect: pixelAspect.flatMap(PixelAspect.init) ?? .square)
        let sound = hasSound && !audioCodecNames.isEmpty ? try AudioTracks(of: self.path, for: format) : nil
        return try ContainerWriter(
            path: file.partPath, name: file.path, format: format, video: video, audio: sound)
    }
}

extension Y4MHeader.Interlacing {
    fileprivate init(_ order: FieldOrder) {
        switch order {
        case .progressive: self = .progressive
        case .topFieldFirst: self = .topFieldFirst
        case .bottomFieldFirst: self = .bottomFieldFirst
        case .unknown: self = .unknown
        }
    }

    /// For people; `nil` where nothing is interlaced, as far as one knows.
    fileprivate var words: String? {
        switch self {
        case .topFieldFirst: "top field first"
        case .bottomFieldFirst: "bottom field first"
        case .mixed: "each picture for itself"
        case .progressive, .unknown: nil
        }
    }
}

extension PixelAspect {
    /// `nil` for numbers that no container has.
    fileprivate init?(_ aspect: Y4MHeader.PixelAspect) {
        guard let width = Int32(exactly: aspect.width), let height = Int32(exactly: aspect.height) else { return nil }
        self.init(width: width, height: height)
    }
}
