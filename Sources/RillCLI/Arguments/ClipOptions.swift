import ArgumentParser
import Rill
import RillContainers

/// What raw files do not say of themselves, and how a scene is drawn.
struct ClipOptions: ParsableArguments {
    @Option(help: "Size of a raw clip's pictures, as WIDTHxHEIGHT.", transform: resolutionNotation)
    var rawSize: Resolution?

    @Option(help: "Frame rate of a raw clip (default: 30).", transform: frameRateNotation)
    var rawFps: FrameRate = 30

    /// Opens a clip, with words for people where that fails.
    func open(_ path: String, capacity: Int = 8) throws -> any FrameSource {
        // What Rill does not read itself is left to FFmpeg's libraries.
        if path != "-", VideoFileFormat(path: path) == nil {
            return try ContainerSource(path: path, capacity: capacity)
        }
        let raw = rawSize.map { Clip.RawFormat(resolution: $0, frameRate: rawFps) }
        do {
            return try Clip.open(path, raw: raw, capacity: capacity)
        } catch Clip.OpenError.rawFormatNeeded(let path) {
            throw CommandError("\(path): raw video says nothing of its size; add --raw-size WIDTHxHEIGHT")
        }
    }
}
