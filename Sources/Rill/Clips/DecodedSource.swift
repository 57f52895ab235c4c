public import RillCodec
public import RillCore
import RillFiles

/// An IVF file of VP8 or VP9 as a source of pictures: read, and decoded exactly, without post-processing.
///
/// A frame that cannot be decoded is counted and left out, with those behind it up to the next key frame. Pictures have
/// the sizes that they were coded with, which may change; ``SteadySizeSource`` gives them one. One owner, one thread at a
/// time.
public final class DecodedSource: FrameSource {
    /// Size of the first picture, or where the file does not begin with a key frame as its header says; rate as the first
    /// two stamps say (30 where there are no two).
    public let format: SourceFormat
    /// The code values of black and white, as the first picture has them.
    public let range: ColorSpace.Range
    /// Frames that could not be decoded, or that built on one that could not.
    public private(set) var framesSkipped = 0
    /// Why the first of them could not.
    public private(set) var firstFailure: CodecError?

    /// The largest pictures that are decoded: 8K and a little more. Files come from strangers too.
    static let maximumPixelCount = 8192 * 4608

    private let reader: IVFReader
    private let decoder: VPXDecoder
    /// Frames that were read to learn the rate, and are still to be decoded.
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
        var stamps: [Int64] = []
        // A file that ends or is damaged this early says so again when its frames are asked for.
        while stamps.count < 2, let frame = try? reader.next(into: &payload) {
            stamps.append(frame.timestamp)
            lookahead.append((frame.time, payload))
        }
        let rate = stamps.count == 2 ? header.timeBase.frameRate(ofTicks: stamps[1] &- stamps[0]) : nil
        range = lookahead.first.map { $0.payload.range(as: header.codec) } ?? .limited
        guard let resolution = lookahead.first?.payload.keyFrameResolution(as: header.codec) ?? header.resolution else {
            throw CodecError.invalidSettings("\(path) does not say which size its pictures have")
        }
        format = SourceFormat(
            resolution: resolution, frameRate: rate ?? 30,
            frameCount: header.frameCount == 0 ? nil : header.frameCount)
    }

    /// The next picture that can be decoded, at the time that the file gives it; hidden frames give none.
    ///
    /// - Throws: ``FileError`` where the file is damaged. A frame that cannot be decoded does not throw.
    public func next() throws -> SourceOutput {
        while decoder.hasBuffer {
            guard let time = try read() else { return .end }
            if let picture = decode(at: time) { return .frame(picture) }
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

    /// The range of a key frame's samples: VP8 has but one, VP9 tells.
    fileprivate func range(as codec: VideoCodec) -> ColorSpace.Range {
        let bytes = self
        guard codec == .vp9, case .key(let picture, _)? = (try? VP9FrameHeader.parse(bytes.span))?.kind else {
            return .limited
        }
        return picture.isFullRange ? .full : .limited
    }
}

extension IVFHeader.TimeBase {
    /// The rate of frames that are `ticks` apart; `nil` where that is none.
    fileprivate func frameRate(ofTicks ticks: Int64) -> FrameRate? {
        guard ticks > 0, ticks <= Int64(Int32.max) else { return nil }
        var (seconds, frames) = (Int64(numerator) * ticks, Int64(denominator))
        var (a, b) = (seconds, frames)
        while b != 0 { (a, b) = (b, a % b) }
        seconds /= a
        frames /= a
        return FrameRate(validating: Int(frames), per: Int(seconds))
    }
}
