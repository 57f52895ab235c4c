internal import CVPX
import RillCore
import RillRTP

/// The single owner of a libvpx codec: an encoder or a decoder. It destroys the codec once.
@safe
struct VPXContext: ~Copyable {
    /// On the heap because libvpx keeps pointers into the context, which must not move.
    @unsafe let context: UnsafeMutablePointer<vpx_codec_ctx_t>

    /// Allocates a context, which must then be initialized as an encoder or a decoder.
    init() {
        unsafe context = .allocate(capacity: 1)
        unsafe context.initialize(to: vpx_codec_ctx_t())
    }

    deinit {
        // After a failed initialization the context is all zero or cleaned up by libvpx. Destroying it only returns
        // an error.
        unsafe vpx_codec_destroy(context)
        unsafe context.deallocate()
    }

    /// Sets one of libvpx's numbered controls.
    func control(_ control: vp8e_enc_control_id, to value: Int) throws(CodecError) {
        let number = Int32(control.rawValue)
        try check(unsafe CVPX_control_int(context, number, Int32(value)), "control \(number) to \(value)")
    }

    /// Reads one of libvpx's numbered controls.
    func control(reading control: UInt32) throws(CodecError) -> Int {
        var value: Int32 = 0
        try check(unsafe CVPX_control_get_int(context, Int32(control), &value), "control \(control)")
        return Int(value)
    }

    /// libvpx's own message for the last error.
    var detail: String {
        let general = unsafe vpx_codec_error(context).map { unsafe String(cString: $0) } ?? "no reason given"
        let more = unsafe vpx_codec_error_detail(context).map { unsafe ": " + String(cString: $0) } ?? ""
        return general + more
    }

    /// Throws libvpx's error if a call failed.
    func check(_ result: vpx_codec_err_t, _ call: @autoclosure () -> String) throws(CodecError) {
        guard result != VPX_CODEC_OK else { return }
        throw .libvpx(call: call(), code: Int(result.rawValue), detail: detail)
    }
}

/// libvpx's two codecs.
enum VPXCodec: Sendable {
    case vp8, vp9

    /// Creates libvpx's codec for a codec, or throws `unsupportedCodec`.
    init(_ codec: VideoCodec) throws(CodecError) {
        switch codec {
        case .vp8: self = .vp8
        case .vp9: self = .vp9
        default: throw .unsupportedCodec(codec)
        }
    }
}

extension VPXCodec {
    /// libvpx's encoder.
    @unsafe var encoderInterface: OpaquePointer? {
        switch self {
        case .vp8: unsafe vpx_codec_vp8_cx()
        case .vp9: unsafe vpx_codec_vp9_cx()
        }
    }

    /// libvpx's decoder.
    @unsafe var decoderInterface: OpaquePointer? {
        switch self {
        case .vp8: unsafe vpx_codec_vp8_dx()
        case .vp9: unsafe vpx_codec_vp9_dx()
        }
    }
}

/// The libvpx library of this process.
public enum VPXLibrary {
    /// The version that libvpx reports: `v1.12.0`. Encoded bytes depend on the version; decoded pictures do not.
    public static let version = unsafe String(cString: vpx_codec_version_str())
}
