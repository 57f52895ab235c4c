public import RillCodec
public import RillCore
import RillFiles

/// An IVF file of VP8 or VP9 as a source of pictures: read, and decoded exactly, without post-processing.
///
/// A frame that cannot be decoded is counted and left out, with those behind it up to the next key frame. Pictures have
/// the sizes that they were coded with, which may change; ``FixedSizeSource`` gives them one. One owner, one thread at a
/// time.
public final class DecodedSource: FrameSource {
    /// Size of the first picture, or where the file does not begin with a key frame as its header says. The rate is the one
    /// that most of the file has (``RillCore/FrameRate/typical(of:claimed:)``), 30 where no two stamps differ; of a pipe it
    /// is that of the first second. It says nothing of how close two frames may be.
    public let format: SourceFormat
    /// How the numbers of the first picture are to be read, as its header says. Each picture says it for itself: it may
    /// change.
    public let colorSpace: ColorSpace
    /// Frames that could not be decoded, or that built on one that could not.
    public private(set) var framesSkipped = 0
    /// Why the first of them could not.
    public private(set) var firstFailure: CodecError?

    /// The largest pictures that are decoded: 8K and a little more. Files come from strangers too.
    static let maximumPixelCount = 8192 * 4608

    /// How much of a pipe is read before its first picture is given.
    private static let lookaheadOfPipes = (frames: 32, bytes: 4 << 20)

    private let reader: IVFReader
    private var times: RisingTimes
    private let decoder: VPXDecoder
    /// Frames that were read to learn size and rate, and are still to be decoded.
    private var lookahead: [(time: MediaTime, payload: [UInt8])] = []
    private var payload: [UInt8] = []

    /// Opens a file; `-` is standard input.
    ///
    /// - Parameters:
    ///   - capacity: how many pictures may be in use downstream at once.
    ///   - threadCount: threads of the decoder; the pictures do not depend on it.
    /// - Throws: ``FileError``, or ``CodecError``.
    public init(path: String, capacity: Int = 8, threadCount: Int = 1) throws {
        reader = try IVFReader(path: path)
        let header = reader.header
        decoder = try VPXDecoder(
            header.codec, poolCapacity: capacity, threadCount: threadCount,
            maximumPixelCount: DecodedSource.maximumPixelCount)
        // Standard input has one place to read at, even where it is a file.
        let isRegularFile = path != "-" && reader.isRegularFile
        var byteCount = 0
        // A file that ends or is damaged this early says so again when its frames are asked for.
        while lookahead.count < (isRegularFile ? 1 : Self.lookaheadOfPipes.frames),
            byteCount < Self.lookaheadOfPipes.bytes, let frame = try? reader.next(into: &payload)
        {
            byteCount += frame.byteCount
            lookahead.append((frame.time, payload))
        }
        let stamps =
            isRegularFile
            ? try IVFIndex(of: IVFReader(path: path)).times
            : lookahead.filter { $0.payload.isShown(as: header.codec) }.map(\.time)
        colorSpace = lookahead.first.map { $0.payload.colorSpace(as: header.codec) } ?? .bt601
        guard let resolution = lookahead.first?.payload.keyFrameResolution(as: header.codec) ?? header.resolution else {
            throw CodecError.invalidSettings("\(path) does not say which size its pictures have")
        }
        format = SourceFormat(
            resolution: resolution, frameRate: .typical(of: stamps) ?? 30,
            frameCount: header.frameCount == 0 ? nil : header.frameCount)
        times = RisingTimes(interval: format.frameRate?.interval ?? .milliseconds(33))
    }

    /// The next picture that can be decoded, at the time that the file gives it; hidden frames give none. Times rise: where
    /// stamps go back, as in clips that were joined, the pictures follow those before at the usual interval.
    ///
    /// - Throws: ``FileError`` where the file is damaged. A frame that cannot be decoded does not throw.
    public func next() throws -> SourceOutput {
        while decoder.hasBuffer {
            guard let time = try read() else { return .end }
            if var picture = decode(at: time) {
                picture.captureTime = times.time(of: picture.captureTime)
                return .frame(picture)
            }
        }
        return .noBuffer
    }

    /// Reads the next frame's bytes into `payload`; its time, or `nil` behind the last.
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
                // There was a free one before: only its memory can have been missing.
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
    /// The size of a key frame's picture; `nil` for other frames, and what is none.
    fileprivate func keyFrameResolution(as codec: VideoCodec) -> Resolution? {
        let bytes = self
        // What is wrong with a frame the decoder says when its turn comes, here and below.
        guard let header = try? CodedFrameHeader(parsing: bytes.span, as: codec), header.isKeyFrame else { return nil }
        return header.resolution
    }

    /// Whether a picture comes of a frame; also of one whose header cannot be read.
    fileprivate func isShown(as codec: VideoCodec) -> Bool {
        let bytes = self
        return (try? CodedFrameHeader(parsing: bytes.span, as: codec))?.isShown ?? true
    }

    /// How a key frame's samples are to be read: VP8 has but one way, VP9 tells.
    fileprivate func colorSpace(as codec: VideoCodec) -> ColorSpace {
        let bytes = self
        guard codec == .vp9, case .key(let picture, _)? = (try? VP9FrameHeader(parsing: bytes.span))?.kind else {
            return .bt601
        }
        return picture.colors
    }
}
