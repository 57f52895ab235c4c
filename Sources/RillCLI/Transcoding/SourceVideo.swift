import Rill
import RillContainers

/// What a clip says of its pictures besides their size, and of its sound: what an output in a container is told.
struct SourceVideo {
    private let path: String
    private let colorSpace: ColorSpace
    private let pixelAspect: PixelAspect
    private let soundCodecNames: [String]
    /// What is done to the pictures on the way in, in words; `nil` where they are taken as they are.
    let changes: String?

    init(_ path: String, _ container: ContainerSource?, _ range: ColorSpace.Range) {
        self.path = path
        colorSpace = container?.colorSpace ?? ColorSpace(matrix: .bt601, range: range)
        pixelAspect = container?.pixelAspect ?? .square
        soundCodecNames = container?.soundCodecNames ?? []
        changes = container.flatMap { $0.changes.isEmpty ? nil : $0.changes.joined(separator: ", ") }
    }

    /// What is said of an output that cannot have sound.
    var noticesOfSilence: [String] {
        soundCodecNames.isEmpty
            ? [] : ["sound (\(soundCodecNames.joined(separator: ", "))) is left out: .webm and .mkv take it"]
    }

    /// A file in a container for frames of a layer, beside which the clip's sound is copied if `hasSound`.
    func writer(
        _ file: OutputFile, _ format: ContainerFormat, _ layer: LayerSettings, _ rate: FrameRate, hasSound: Bool,
        isScaled: Bool
    ) throws -> ContainerWriter {
        let video = ContainerWriter.Video(
            codec: layer.encoder.codec, resolution: layer.resolution, frameRate: rate, colorSpace: colorSpace,
            pixelAspect: isScaled ? .square : pixelAspect)
        let sound = hasSound && !soundCodecNames.isEmpty ? try AudioTracks(of: self.path, for: format) : nil
        return try ContainerWriter(
            path: file.partPath, name: file.path, format: format, video: video, audio: sound)
    }
}
