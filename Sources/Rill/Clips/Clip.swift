public import RillCore
import RillFiles
import RillImage

/// Opens video files as sources of I420 pictures, by the ending of their names.
public enum Clip {
    /// What a raw video file does not say of itself.
    public struct RawFormat: Sendable {
        /// Size of the pictures.
        public var resolution: Resolution
        /// Frames a second.
        public var frameRate: FrameRate

        /// Pictures of that size, 30 a second unless said otherwise.
        public init(resolution: Resolution, frameRate: FrameRate = 30) {
            self.resolution = resolution
            self.frameRate = frameRate
        }
    }

    /// Why a path cannot be opened as a clip.
    public enum OpenError: Error, Equatable, Sendable, CustomStringConvertible {
        /// The ending of the name stands for no format that is read as pictures.
        case unknownEnding(path: String)
        /// A raw file needs its size told.
        case rawFormatNeeded(path: String)

        /// The path, and what it lacks: one line for a person.
        public var description: String {
            switch self {
            case .unknownEnding(let path):
                "\(path): the name must end in .y4m, .ivf, .yuv, .i420 or .nv12 (or be - for Y4M on standard input)"
            case .rawFormatNeeded(let path):
                "\(path): raw video says nothing of its size; give it, as WIDTHxHEIGHT"
            }
        }
    }

    /// Opens a clip: `.y4m`, `.ivf` (VP8, decoded exactly), `.yuv`, `.i420` or `.nv12`; `-` is Y4M on standard input.
    ///
    /// - Parameters:
    ///   - raw: size and rate for files that do not say them.
    ///   - capacity: how many pictures may be in use downstream at once.
    /// - Throws: ``OpenError``, ``FileError``, ``CodecError`` or ``FrameError``.
    public static func open(_ path: String, raw: RawFormat? = nil, capacity: Int = 8) throws -> any FrameSource {
        let format = path == "-" ? .y4m : VideoFileFormat(path: path)
        switch format {
        case .y4m: return try Y4MReader(path: path, capacity: capacity)
        case .ivf: return try DecodedSource(path: path, capacity: capacity)
        case .i420: return try openRaw(path, .i420, raw, capacity)
        case .nv12: return try I420Source(openRaw(path, .nv12, raw, 1), capacity: capacity)
        case .rtpDump, .pcap, .pcapng, .png, nil: throw OpenError.unknownEnding(path: path)
        }
    }

    private static func openRaw(
        _ path: String, _ format: PixelFormat, _ raw: RawFormat?, _ capacity: Int
    ) throws -> RawVideoReader {
        guard let raw else { throw OpenError.rawFormatNeeded(path: path) }
        return try RawVideoReader(
            path: path, pixelFormat: format, resolution: raw.resolution, frameRate: raw.frameRate, capacity: capacity)
    }
}

/// A source whose pictures are brought to I420, the pipeline's own format.
public final class I420Source: FrameSource {
    private let source: any FrameSource
    private let pool: FramePool
    /// A picture that found no buffer to be converted into.
    private var waiting: VideoFrame?

    /// The same pictures as `source` gives, which all have the size that it says.
    public init(_ source: any FrameSource, capacity: Int = 8) throws(FrameError) {
        self.source = source
        self.pool = try FramePool(resolution: source.format.resolution, capacity: capacity)
    }

    /// What the wrapped source says: size, rate and count stay as they are.
    public var format: SourceFormat { source.format }

    /// The next picture as I420. A picture that finds no buffer is kept, and given by a later call.
    public func next() throws -> SourceOutput {
        if waiting == nil {
            switch try source.next() {
            case .frame(let frame): waiting = frame
            case .noBuffer: return .noBuffer
            case .pending: return .pending
            case .end: return .end
            }
        }
        guard let frame = waiting?.convertedToI420(into: pool) else { return .noBuffer }
        waiting = nil
        return .frame(frame)
    }
}
