public import RillCore
import RillFiles
import RillImage

/// Opens video files as sources of I420 pictures, by the extension of their names.
///
/// The pictures have the color range of the file; the consumer (``/Rill/SendPipeline``, ``Transcoder``) converts them
/// if necessary.
public enum Clip {
    /// The properties that a raw video file does not store.
    public struct RawFormat: Sendable {
        /// The size of the pictures.
        public var resolution: Resolution
        /// The frame rate.
        public var frameRate: FrameRate

        /// Creates a format. The default rate is 30 frames per second.
        public init(resolution: Resolution, frameRate: FrameRate = 30) {
            self.resolution = resolution
            self.frameRate = frameRate
        }
    }

    /// Why a path cannot be opened as a clip.
    public enum OpenError: Error, Equatable, Sendable, CustomStringConvertible {
        /// The extension is not that of a supported video format.
        case unknownEnding(path: String)
        /// A raw file needs its size.
        case rawFormatNeeded(path: String)

        /// One line for a person: the path, and the missing part.
        public var description: String {
            switch self {
            case .unknownEnding(let path):
                "\(path): the name must end in .y4m, .ivf, .yuv, .i420 or .nv12 (or be - for Y4M on standard input)"
            case .rawFormatNeeded(let path):
                "\(path): raw video does not store its size; specify it as WIDTHxHEIGHT"
            }
        }
    }

    /// Opens a clip: `.y4m`, `.ivf` (VP8 or VP9, decoded exactly), `.yuv`, `.i420` or `.nv12`.
    ///
    /// - Parameters:
    ///   - path: the file; `-` is Y4M on standard input.
    ///   - raw: the size and rate, for files that do not store them.
    ///   - capacity: how many pictures may be in use downstream at once.
    /// - Throws: ``OpenError``, ``/RillFiles/FileError``, ``/RillCodec/CodecError`` or ``/RillCore/FrameError``.
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
