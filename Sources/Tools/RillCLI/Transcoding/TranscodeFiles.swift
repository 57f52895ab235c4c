import ArgumentParser
import Rill
import RillContainers
import RillCore
import RillFiles
import RillTranscode

/// The output files of one transcode.
struct TranscodeFiles: ParsableArguments {
    @Option(
        help: "Also write the low layer, 160x120 at 5 frames a second, to this file.",
        completion: .files(.ivf, .y4m, .i420, more: ["webm", "mkv"]))
    var low: String?

    @Flag(
        help: ArgumentHelp(
            "Also write OUTPUT.half, OUTPUT.quarter and OUTPUT.low: the clip at half and a quarter of its size, and "
                + "the low layer. Their bitrates scale with --bitrate."))
    var ladder = false

    @Option(help: "Also write the output's pictures before encoding, to this .y4m.", completion: .files(.y4m))
    var pictures: String?

    @Option(help: "Also write the low layer's pictures before encoding, to this .y4m.", completion: .files(.y4m))
    var lowPictures: String?

    @Option(
        help: "Also write thumbnails to this folder, .png files named by their times, and a contact sheet.",
        completion: .directory)
    var thumbnails: String?

    @Option(help: "Time between thumbnails (default: 10s).", transform: durationNotation)
    var thumbnailInterval: MediaDuration = .seconds(10)

    /// All paths other than the output's.
    var more: [String?] { [low, pictures, lowPictures] }

    /// The files of the ladder, other than the output.
    func steps(of output: String) -> [String] {
        ladder ? (LayerSettings.ladderSteps + [.low]).map { Self.path(output, step: "\($0)") } : []
    }

    /// The file of a step of the ladder: `out.webm` gives `out.half.webm`.
    static func path(_ output: String, step: String) -> String {
        guard let dot = output.lastIndex(of: ".") else { return output }
        return "\(output[..<dot]).\(step)\(output[dot...])"
    }

    /// The format of an output file.
    static func format(of path: String) -> VideoFileFormat? { path == "-" ? .y4m : VideoFileFormat(path: path) }

    /// Whether a file of that name holds encoded frames.
    static func isCoded(_ path: String) -> Bool { format(of: path) == .ivf || ContainerFormat(path: path) != nil }

    /// Refuses formats that cannot be written, and files that would overwrite each other.
    func validate(_ input: String, _ output: String, _ options: TranscodeOptions) throws {
        if options.comparesCoding { try validateComparison(output) }
        for path in [output, low].compactMap({ $0 })
        where ContainerFormat(path: path) == nil && !(options.comparesCoding && Self.isPage(path)) {
            switch Self.format(of: path) {
            case .ivf, .y4m, .i420: break
            case .png where path == output && low == nil && options.size == nil && options.fps == nil: break
            case .png:
                throw ValidationError("\(path): a .png is the unchanged first picture, without --low, --size, --fps")
            case .nv12, .rtpDump, .pcap, .pcapng, nil:
                throw ValidationError("\(path): the name must end in .webm, .mkv, .ivf, .y4m, .yuv, .i420 or .png")
            }
        }
        try requireDistinct(input: input, outputs: [output] + more + steps(of: output))
        for path in [pictures, lowPictures].compactMap(\.self) where Self.format(of: path) != .y4m {
            throw ValidationError("\(path): the name of a file of pictures must end in .y4m")
        }
        guard ![output, low, pictures, lowPictures].dropFirst().contains("-") else {
            throw ValidationError("only OUTPUT can be standard output")
        }
        if ladder, low != nil || !Self.isCoded(output) || options.splitSizes {
            throw ValidationError(
                "--ladder names its files after OUTPUT, which is .webm, .mkv or .ivf, and has the low layer")
        }
        if options.effort == .good, input == "-" {
            throw ValidationError("--good reads the clip twice: it cannot be standard input")
        }
        if options.psnr, output == "-" {
            throw ValidationError("--psnr reads the output: it cannot be standard output")
        }
        guard thumbnailInterval >= .milliseconds(1) else {
            throw ValidationError("--thumbnail-interval must be at least 1 ms, not \(thumbnailInterval)")
        }
        if Self.format(of: output) == .png, ladder || thumbnails != nil || more.contains(where: { $0 != nil }) {
            throw ValidationError("\(output): a .png is the first picture only, without further outputs")
        }
        guard !options.splitSizes || (output != "-" && [.y4m, .i420].contains(Self.format(of: output))) else {
            throw ValidationError("--split-sizes writes files of pictures: \(output) must end in .y4m, .yuv or .i420")
        }
    }

    /// Whether a file of that name is a page.
    static func isPage(_ path: String) -> Bool { path.lowercased().hasSuffix(".html") }

    /// A comparison of coded pictures is a page, or pictures, and nothing else.
    private func validateComparison(_ output: String) throws {
        let isPicture = [.y4m, .i420].contains(Self.format(of: output))
        guard isPicture || Self.isPage(output) else {
            throw ValidationError(
                "\(output): --compare without --beauty writes pictures, .y4m, .yuv or .i420, or a page, .html")
        }
        if ladder || thumbnails != nil || more.contains(where: { $0 != nil }) {
            throw ValidationError(
                "--compare without --beauty has one output: leave out --low, --ladder and other files")
        }
    }
}
