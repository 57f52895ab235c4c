internal import CVPX
public import RillCore
import RillImage
public import RillRTP

/// A VP8 or VP9 decoder that uses libvpx, bit-exact unless ``PostProcessing`` is enabled.
///
/// ```swift
/// let decoder = try VPXDecoder(.vp9, maximumPixelCount: 1920 * 1080)
/// if case .picture(let picture) = try decoder.decode(payload, captureTime: time) { screen.show(picture) }
/// ```
///
/// It starts with a key frame, and after damage waits for the next one (``DamagePolicy``): by default a picture that
/// depends on a missing one is never returned. Any bytes are accepted. Frames that declare too many pixels are
/// rejected before memory is allocated for them.
///
/// Memory: sinks may hold `poolCapacity` pictures. Further pictures are decoded but not returned. libvpx decodes VP9
/// straight into the blocks of the pictures, with a reserve for its references that sinks cannot use up. The VP8
/// decoder keeps its pictures to itself, so each is copied once. In the steady state only one small object per
/// picture is allocated. One owner, one thread at a time.
public final class VPXDecoder: VideoDecoder {
    /// The codec.
    public let codec: VideoCodec
    /// Counts so far.
    public private(set) var statistics = DecoderStatistics()
    /// Whether the next frame must be a key frame.
    public private(set) var isAwaitingKeyFrame = true

    /// Whether the next picture would be returned. Only sinks that release pictures can change a `false`.
    public var hasBuffer: Bool { blocks.statistics.leases < poolCapacity }

    private let vpx: VPXCodec
    private let context: VPXContext
    private let poolCapacity: Int
    private let maximumPixelCount: Int
    private let damagePolicy: DamagePolicy
    private let smoother: Smoother?
    /// The memory of the returned pictures.
    package let blocks: BlockPool
    /// The same blocks, if libvpx decodes into them.
    private let references: ReferenceBlocks?
    /// The number of pixels of the last key frame's picture.
    private var pixelCount = 0
    /// A VP9 frame with a superframe index that marks its end.
    private var marked: [UInt8] = []

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - codec: VP8 or VP9.
    ///   - poolCapacity: how many pictures the sinks may hold at once, at least 1.
    ///   - threadCount: the number of libvpx's threads, 1 to 16. The pictures do not depend on it.
    ///   - maximumPixelCount: the largest picture to decode. A frame of a few bytes can declare 16383x16383, for
    ///     which libvpx allocates a gigabyte: set a limit for untrusted input.
    ///   - damagePolicy: how frames after damage are treated.
    ///   - postProcessing: which VP8 pictures are smoothed.
    /// - Throws: ``CodecError/unsupportedCodec(_:)`` unless the codec is VP8 or VP9, `invalidSettings`, `libvpx`.
    public init(
        _ codec: VideoCodec = .vp8, poolCapacity: Int = 8, threadCount: Int = 1, maximumPixelCount: Int = .max,
        damagePolicy: DamagePolicy = .waitForKeyFrame, postProcessing: PostProcessing = .off
    ) throws(CodecError) {
        precondition(poolCapacity > 0, "a decoder's pool holds at least one picture")
        guard (1...16).contains(threadCount) else {
            throw .invalidSettings("a decoder has 1 to 16 threads, not \(threadCount)")
        }
        let vpx = try VPXCodec(codec)
        self.codec = codec
        self.vpx = vpx
        self.poolCapacity = poolCapacity
        self.maximumPixelCount = maximumPixelCount
        self.damagePolicy = damagePolicy
        self.smoother = vpx == .vp8 ? Smoother(postProcessing) : nil
        self.context = try VPXContext(
            vpx, vpx_codec_dec_cfg_t(threads: UInt32(threadCount), w: 0, h: 0), hasPostProcessing: smoother != nil)
        switch vpx {
        case .vp8:
            references = nil
            blocks = BlockPool(capacity: poolCapacity)
        case .vp9:
            let references = ReferenceBlocks(pictureCapacity: poolCapacity, maximumPixelCount: maximumPixelCount)
            self.references = references
            blocks = references.blocks
            try context.decode(into: references)
        }
    }

    deinit {
        // libvpx returns its blocks here, while the pool still exists.
        context.close()
    }

    /// Decodes one frame.
    ///
    /// - Parameters:
    ///   - payload: the bytes of one whole coded frame or VP9 superframe. Any bytes are accepted.
    ///   - captureTime: the capture time of the picture.
    ///   - isWanted: whether to return the picture. A picture that is only a reference costs no copy.
    /// - Returns: the outcome of the frame.
    /// - Throws: ``CodecError/corruptFrame(byteCount:detail:)``, ``CodecError/unsupportedProfile(_:profile:)`` or
    ///   ``CodecError/pictureTooLarge(width:height:maximumPixelCount:)``; the decoder then waits for a key frame.
    public func decode(
        _ payload: Span<UInt8>, captureTime: MediaTime, isWanted: Bool = true
    ) throws(CodecError) -> DecoderOutcome {
        // libvpx uses 32-bit sizes.
        guard payload.count < Int32.max else { throw damaged(byteCount: payload.count, "no frame has that many bytes") }
        let header: CodedFrameHeader
        do throws(BitstreamError) {
            header = try CodedFrameHeader(parsing: payload, as: codec)
        } catch {
            throw damaged(byteCount: payload.count, error.description)
        }
        guard header.isKeyFrame || !isAwaitingKeyFrame else {
            statistics.framesSkipped += 1
            return .awaitingKeyFrame
        }
        if let refusal = refusal(of: header) {
            isAwaitingKeyFrame = true
            statistics.framesCorrupted += 1
            throw refusal
        }
        if header.isKeyFrame { pixelCount = header.width * header.height }
        guard decode(payload, header) else { throw damaged(byteCount: payload.count, context.detail) }
        if vpx == .vp8, try context.isLastFrameCorrupted() {
            let error = damaged(byteCount: payload.count, "its data ends too early")
            guard damagePolicy == .continueDecoding, !isAwaitingKeyFrame else { throw error }
        } else {
            statistics.framesDecoded += 1
            statistics.keyFramesDecoded += header.isKeyFrame ? 1 : 0
        }
        if header.isKeyFrame { isAwaitingKeyFrame = false }
        guard isWanted, header.isShown else { return .hidden }
        try smoother?.prepare(context, pixelCount: pixelCount, isKeyFrame: header.isKeyFrame)
        guard let image = unsafe context.decodedImage() else { return .hidden }
        return try unsafe picture(from: image.pointee, captureTime: captureTime)
    }

    /// Returns why a frame must not reach libvpx, which would allocate memory from the headers alone.
    private func refusal(of header: CodedFrameHeader) -> CodecError? {
        if header.profile > 0 { return .unsupportedProfile(codec, profile: header.profile) }
        guard max(header.width, header.height) <= Resolution.maximumDimension,
            header.width * header.height <= maximumPixelCount
        else {
            return .pictureTooLarge(
                width: header.width, height: header.height, maximumPixelCount: maximumPixelCount)
        }
        return nil
    }

    /// Makes libvpx decode exactly the bytes that were checked.
    private func decode(_ payload: Span<UInt8>, _ header: CodedFrameHeader) -> Bool {
        guard vpx == .vp9, !header.hasSuperframeIndex else { return context.decode(payload) }
        // libvpx treats bytes after a frame as a further frame, whose header was not checked. An index with a single
        // frame marks the end.
        marked.removeAll(keepingCapacity: true)
        marked.append(copying: payload)
        let sizes: InlineArray<1, Int> = [payload.count]
        marked.append(addingCapacity: 10) { output in
            VP9Superframe.writeIndex(sizes: sizes.span, into: &output)
        }
        let whole = marked
        return context.decode(whole.span)
    }

    private func damaged(byteCount: Int, _ detail: String) -> CodecError {
        if damagePolicy == .waitForKeyFrame { isAwaitingKeyFrame = true }
        statistics.framesCorrupted += 1
        return .corruptFrame(byteCount: byteCount, detail: detail)
    }

    private func picture(from image: vpx_image_t, captureTime: MediaTime) throws(CodecError) -> DecoderOutcome {
        guard let size = Resolution(validatingWidth: Int(unsafe image.d_w), height: Int(unsafe image.d_h)),
            unsafe image.fmt == VPX_IMG_FMT_I420
        else { throw damaged(byteCount: 0, "a picture of \(unsafe image.d_w)x\(unsafe image.d_h)") }
        let picture =
            unsafe references?.picture(image, size, captureTime: captureTime, limit: poolCapacity)
            ?? copy(of: image, size, captureTime: captureTime)
        guard let picture else {
            statistics.picturesWithoutBuffer += 1
            return .noBuffer
        }
        return .picture(picture)
    }

    /// Copies a picture that libvpx keeps to itself.
    private func copy(of image: vpx_image_t, _ size: Resolution, captureTime: MediaTime) -> VideoFrame? {
        guard references == nil else { return nil }
        let layout = FrameLayout(.i420, size)
        guard let (block, lease) = blocks.takeLeased(byteCount: layout.byteCount) else { return nil }
        var frame = unsafe MutableFrame(layout: layout, base: block.base, lease: lease)
        // libvpx's planes have at least this size, and so do the frame's.
        unsafe frame.copyI420(
            from: (image.planes.0, image.planes.1, image.planes.2), (image.stride.0, image.stride.1, image.stride.2))
        return frame.finish(captureTime: captureTime)
    }
}

/// How a decoder treats frames after damage: after one that was truncated, altered or lost.
public enum DamagePolicy: Sendable, Equatable {
    /// Shows nothing that may depend on the damage: frames are skipped until the next key frame. The picture freezes,
    /// and is correct when it continues.
    case waitForKeyFrame
    /// Decodes each frame from what is available, and shows it with its faults until a key frame repairs them. The
    /// picture continues and may be wrong in any way. With VP9 this only works if libvpx could still decode the damaged
    /// frame: it rejects all frames after one that it could not decode.
    case continueDecoding
}
