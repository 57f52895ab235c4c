internal import CVPX
public import RillCore
import RillImage

/// A VP8 decoder over libvpx, exact: no post-processing, no concealment.
///
/// It starts with a key frame, and after damage waits for the next one: a picture that builds on a missing one is never
/// handed out. libvpx owns its picture until the next call, so each one is copied once, into the decoder's own pool.
/// One owner, one thread at a time.
public final class VPXDecoder {
    /// What became of one coded frame.
    public enum Outcome: Sendable {
        /// A picture, stamped with the time that came in with the bytes.
        case picture(VideoFrame)
        /// Decoded, but not made to be shown, or not wanted.
        case hidden
        /// Decoded, but every buffer of the pool is in use: the sinks hold `capacity` pictures.
        case noBuffer
        /// Not decoded: no key frame has come since the start or the last damage.
        case awaitingKeyFrame
    }

    /// Counts since the decoder was made, under the names of W3C webrtc-stats' inbound-rtp where they exist.
    public struct Statistics: Sendable, Equatable {
        /// Frames decoded.
        public var framesDecoded = 0
        /// Of these, key frames.
        public var keyFramesDecoded = 0
        /// Frames that were damaged.
        public var framesCorrupted = 0
        /// Frames passed over because no key frame had come since the start or the last damage.
        public var framesSkipped = 0
        /// Pictures not handed out because sinks held all buffers.
        public var picturesWithoutBuffer = 0

        /// Nothing counted yet.
        public init() {}
    }

    /// What it has done so far.
    public private(set) var statistics = Statistics()
    /// Whether the next frame has to be a key frame.
    public private(set) var isAwaitingKeyFrame = true

    /// Whether the next picture would find a buffer, unless it has a new size. Only sinks that let go can change a `false`.
    public var hasBuffer: Bool {
        guard let pool else { return true }
        return pool.statistics.inUse < pool.capacity
    }

    private let context: VPXDecoderContext
    private let poolCapacity: Int
    private let maximumPixelCount: Int
    private var pool: FramePool?

    /// A decoder.
    ///
    /// - Parameters:
    ///   - poolCapacity: how many pictures the sinks may hold at once.
    ///   - threadCount: threads of libvpx, 1 to 16; the pictures do not depend on it.
    ///   - maximumPixelCount: the largest picture that is decoded. A key frame of a few bytes can claim 16383x16383,
    ///     for which libvpx takes a gigabyte: who decodes what strangers send sets a limit.
    public init(
        poolCapacity: Int = 8, threadCount: Int = 1, maximumPixelCount: Int = .max
    ) throws(CodecError) {
        precondition(poolCapacity > 0, "a decoder's pool holds at least one picture")
        guard (1...16).contains(threadCount) else {
            throw .invalidSettings("a decoder has 1 to 16 threads, not \(threadCount)")
        }
        self.poolCapacity = poolCapacity
        self.maximumPixelCount = maximumPixelCount
        self.context = try VPXDecoderContext(.vp8, vpx_codec_dec_cfg_t(threads: UInt32(threadCount), w: 0, h: 0))
    }

    /// Decodes one frame.
    ///
    /// - Parameters:
    ///   - payload: the bytes of one whole coded frame; any bytes are taken.
    ///   - captureTime: the time that the picture shall bear.
    ///   - isWanted: whether to hand out the picture; one that only serves those after it costs no copy.
    /// - Throws: ``CodecError/corruptFrame(byteCount:detail:)`` or
    ///   ``CodecError/pictureTooLarge(_:maximumPixelCount:)``; the decoder then waits for a key frame.
    public func decode(
        _ payload: Span<UInt8>, captureTime: MediaTime, isWanted: Bool = true
    ) throws(CodecError) -> Outcome {
        // Bit 0 of a VP8 frame is 0 for key frames (RFC 6386 §9.1). libvpx takes no bytes at all for "repeat".
        let isKey = payload.count > 0 && payload[0] & 1 == 0
        guard !payload.isEmpty else { throw damaged(byteCount: 0, "it has no bytes") }
        guard isKey || !isAwaitingKeyFrame else {
            statistics.framesSkipped += 1
            return .awaitingKeyFrame
        }
        if isKey, let size = VPXDecoderContext.size(ofKeyFrame: payload), size.pixelCount > maximumPixelCount {
            _ = damaged(byteCount: payload.count, "")
            throw .pictureTooLarge(size, maximumPixelCount: maximumPixelCount)
        }
        guard context.decode(payload) else { throw damaged(byteCount: payload.count, context.detail) }
        let image = unsafe context.decodedImage()
        guard try !context.isLastFrameCorrupted() else {
            throw damaged(byteCount: payload.count, "its data ends too early")
        }
        isAwaitingKeyFrame = false
        statistics.framesDecoded += 1
        statistics.keyFramesDecoded += isKey ? 1 : 0
        guard isWanted, let image = unsafe image else { return .hidden }
        return try unsafe picture(from: image.pointee, captureTime: captureTime)
    }

    private func damaged(byteCount: Int, _ detail: String) -> CodecError {
        isAwaitingKeyFrame = true
        statistics.framesCorrupted += 1
        return .corruptFrame(byteCount: byteCount, detail: detail)
    }

    private func picture(from image: vpx_image_t, captureTime: MediaTime) throws(CodecError) -> Outcome {
        guard let size = Resolution(validatingWidth: Int(unsafe image.d_w), height: Int(unsafe image.d_h)),
            unsafe image.fmt == VPX_IMG_FMT_I420
        else { throw damaged(byteCount: 0, "a picture of \(unsafe image.d_w)x\(unsafe image.d_h)") }
        guard var frame = try pool(for: size).makeFrame() else {
            statistics.picturesWithoutBuffer += 1
            return .noBuffer
        }
        // libvpx's planes have at least this size, and so have the frame's.
        unsafe frame.copyI420(
            from: (image.planes.0, image.planes.1, image.planes.2), (image.stride.0, image.stride.1, image.stride.2))
        return .picture(frame.finish(captureTime: captureTime))
    }

    /// The pool for pictures of that size; pictures of an earlier size keep theirs alive as long as they are held.
    private func pool(for size: Resolution) throws(CodecError) -> FramePool {
        if let pool, pool.layout.resolution == size { return pool }
        do {
            let pool = try FramePool(resolution: size, capacity: poolCapacity)
            self.pool = pool
            return pool
        } catch {
            throw .frames(error)
        }
    }
}
