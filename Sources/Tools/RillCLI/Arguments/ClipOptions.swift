import ArgumentParser
import Rill
import RillContainers
import RillCore
import RillFiles
import RillTranscode

/// The size and frame rate of raw files, which do not store them.
struct ClipOptions: ParsableArguments {
    @Option(help: "Size of a raw clip's pictures, as WIDTHxHEIGHT.", completion: .sizes, transform: resolutionNotation)
    var rawSize: Resolution?

    @Option(help: "Frame rate of a raw clip (default: 30).", completion: .frameRates, transform: frameRateNotation)
    var rawFps: FrameRate = 30

    /// A clip that opens for ranges of its frames, several at once; `nil` if its format cannot.
    func ranged(_ path: String) throws -> (any RangedSource)? {
        guard path != "-" else { return nil }
        switch VideoFileFormat(path: path) {
        case .y4m:
            return try Self.orContainer(path) {
                try Y4MClip(path: path)
            } with: {
                try ContainerClip(path: path, threadCount: 1)
            }
        case .i420: return try rawSize.map { try RawVideoClip(path: path, resolution: $0, frameRate: rawFps) }
        case .nv12, .ivf, .rtpDump, .pcap, .pcapng: return nil
        case .png, nil: return try ContainerClip(path: path, threadCount: 1)
        }
    }

    /// Opens a clip.
    ///
    /// - Parameters:
    ///   - path: the file, or `-` for standard input.
    ///   - capacity: the number of frames that can be held at once.
    ///   - decoderThreads: threads of FFmpeg's decoders; 0 for one per core.
    func open(_ path: String, capacity: Int = 8, decoderThreads: Int = 0) throws -> any FrameSource {
        // FFmpeg's libraries read all formats that Rill does not.
        if path != "-", [nil, .png].contains(VideoFileFormat(path: path)) {
            return try ContainerSource(path: path, capacity: capacity, threadCount: decoderThreads)
        }
        let raw = rawSize.map { Clip.RawFormat(resolution: $0, frameRate: rawFps) }
        do {
            return try Self.orContainer(path) {
                try Clip.open(path, raw: raw, capacity: capacity)
            } with: {
                try ContainerSource(path: path, capacity: capacity, threadCount: decoderThreads)
            }
        } catch Clip.OpenError.rawFormatNeeded(let path) {
            throw ValidationError("\(path): raw video does not store its size; add --raw-size WIDTHxHEIGHT")
        }
    }

    /// Opens a file as Rill reads it, or else through FFmpeg's libraries: Y4M of other samplings and depths, IVF of
    /// other codecs. If these cannot read it either, the first error is thrown.
    private static func orContainer<Result>(
        _ path: String, _ open: () throws -> Result, with openContainer: () throws -> Result
    ) throws -> Result {
        do { return try open() } catch let error as FileError {
            switch error {
            case .unsupportedFormat, .invalidField, .missingParameter: break
            default: throw error
            }
            // Of two refusals the first one says more: it names the field.
            guard path != "-", FileStatus(path: path)?.kind == .file, let opened = try? openContainer() else {
                throw error
            }
            return opened
        }
    }
}
