public import RillCore
import RillFiles
import RillImage

/// Opens video files as sources of I420 pictures, by the ending of their names. The pictures have the range that the file
/// says; what takes them (``SendPipeline``, ``Transcoder``) converts them where it must.
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
        case .nv12: return I420Source(try openRaw(path, .nv12, raw, 1), capacity: capacity)
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
