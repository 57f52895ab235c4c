public import RillCodec
public import RillCore
import RillFiles
import RillRTP

/// A source of pictures from an IVF file of VP8 or VP9, decoded exactly, without post-processing.
///
/// A frame that cannot be decoded is counted and dropped, with all frames up to the next key frame. Pictures have
/// their coded sizes, which may change; ``FixedSizeSource`` scales them to one. One owner, one thread at a time.
public final class DecodedSource: FrameSource {
    /// The size of the first picture, or of the file's header if the file does not start with a key frame. The rate
    /// is the typical one of the file (``/RillCore/FrameRate/typical(of:claimed:)``), or 30 if no two timestamps
    /// differ. For a pipe it is that of the first 32 frames (or 4 MiB). Two frames may be closer than the rate
    /// suggests.
    public let format: SourceFormat
    /// The color space of the first picture, according to its header. Each picture has its own, since it may change.
    public let colorSpace: ColorSpace
    /// The number of frames that could not be decoded, or depended on one that could not.
    public private(set) var framesSkipped = 0
    /// The error of the first of them.
    public private(set) var firstFailure: CodecError?

    /// The largest picture to decode: 8K and a little more. Files are untrusted.
    static let maximumPixelCount = 8192 * 4608

    /// How much of a pipe is read before its first picture is returned.
    private static let lookaheadOfPipes = (frames: 32, bytes: 4 << 20)

    private let reader: IVFReader
    /// The file's time of its first frame, which becomes 0.
    private let start: MediaTime
    private var times: IncreasingTimes
    private let decoder: VPXDecoder
    /// Frames that were read to find size and rate, and must still be decoded.
    private var lookahead: [(time: MediaTime, payload: [UInt8])] = []
    private var payload: [UInt8] = []

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: the file; `-` is standard input.
    ///   - capacity: how many pictures may be in use downstream at once.
    ///   - threadCount: the number of decoder threads. The pictures do not depend on it.
    /// - Throws: ``/RillFiles/FileError`` or ``/RillCodec/CodecError``.
    public init(path: String, capacity: Int = 8, threadCount: Int = 1) throws {
        reader = try IVFReader(path: path)
        let header = reader.header
        decoder = try VPXDecoder(
            header.codec, poolCapacity: capacity, threadCount: threadCount,
            maximumPixelCount: DecodedSource.maximumPixelCount)
        // Standard input has a single read position, even if it is a file.
        let isRegularFile = path != "-" && reader.isRegularFile
        var byteCount = 0
        // A file that ends or is damaged this early reports it again when its frames are read.
        while lookahead.count < (isRegularFile ? 1 : Self.lookaheadOfPipes.frames),
            byteCount < Self.lookaheadOfPipes.bytes, let frame = try? reader.next(into: &payload)
        {
            byteCount += frame.byteCount
            lookahead.append((frame.time, payload))
        }
        let timestamps =
            isRegularFile
            ? try IVFIndex(of: IVFReader(path: path)).times
            : lookahead.filter { $0.payload.header(as: header.codec)?.isShown ?? true }.map(\.time)
        start = lookahead.first?.time ?? .zero
        colorSpace = lookahead.first.map { $0.payload.colorSpace(as: header.codec) } ?? .bt601
        let first = lookahead.first?.payload.header(as: header.codec)
        guard let resolution = first?.isKeyFrame == true ? first?.resolution ?? header.resolution : header.resolution
        else {
            throw CodecError.invalidSettings("\(path) does not store the size of its pictures")
        }
        format = SourceFormat(
            resolution: resolution, frameRate: .typical(of: timestamps) ?? 30,
            frameCount: header.frameCount == 0 ? nil : header.frameCount)
        times = IncreasingTimes(interval: format.frameRate?.interval ?? .milliseconds(33))
    }

    /// Returns the next picture that can be decoded, with its time since the file's first frame. Hidden frames yield
    /// none.
    ///
    /// Times always increase. If timestamps go back, as in joined clips, the pictures follow the earlier ones at the
    /// usual interval.
    ///
    /// - Throws: ``/RillFiles/FileError`` if the file is damaged. A frame that cannot be decoded does not throw.
    public func next() throws -> SourceOutput {
        while decoder.hasBuffer {
            guard let time = try read() else { return .end }
            if var picture = decode(at: time) {
                picture.captureTime = times.time(
                    // Timestamps may be anything: if the difference overflows, any other value is as good.
                    of: MediaTime(nanoseconds: picture.captureTime.nanoseconds &- start.nanoseconds))
                return .frame(picture)
            }
        }
        return .noBuffer
    }

    /// Reads the next frame's bytes into `payload`. Returns its time, or `nil` after the last one.
    private func read() throws -> MediaTime? {
        guard lookahead.isEmpty else {
            let next = lookahead.removeFirst()
            payload = next.payload
            return next.time
        }
        return try reader.next(into: &payload)?.time
    }

    private func decode(at time: MediaTime) -> VideoFrame? {
        do throws(CodecError) {
            switch try decoder.decode(payload.span, captureTime: time) {
            case .picture(let picture): return picture
            case .hidden: return nil
            case .noBuffer:
                // A block was free before: only its memory can be missing.
                framesSkipped += 1
                let byteCount = FrameLayout(.i420, format.resolution).byteCount
                firstFailure = firstFailure ?? .frames(.outOfMemory(byteCount: byteCount))
            case .awaitingKeyFrame: framesSkipped += 1
            }
        } catch {
            framesSkipped += 1
            firstFailure = firstFailure ?? error
        }
        return nil
    }
}

extension [UInt8] {
    /// The header of a coded frame; `nil` if it is invalid. The decoder reports what is wrong with it later.
    fileprivate func header(as codec: VideoCodec) -> CodedFrameHeader? {
        let bytes = self
        return try? CodedFrameHeader(parsing: bytes.span, as: codec)
    }

    /// The color space of a key frame's samples, if the codec declares it.
    fileprivate func colorSpace(as codec: VideoCodec) -> ColorSpace {
        let bytes = self
        return codec.traits?.video?.colors(bytes.span) ?? .bt601
    }
}
