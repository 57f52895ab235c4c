internal import CVPX
import RillCore

/// libvpx's decoder: the calls that ``VPXDecoder`` makes.
@safe
struct VPXDecoderContext: ~Copyable {
    private let handle: VPXHandle

    /// A decoder of that codec.
    init(_ codec: VideoCodec, _ configuration: vpx_codec_dec_cfg_t) throws(CodecError) {
        handle = VPXHandle()
        var configuration = configuration
        let result = unsafe CVPX_dec_init(handle.context, codec.decoderInterface, &configuration)
        try handle.check(result, "vpx_codec_dec_init")
    }

    /// Whether the picture that was decoded last is damaged.
    func isLastFrameCorrupted() throws(CodecError) -> Bool {
        try handle.control(reading: VP8D_GET_FRAME_CORRUPTED.rawValue) != 0
    }

    /// The size that a VP8 key frame claims, read without taking memory for it; `nil` where libvpx sees no key frame.
    static func size(ofKeyFrame payload: Span<UInt8>) -> Resolution? {
        var info = vpx_codec_stream_info_t()
        info.sz = UInt32(MemoryLayout<vpx_codec_stream_info_t>.size)
        let result = unsafe payload.withUnsafeBufferPointer { bytes in
            unsafe vpx_codec_peek_stream_info(vpx_codec_vp8_dx(), bytes.baseAddress, UInt32(bytes.count), &info)
        }
        guard result == VPX_CODEC_OK else { return nil }
        return Resolution(validatingWidth: Int(info.w), height: Int(info.h))
    }

    /// Decodes one frame; `false` when libvpx refused its bytes (``detail`` says why).
    func decode(_ payload: Span<UInt8>) -> Bool {
        unsafe payload.withUnsafeBufferPointer { bytes in
            unsafe vpx_codec_decode(handle.context, bytes.baseAddress, UInt32(bytes.count), nil, 0) == VPX_CODEC_OK
        }
    }

    /// The picture that the last frame gave, in libvpx's memory, which holds it until the next call; `nil` for a frame
    /// that is not to be shown.
    func decodedImage() -> UnsafePointer<vpx_image_t>? {
        var iterator: vpx_codec_iter_t?
        return unsafe UnsafePointer(vpx_codec_get_frame(handle.context, &iterator))
    }

    /// libvpx's own words on the last error.
    var detail: String { handle.detail }
}
