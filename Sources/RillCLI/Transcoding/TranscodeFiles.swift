import ArgumentParser
import Rill
import RillContainers
import RillCore
import RillFiles
import RillTranscode

/// The files that one transcode writes.
struct TranscodeFiles: ParsableArguments {
    @Option(
        help: "Also write the low layer, 160x120 at 5 frames a second, to this file.",
        completion: .files(.ivf, .y4m, .i420, more: ["webm", "mkv"]))
    var low: String?

    @Flag(
        help: ArgumentHelp(
            "Also write OUTPUT.half, OUTPUT.quarter and OUTPUT.low: the clip at half and a quarter of its size, and the "
                + "low layer; their bitrates stand to --bitrate as the usual ones do."))
    var ladder = false

    @Option(help: "Also write the output's pictures, before they are coded, to this .y4m.", completion: .files(.y4m))
    var pictures: String?

    @Option(help: "Also write the low layer's pictures, before they are coded, to this .y4m.", completion: .files(.y4m))
    var lowPictures: String?

    @Option(
        help: "Also write pictures of the clip to this folder, .png by their times, and a contact sheet.",
        completion: .directory)
    var thumbnails: String?

    @Option(help: "How far apart the thumbnails lie (default: 10s).", transform: durationNotation)
    var thumbnailInterval: MediaDuration = .seconds(10)

    /// All paths besides the output's.
    var more: [String?] { [low, pictures, lowPictures] }

    /// The files besides the output that are named after it.
    func steps(of output: String) -> [String] {
        ladder ? (LayerSettings.ladderSteps + [.low]).map { Self.path(output, step: "\($0)") } : []
    }

    /// The file of a step of the ladder: `out.webm` gives `out.half.webm`.
    static func path(_ output: String, step: String) -> String {
        guard let dot = output.lastIndex(of: ".") else { return output }
        return "\(output[..<dot]).\(step)\(output[dot...])"
    }

    /// What a file is written as.
    static func format(of path: String) -> VideoFileFormat? { path == "-" ? .y4m : VideoFileFormat(path: path) }

    /// Whether a file of that name holds coded frames.
    static func isCoded(_ path: String) -> Bool { format(of: path) == .ivf || ContainerFormat(path: path) != nil }

    /// Refuses what cannot be written, and files that would destroy each other.
    func validate(_ input: String, _ output: String, _ options: TranscodeOptions) throws {
        for path in [output, low].compactMap({ $0 }) where ContainerFormat(path: path) == nil {
            switch Self.format(of: path) {
            case .ivf, .y4m, .i420: break
            case .png where path == output && low == nil && options.size == nil && options.fps == nil: break
            case .png:
                throw ValidationError("\(path): a .png is the first picture as it is, without --low, --size, --fps")
            case .nv12, .rtpDump, .pcap, .pcapng, nil:
                throw ValidationError("\(path): the name must end in .webm, .mkv, .ivf, .y4m, .yuv, .i420 or .png")
            }
        }
        try requireDistinct(input: input, outputs: [output] + more + steps(of: output))
        for path in [pictures, lowPictures].compactMap(\.self) where Self.format(of: path) != .y4m {
            throw ValidationError("\(path): pictures go to a .y4m")
        }
        guard ![output, low, pictures, lowPictures].dropFirst().contains("-") else {
            throw ValidationError("only OUTPUT itself can be standard output")
        }
        if ladder, low != nil || !Self.isCoded(output) || options.splitSizes {
            throw ValidationError(
                "--ladder names its files after OUTPUT, which is .webm, .mkv or .ivf, and has the low layer")
        }
        if options.effort == .good, input == "-" {
            throw ValidationError("--good reads the clip twice, which standard input is not: give it a file")
        }
        if options.psnr, output == "-" { throw ValidationError("--psnr reads the output again, which - is not") }
        guard thumbnailInterval >= .milliseconds(1) else {
            throw ValidationError("--thumbnail-interval goes from 1 ms, not \(thumbnailInterval)")
        }
        if Self.format(of: output) == .png, ladder || thumbnails != nil || more.contains(where: { $0 != nil }) {
            throw ValidationError("\(output): a .png is the first picture as it is, alone")
        }
        guard !options.splitSizes || (output != "-" && [.y4m, .i420].contains(Self.format(of: output))) else {
            throw ValidationError("--split-sizes writes files of pictures: \(output) must end in .y4m, .yuv or .i420")
        }
    }
}
