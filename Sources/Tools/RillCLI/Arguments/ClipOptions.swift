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
        case .y4m: return try Y4MClip(path: path)
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
            return try Clip.open(path, raw: raw, capacity: capacity)
        } catch Clip.OpenError.rawFormatNeeded(let path) {
            throw ValidationError("\(path): raw video does not store its size; add --raw-size WIDTHxHEIGHT")
        }
    }
}
