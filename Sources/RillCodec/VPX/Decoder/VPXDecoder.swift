internal import CVPX
public import RillCore
import RillImage

/// A VP8 or VP9 decoder over libvpx, exact unless ``PostProcessing`` is asked for.
///
///     let decoder = try VPXDecoder(.vp9, maximumPixelCount: 1920 * 1080)
///     if case .picture(let picture) = try decoder.decode(payload, captureTime: time) { screen.show(picture) }
///
/// It starts with a key frame, and after damage waits for the next one (``DamagePolicy``): a picture that builds on a
/// missing one is never handed out. Any bytes are taken; frames that claim more pixels than allowed are refused before
/// memory is taken for them.
///
/// Memory: sinks may hold `poolCapacity` pictures; one more is decoded all the same, and not handed out. libvpx decodes
/// VP9 straight into the blocks that the pictures stand in, with a reserve for its references that sinks cannot use up;
/// VP8's decoder keeps its pictures to itself, and each is copied once. In the steady state nothing is allocated but one
/// small object a picture. One owner, one thread at a time.
public final class VPXDecoder: VideoDecoder {
    /// What it decodes.
    public let codec: VideoCodec
    /// What it has done so far.
    public private(set) var statistics = DecoderStatistics()
    /// Whether the next frame has to be a key frame.
    public private(set) var isAwaitingKeyFrame = true

    /// Whether the next picture would be handed out. Only sinks that let go can change a `false`.
    public var hasBuffer: Bool { blocks.statistics.leases < poolCapacity }

    private let vpx: VPXCodec
    private let context: VPXDecoderContext
    private let poolCapacity: Int
    private let maximumPixelCount: Int
    private let damagePolicy: DamagePolicy
    private let smoother: Smoother?
    /// What the pictures that are handed out stand in.
    package let blocks: BlockPool
    /// The same blocks, where libvpx decodes into them.
    private let references: ReferenceBlocks?
    /// Pixels of the last key frame's picture.
    private var pixelCount = 0
    /// A VP9 frame with its end marked.
    private var marked: [UInt8] = []

    /// A decoder.
    ///
    /// - Parameters:
    ///   - poolCapacity: how many pictures the sinks may hold at once.
    ///   - threadCount: threads of libvpx, 1 to 16; the pictures do not depend on it.
    ///   - maximumPixelCount: the largest picture that is decoded. A frame of a few bytes can claim 16383x16383, for
    ///     which libvpx takes a gigabyte: who decodes what strangers send sets a limit.
    ///   - damagePolicy: what is done with frames that follow damage.
    ///   - postProcessing: which VP8 pictures are smoothed.
    /// - Throws: ``CodecError/unsupportedCodec(_:)`` for a codec that is neither VP8 nor VP9, `invalidSettings`, `libvpx`.
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
        self.context = try VPXDecoderContext(
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
        // libvpx gives its blocks back while there is somebody to take them.
        context.close()
    }

    /// Decodes one frame.
    ///
    /// - Parameters:
    ///   - payload: the bytes of one whole coded frame or VP9 superframe; any bytes are taken.
    ///   - captureTime: the time that the picture shall bear.
    ///   - isWanted: whether to hand out the picture; one that only serves those after it costs no copy.
    /// - Throws: ``CodecError/corruptFrame(byteCount:detail:)``, ``CodecError/unsupportedProfile(_:profile:)`` or
    ///   ``CodecError/pictureTooLarge(width:height:maximumPixelCount:)``; the decoder then waits for a key frame.
    public func decode(
        _ payload: Span<UInt8>, captureTime: MediaTime, isWanted: Bool = true
    ) throws(CodecError) -> DecoderOutcome {
        // libvpx counts in 32 bits.
        guard payload.count < Int32.max else { throw damaged(byteCount: payload.count, "no frame has as many bytes") }
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

    /// Why libvpx must not even see a frame, for which it would take memory by the headers alone.
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

    /// Has libvpx decode the bytes that were looked at, and no others.
    private func decode(_ payload: Span<UInt8>, _ header: CodedFrameHeader) -> Bool {
        guard vpx == .vp9, !header.hasSuperframeIndex else { return context.decode(payload) }
        // What a frame leaves over libvpx takes for a further frame, whose header nobody has seen. An index with one
        // frame in it says where that ends.
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

    /// A copy of a picture that libvpx keeps to itself.
    private func copy(of image: vpx_image_t, _ size: Resolution, captureTime: MediaTime) -> VideoFrame? {
        guard references == nil else { return nil }
        let layout = FrameLayout(.i420, size)
        guard let (block, lease) = blocks.takeLeased(byteCount: layout.byteCount) else { return nil }
        var frame = unsafe MutableFrame(layout: layout, base: block.base, lease: lease)
        // libvpx's planes have at least this size, and so have the frame's.
        unsafe frame.copyI420(
            from: (image.planes.0, image.planes.1, image.planes.2), (image.stride.0, image.stride.1, image.stride.2))
        return frame.finish(captureTime: captureTime)
    }
}
