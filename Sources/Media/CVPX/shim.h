// libvpx for Swift: the headers, and one name for each macro and variadic call that Swift cannot see.
#pragma once

#include <vpx/vp8cx.h>
#include <vpx/vp8dx.h>
#include <vpx/vpx_decoder.h>
#include <vpx/vpx_encoder.h>

static inline vpx_codec_err_t CVPX_enc_init(vpx_codec_ctx_t *ctx, vpx_codec_iface_t *iface,
                                            const vpx_codec_enc_cfg_t *cfg) {
    return vpx_codec_enc_init(ctx, iface, cfg, 0);
}

static inline vpx_codec_err_t CVPX_dec_init(vpx_codec_ctx_t *ctx, vpx_codec_iface_t *iface,
                                            const vpx_codec_dec_cfg_t *cfg, vpx_codec_flags_t flags) {
    return vpx_codec_dec_init(ctx, iface, cfg, flags);
}

static const vpx_codec_flags_t CVPX_USE_POSTPROC = VPX_CODEC_USE_POSTPROC;

static inline vpx_codec_err_t CVPX_dec_set_postproc(vpx_codec_ctx_t *ctx, vp8_postproc_cfg_t *cfg) {
    return vpx_codec_control_(ctx, VP8_SET_POSTPROC, cfg);
}

static inline vpx_codec_err_t CVPX_control_int(vpx_codec_ctx_t *ctx, int control, int value) {
    return vpx_codec_control_(ctx, control, value);
}

static inline vpx_codec_err_t CVPX_control_get_int(vpx_codec_ctx_t *ctx, int control, int *value) {
    return vpx_codec_control_(ctx, control, value);
}

static inline vpx_codec_err_t CVPX_enc_set_svc(vpx_codec_ctx_t *ctx, vpx_svc_extra_cfg_t *parameters) {
    return vpx_codec_control_(ctx, VP9E_SET_SVC_PARAMETERS, parameters);
}

static inline vpx_codec_err_t CVPX_enc_set_temporal_layer(vpx_codec_ctx_t *ctx, int index) {
    vpx_svc_layer_id_t layer = {0, index, {index}};
    return vpx_codec_control_(ctx, VP9E_SET_SVC_LAYER_ID, &layer);
}

// No map if `map` is null.
static inline vpx_codec_err_t CVPX_enc_set_active_map(vpx_codec_ctx_t *ctx, unsigned char *map, int columns, int rows) {
    vpx_active_map_t active = {map, (unsigned)rows, (unsigned)columns};
    return vpx_codec_control_(ctx, VP8E_SET_ACTIVEMAP, &active);
}

// The members of the packet's anonymous union that the wrapper reads.
static inline void *CVPX_packet_data(const vpx_codec_cx_pkt_t *packet) { return packet->data.frame.buf; }
static inline size_t CVPX_packet_size(const vpx_codec_cx_pkt_t *packet) { return packet->data.frame.sz; }
static inline vpx_codec_pts_t CVPX_packet_pts(const vpx_codec_cx_pkt_t *packet) { return packet->data.frame.pts; }
static inline void *CVPX_packet_stats(const vpx_codec_cx_pkt_t *packet) { return packet->data.twopass_stats.buf; }
static inline size_t CVPX_packet_stats_size(const vpx_codec_cx_pkt_t *packet) { return packet->data.twopass_stats.sz; }
static inline vpx_codec_frame_flags_t CVPX_packet_flags(const vpx_codec_cx_pkt_t *packet) {
    return packet->data.frame.flags;
}
