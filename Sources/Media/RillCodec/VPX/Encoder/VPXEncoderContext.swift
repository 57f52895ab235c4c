internal import CVPX
import RillCore

/// libvpx's encoder: the calls that ``VPXEncoder`` and ``VPXFirstPass`` make.
extension VPXContext {
    /// Creates an encoder.
    @unsafe
    init(_ codec: VPXCodec, _ configuration: vpx_codec_enc_cfg_t) throws(CodecError) {
        self.init()
        var configuration = unsafe configuration
        let result = unsafe CVPX_enc_init(context, codec.encoderInterface, &configuration)
        try check(result, "vpx_codec_enc_init")
    }

    /// Changes the configuration of a running encoder.
    @unsafe
    func configure(_ configuration: vpx_codec_enc_cfg_t) throws(CodecError) {
        var configuration = unsafe configuration
        try check(unsafe vpx_codec_enc_config_set(context, &configuration), "vpx_codec_enc_config_set")
    }

    /// Sets the number of temporal layers of a VP9 encoder.
    func setLayers(_ parameters: vpx_svc_extra_cfg_t) throws(CodecError) {
        var parameters = parameters
        try check(unsafe CVPX_enc_set_svc(context, &parameters), "VP9E_SET_SVC_PARAMETERS")
    }

    /// Sets the temporal layer of a VP9 encoder's next frame.
    func setTemporalLayer(_ index: Int) throws(CodecError) {
        try check(unsafe CVPX_enc_set_temporal_layer(context, Int32(index)), "VP9E_SET_SVC_LAYER_ID")
    }

    /// Tells libvpx which macroblocks to code, row by row: 1 for those that it codes. Without a map it codes all.
    func setActiveMap(_ map: [UInt8]?, columns: Int, rows: Int) throws(CodecError) {
        // libvpx copies the map. Its struct serves to read maps, too, so that its pointer is mutable.
        let result =
            unsafe map?.withUnsafeBufferPointer {
                unsafe CVPX_enc_set_active_map(
                    context, UnsafeMutablePointer(mutating: $0.baseAddress), Int32(columns), Int32(rows))
            } ?? CVPX_enc_set_active_map(context, nil, Int32(columns), Int32(rows))
        try check(result, "VP8E_SET_ACTIVEMAP")
    }

    /// The picture that decoders have after the last frame, in libvpx's memory; `nil` before the first. Valid until the
    /// next picture.
    @unsafe
    func preview() -> vpx_image_t? {
        unsafe vpx_codec_get_preview_frame(context)?.pointee
    }

    /// Encodes one picture. Afterwards ``nextPacket(_:after:)`` returns the packets that became ready.
    @unsafe
    func encode(
        _ image: UnsafePointer<vpx_image_t>, over span: RateControlTimeline.Span, flags: Int,
        _ effort: EncoderSettings.Effort
    ) throws(CodecError) {
        // VPX_DL_REALTIME and VPX_DL_GOOD_QUALITY, in microseconds: macros.
        let deadline: UInt = effort == .good ? 1_000_000 : 1
        let result = unsafe vpx_codec_encode(
            context, image, span.start, UInt(span.duration), flags, deadline)
        try check(result, "vpx_codec_encode")
    }

    /// Flushes an encoder with lookahead after the last picture of `timeline`. Afterwards ``nextPacket(_:after:)``
    /// returns the packets that became ready. Call it again until there are none.
    func flush(after timeline: RateControlTimeline) throws(CodecError) {
        let result = unsafe vpx_codec_encode(context, nil, timeline.end, 1, 0, 1_000_000)
        try check(result, "vpx_codec_encode")
    }

    /// Returns the next packet of that kind, or `nil` after the last. It is valid until the next picture.
    @unsafe
    func nextPacket(
        _ kind: vpx_codec_cx_pkt_kind, after iterator: inout vpx_codec_iter_t?
    ) -> UnsafePointer<vpx_codec_cx_pkt_t>? {
        while let packet = unsafe vpx_codec_get_cx_data(context, &iterator) {
            if unsafe packet.pointee.kind == kind { return unsafe packet }
        }
        return nil
    }
}
