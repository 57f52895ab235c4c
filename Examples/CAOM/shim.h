// libaom, with wrappers for what Swift does not import: macros, variadic functions and unions.

#include <aom/aom_decoder.h>
#include <aom/aom_encoder.h>
#include <aom/aomcx.h>
#include <aom/aomdx.h>

static inline aom_codec_err_t CAOM_enc_init(aom_codec_ctx_t *context, const aom_codec_enc_cfg_t *configuration) {
    return aom_codec_enc_init(context, aom_codec_av1_cx(), configuration, 0);
}

static inline aom_codec_err_t CAOM_dec_init(aom_codec_ctx_t *context, const aom_codec_dec_cfg_t *configuration) {
    return aom_codec_dec_init(context, aom_codec_av1_dx(), configuration, 0);
}

static inline aom_codec_err_t CAOM_control(aom_codec_ctx_t *context, int number, int value) {
    return aom_codec_control(context, number, value);
}

static inline int CAOM_last_quantizer(aom_codec_ctx_t *context) {
    int quantizer = -1;
    aom_codec_control(context, AOME_GET_LAST_QUANTIZER, &quantizer);
    return quantizer;
}

static const aom_enc_frame_flags_t CAOM_FORCE_KEY_FRAME = AOM_EFLAG_FORCE_KF;

static inline int CAOM_is_frame(const aom_codec_cx_pkt_t *packet) { return packet->kind == AOM_CODEC_CX_FRAME_PKT; }
static inline int CAOM_is_key(const aom_codec_cx_pkt_t *packet) { return (packet->data.frame.flags & AOM_FRAME_IS_KEY) != 0; }
static inline const uint8_t *CAOM_bytes(const aom_codec_cx_pkt_t *packet) { return packet->data.frame.buf; }
static inline size_t CAOM_byte_count(const aom_codec_cx_pkt_t *packet) { return packet->data.frame.sz; }
