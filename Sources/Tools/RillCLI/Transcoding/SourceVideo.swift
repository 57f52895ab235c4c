import Rill
import RillContainers
import RillCore
import RillFiles
import RillRTP
import RillTranscode

/// The metadata of a clip's pictures besides their size, and of its sound: what outputs store, and what they cannot.
struct SourceVideo {
    private let path: String
    /// The color space of the first picture.
    private let colorSpace: ColorSpace
    /// What the clip declares of its colors, after conversion; `nil` for formats that declare nothing besides.
    private let colors: ColorDescription?
    /// Whether the clip names its color matrix.
    private let namesMatrix: Bool
    /// Width and height of a pixel; `nil` if unknown.
    private let pixelAspect: PixelAspect?
    private let interlacing: Y4MHeader.Interlacing
    private let chromaSiting: Y4MHeader.ChromaSiting
    private let resolution: Resolution
    private let audioCodecNames: [String]
    /// A description of the conversions when the pictures are read; `nil` if there are none.
    let changes: String?
    /// What of the file is neither picture nor sound; no output stores it.
    private let unusedContent: [String]

    /// Collects the metadata.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - opened: the clip at `path`.
    init(_ path: String, _ opened: any FrameSource) {
        self.path = path
        resolution = opened.format.resolution
        let header = (opened as? Y4MReader)?.header
        let container = opened as? ContainerSource
        let decoded = opened as? DecodedSource
        colorSpace =
            container?.colorSpace ?? decoded?.colorSpace ?? ColorSpace(range: header?.range ?? .limited)
        colors = container?.colors
        unusedContent = container?.unusedContent ?? []
        namesMatrix = container?.namesMatrix ?? (decoded != nil)
        pixelAspect =
            container.map(\.pixelAspect) ?? (header.map(\.pixelAspect) ?? .square)
        interlacing = container.map { .init($0.fieldOrder) } ?? header?.interlacing ?? .progressive
        chromaSiting = header?.chromaSiting ?? .jpeg
        audioCodecNames = container?.audioCodecNames ?? []
        changes = container.flatMap { $0.changes.isEmpty ? nil : $0.changes.joined(separator: ", ") }
    }

    /// Notices on the reading of the clip, whatever the outputs are: conversions, and what is left out.
    var notices: [String] {
        (changes.map { ["\(path): \($0)"] } ?? []) + unusedContent.map { "\($0) of \(path): left out" }
    }

    /// The notice for an output that cannot store sound.
    var noticesOfSilence: [String] {
        audioCodecNames.isEmpty
            ? [] : ["sound (\(audioCodecNames.joined(separator: ", "))) is left out: .webm and .mkv can store it"]
    }

    /// Notices on metadata that an output cannot store.
    ///
    /// - Parameters:
    ///   - output: the path of the output.
    ///   - codec: its codec, if it is encoded.
    ///   - size: the size of its pictures.
    func notices(ofOutput output: String, _ codec: VideoCodec, _ size: Resolution) -> [String] {
        let isContainer = ContainerFormat(path: output) != nil
        let format = TranscodeFiles.format(of: output)
        var notices: [String] = []
        func leaveOut(_ what: String?, because reason: String) {
            if let what { notices.append("\(what) is left out of \(output): \(reason)") }
        }
        if !isContainer, format != .y4m { leaveOut(pixelShape, because: ".webm, .mkv and .y4m can store it") }
        if interlacing == .mixed {
            leaveOut(fields, because: "no output can store it")
        } else if format != .y4m {
            leaveOut(fields, because: ".y4m can store it")
        } else if size != resolution {
            leaveOut(fields, because: "scaling mixes the fields")
        }
        if !isContainer, format != .ivf || codec.traits?.video?.declaresColors == false {
            leaveOut(matrix, because: ".webm and .mkv can store it")
        }
        if !isContainer {
            leaveOut(transfer, because: ".webm and .mkv can store it")
            leaveOut(primaries, because: ".webm and .mkv can store it")
        }
        return notices
    }

    /// Notices on conversions for a call, and on metadata that a call does not signal.
    var noticesOfCall: [String] {
        let unsaid = [pixelShape, fields, matrix, transfer, primaries].compactMap(\.self)
        return (changes.map { ["\(path): \($0)"] } ?? [])
            + unsaid.map { "\($0) is left out: a call does not signal it" }
    }

    // The names of metadata that may be left out; `nil` if the clip has none.

    private var pixelShape: String? {
        guard let pixelAspect, pixelAspect.width != pixelAspect.height else { return nil }
        return "the pixel aspect ratio (\(pixelAspect.width):\(pixelAspect.height))"
    }

    private var fields: String? { interlacing.words.map { "the field order (interlaced, \($0))" } }

    private var matrix: String? {
        colorSpace.matrix == .bt709 && namesMatrix ? "the color matrix (BT.709)" : nil
    }

    private var transfer: String? { colors?.unusualTransfer.map { "the transfer function (\($0))" } }

    private var primaries: String? { colors?.unusualPrimaries.map { "the color gamut (\($0))" } }

    /// The header of a Y4M of the clip's pictures at that size, in limited range.
    func y4mHeader(_ size: Resolution, _ rate: FrameRate) -> Y4MHeader {
        // Scaling mixes the fields. A mixed clip would need the field order in each frame's header.
        let isKnown = size == resolution && interlacing != .mixed
        // Limited range is Y4M's default: the header names it only if the clip had full range.
        return Y4MHeader(
            resolution: size, frameRate: rate,
            interlacing: interlacing.words == nil || isKnown ? interlacing : .unknown, pixelAspect: pixelAspect,
            chromaSiting: chromaSiting, range: colorSpace.range == .full ? .limited : nil)
    }

    /// A writer of a container with the frames of a layer, and with a copy of the clip's sound if `hasSound`.
    func writer(
        _ file: OutputFile, _ format: ContainerFormat, _ layer: LayerSettings, _ rate: FrameRate, hasSound: Bool,
        _ times: TimeOptions, endTime: @escaping @Sendable () -> MediaTime?
    ) throws -> ContainerWriter {
        // Scaling keeps the pixel aspect ratio: a picture with another aspect ratio is cropped.
        var video = ContainerWriter.Video(
            codec: layer.encoder.codec, resolution: layer.resolution, frameRate: rate,
            colorSpace: ColorSpace(matrix: colorSpace.matrix, range: .limited),
            pixelAspect: pixelAspect ?? .square)
        video.colors = colors
        video.endTime = endTime
        let sound =
            hasSound && !audioCodecNames.isEmpty
            ? try AudioTracks(
                of: self.path, for: format, start: times.start ?? .zero, duration: times.duration) : nil
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

    /// A description; `nil` if the clip is progressive or unknown.
    fileprivate var words: String? {
        switch self {
        case .topFieldFirst: "top field first"
        case .bottomFieldFirst: "bottom field first"
        case .mixed: "picture by picture"
        case .progressive, .unknown: nil
        }
    }
}
