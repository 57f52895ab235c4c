internal import CVPX
import RillCore

/// The one owner of a libvpx codec: made once, destroyed once, and the calls that both directions share.
@safe
struct VPXContext: ~Copyable {
    // On the heap because libvpx keeps pointers into the context, which must not move.
    private let context: UnsafeMutablePointer<vpx_codec_ctx_t>

    /// A VP8 encoder.
    init(encoderWith configuration: vpx_codec_enc_cfg_t) throws(CodecError) {
        unsafe context = .allocate(capacity: 1)
        unsafe context.initialize(to: vpx_codec_ctx_t())
        var configuration = unsafe configuration
        let result = unsafe CVPX_enc_init(context, vpx_codec_vp8_cx(), &configuration)
        try check(result, "vpx_codec_enc_init")
    }

    /// A VP8 decoder.
    init(decoderWith configuration: vpx_codec_dec_cfg_t) throws(CodecError) {
        unsafe context = .allocate(capacity: 1)
        unsafe context.initialize(to: vpx_codec_ctx_t())
        var configuration = configuration
        let result = unsafe CVPX_dec_init(context, vpx_codec_vp8_dx(), &configuration)
        try check(result, "vpx_codec_dec_init")
    }

    deinit {
        // A context whose making failed is all zero or cleaned up by libvpx; destroying it only says so.
        unsafe vpx_codec_destroy(context)
        unsafe context.deallocate()
    }

    /// Sets one of libvpx's numbered controls.
    func control(_ control: vp8e_enc_control_id, to value: Int) throws(CodecError) {
        let result = unsafe CVPX_control_int(context, Int32(control.rawValue), Int32(value))
        try check(result, "control \(control.rawValue)")
    }

    /// Reads one of libvpx's numbered controls.
    func control(reading control: vp8e_enc_control_id) throws(CodecError) -> Int {
        var value: Int32 = 0
        let result = unsafe CVPX_control_get_int(context, Int32(control.rawValue), &value)
        try check(result, "control \(control.rawValue)")
        return Int(value)
    }

    /// Whether the picture that was decoded last is damaged.
    func isLastFrameCorrupted() throws(CodecError) -> Bool {
        var value: Int32 = 0
        let result = unsafe CVPX_control_get_int(context, Int32(VP8D_GET_FRAME_CORRUPTED.rawValue), &value)
        try check(result, "control \(VP8D_GET_FRAME_CORRUPTED.rawValue)")
        return value != 0
    }

    /// Changes the configuration of a running encoder.
    func configure(_ configuration: vpx_codec_enc_cfg_t) throws(CodecError) {
        var configuration = unsafe configuration
        let result = unsafe vpx_codec_enc_config_set(context, &configuration)
        try check(result, "vpx_codec_enc_config_set")
    }

    /// Encodes one picture; `nil` when the rate control left it out. The packet holds until the next call.
    func encode(
        _ image: UnsafePointer<vpx_image_t>, at ticks: Int64, for duration: Int64, flags: Int
    ) throws(CodecError) -> UnsafePointer<vpx_codec_cx_pkt_t>? {
        // 1 is VPX_DL_REALTIME, a macro.
        let result = unsafe vpx_codec_encode(context, image, ticks, UInt(duration), flags, 1)
        try check(result, "vpx_codec_encode")
        var iterator: vpx_codec_iter_t?
        while let packet = unsafe vpx_codec_get_cx_data(context, &iterator) {
            if unsafe packet.pointee.kind == VPX_CODEC_CX_FRAME_PKT { return unsafe packet }
        }
        return nil
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
            unsafe vpx_codec_decode(context, bytes.baseAddress, UInt32(bytes.count), nil, 0) == VPX_CODEC_OK
        }
    }

    /// The picture that the last frame gave, in libvpx's memory, which holds it until the next call; `nil` for a frame
    /// that is not to be shown.
    func decodedImage() -> UnsafePointer<vpx_image_t>? {
        var iterator: vpx_codec_iter_t?
        return unsafe UnsafePointer(vpx_codec_get_frame(context, &iterator))
    }

    /// libvpx's own words on the last error.
    var detail: String {
        let general = unsafe vpx_codec_error(context).map { unsafe String(cString: $0) } ?? "no reason given"
        let more = unsafe vpx_codec_error_detail(context).map { unsafe ": " + String(cString: $0) } ?? ""
        return general + more
    }

    private func check(_ result: vpx_codec_err_t, _ call: String) throws(CodecError) {
        guard result != VPX_CODEC_OK else { return }
        throw .libvpx(call: call, code: Int(result.rawValue), detail: detail)
    }
}
