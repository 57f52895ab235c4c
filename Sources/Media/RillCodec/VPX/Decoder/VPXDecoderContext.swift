internal import CVPX
import RillCore

/// libvpx's decoder: the calls that ``VPXDecoder`` makes.
extension VPXContext {
    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - codec: the codec.
    ///   - configuration: libvpx's configuration.
    ///   - hasPostProcessing: whether ``setPostProcessing(_:level:)`` may be called. Otherwise libvpx allocates no
    ///     memory for it.
    init(
        _ codec: VPXCodec, _ configuration: vpx_codec_dec_cfg_t, hasPostProcessing: Bool
    ) throws(CodecError) {
        self.init()
        var configuration = configuration
        let flags = hasPostProcessing ? CVPX_USE_POSTPROC : 0
        let result = unsafe CVPX_dec_init(context, codec.decoderInterface, &configuration, flags)
        try check(result, "vpx_codec_dec_init")
    }

    /// Makes libvpx decode into the blocks of `memory`, which must outlive this context's ``close()``.
    func decode(into memory: ReferenceBlocks) throws(CodecError) {
        let result = unsafe vpx_codec_set_frame_buffer_functions(
            context, takeReferenceBlock, releaseReferenceBlock, Unmanaged.passUnretained(memory).toOpaque())
        try check(result, "vpx_codec_set_frame_buffer_functions")
    }

    /// Destroys the decoder, and libvpx releases all blocks. Nothing may be called afterwards. The context destroys it
    /// once more at its own end, which is harmless.
    func close() {
        unsafe vpx_codec_destroy(context)
    }

    /// Whether the VP8 picture that was decoded last is damaged, or refers to a damaged one.
    func isLastFrameCorrupted() throws(CodecError) -> Bool {
        try control(reading: VP8D_GET_FRAME_CORRUPTED.rawValue) != 0
    }

    /// The quantizer index of the frame that was decoded last: 0 to 127 for VP8.
    func lastQuantizer() throws(CodecError) -> Int {
        try control(reading: VPXD_GET_LAST_QUANTIZER.rawValue)
    }

    /// Sets the post-processing of the pictures that ``decodedImage()`` returns from now on. References are not
    /// affected.
    ///
    /// - Parameters:
    ///   - kinds: the filters.
    ///   - level: the strength of the filter, 0 to 16.
    func setPostProcessing(_ kinds: vp8_postproc_level, level: Int) throws(CodecError) {
        var configuration = vp8_postproc_cfg_t(
            post_proc_flag: Int32(kinds.rawValue), deblocking_level: Int32(level), noise_level: 0)
        try check(unsafe CVPX_dec_set_postproc(context, &configuration), "VP8_SET_POSTPROC")
    }

    /// Decodes one frame. Returns `false` if libvpx rejected its bytes (``detail`` has the reason).
    func decode(_ payload: Span<UInt8>) -> Bool {
        unsafe payload.withUnsafeBufferPointer { bytes in
            unsafe vpx_codec_decode(context, bytes.baseAddress, UInt32(bytes.count), nil, 0) == VPX_CODEC_OK
        }
    }

    /// The picture of the last frame, in libvpx's memory, valid until the next call; `nil` for a frame that is not
    /// shown.
    func decodedImage() -> UnsafePointer<vpx_image_t>? {
        var iterator: vpx_codec_iter_t?
        return unsafe UnsafePointer(vpx_codec_get_frame(context, &iterator))
    }
}
