// The library calls of Rill's send side and nothing else: reads a Y4M clip, encodes every frame, scales every sixth one
// to 160x120 and encodes it too. No packets, no layers, no checks beyond "it worked": the least that any program needs
// for this work, which the others are measured against.
//
//     bare-loop CLIP KBITS LOW_KBITS      (a 30 fps clip; prints "coded high=BYTES low=BYTES")

#include <libyuv/scale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vpx/vp8cx.h>
#include <vpx/vpx_encoder.h>

enum { kLowWidth = 160, kLowHeight = 120, kDecimation = 6, kClockRate = 90000, kFrameRate = 30 };

static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

typedef struct {
    vpx_codec_ctx_t codec;
    vpx_image_t image;
    unsigned long duration;
    unsigned long long coded_bytes;
} Encoder;

// Real-time one-pass CBR, as Rill's VPXEncoder and the vpxenc line of `compare` have it.
static void open_encoder(Encoder *encoder, int width, int height, int kilobits, int cpu_used, int frames_per_picture) {
    vpx_codec_enc_cfg_t settings;
    vpx_codec_enc_config_default(vpx_codec_vp8_cx(), &settings, 0);
    settings.g_w = width;
    settings.g_h = height;
    settings.g_timebase = (vpx_rational_t){1, kClockRate};
    settings.g_threads = 1;
    settings.g_lag_in_frames = 0;
    settings.rc_end_usage = VPX_CBR;
    settings.rc_target_bitrate = kilobits;
    settings.rc_min_quantizer = 2;
    settings.rc_max_quantizer = 56;
    settings.rc_undershoot_pct = 100;
    settings.rc_overshoot_pct = 15;
    settings.rc_buf_initial_sz = 500;
    settings.rc_buf_optimal_sz = 600;
    settings.rc_buf_sz = 1000;
    settings.kf_max_dist = 3000;
    if (vpx_codec_enc_init(&encoder->codec, vpx_codec_vp8_cx(), &settings, 0) != VPX_CODEC_OK) fail("no encoder");
    vpx_codec_control(&encoder->codec, VP8E_SET_CPUUSED, cpu_used);
    vpx_codec_control(&encoder->codec, VP8E_SET_STATIC_THRESHOLD, 1);
    vpx_codec_control(&encoder->codec, VP8E_SET_TOKEN_PARTITIONS, VP8_ONE_TOKENPARTITION);
    encoder->duration = (unsigned long)frames_per_picture * kClockRate / kFrameRate;
    encoder->coded_bytes = 0;
}

static void encode(Encoder *encoder, long long index) {
    if (vpx_codec_encode(&encoder->codec, &encoder->image, index * (long long)encoder->duration, encoder->duration, 0,
                         VPX_DL_REALTIME) != VPX_CODEC_OK)
        fail("frame %lld cannot be encoded: %s", index, vpx_codec_error(&encoder->codec));
    vpx_codec_iter_t iterator = NULL;
    for (const vpx_codec_cx_pkt_t *packet; (packet = vpx_codec_get_cx_data(&encoder->codec, &iterator));)
        if (packet->kind == VPX_CODEC_CX_FRAME_PKT) encoder->coded_bytes += packet->data.frame.sz;
}

// The largest rectangle in the middle of the picture that has the low layer's aspect, at even positions, scaled down.
static void scale_to_low(const vpx_image_t *from, vpx_image_t *to) {
    int width = (int)from->d_w, height = (int)from->d_h;
    if (width * kLowHeight > height * kLowWidth)
        width = height * kLowWidth / kLowHeight;
    else
        height = width * kLowHeight / kLowWidth;
    int x = ((int)from->d_w - width) / 2 & ~1, y = ((int)from->d_h - height) / 2 & ~1;
    const uint8_t *planes[3];
    for (int plane = 0; plane < 3; plane++) {
        int shift = plane == 0 ? 0 : 1;
        planes[plane] = from->planes[plane] + (y >> shift) * from->stride[plane] + (x >> shift);
    }
    I420Scale(planes[0], from->stride[0], planes[1], from->stride[1], planes[2], from->stride[2], width, height,
              to->planes[0], to->stride[0], to->planes[1], to->stride[1], to->planes[2], to->stride[2], kLowWidth,
              kLowHeight, kFilterBox);
}

int main(int count, char **arguments) {
    if (count != 4) fail("usage: bare-loop CLIP KBITS LOW_KBITS");
    FILE *clip = fopen(arguments[1], "rb");
    if (!clip) fail("%s cannot be opened", arguments[1]);
    char line[256];
    int width = 0, height = 0;
    if (!fgets(line, sizeof line, clip) || strncmp(line, "YUV4MPEG2 ", 10) != 0) fail("%s is no Y4M", arguments[1]);
    for (char *field = strtok(line, " \n"); field; field = strtok(NULL, " \n")) {
        if (field[0] == 'W') width = atoi(field + 1);
        if (field[0] == 'H') height = atoi(field + 1);
    }
    if (width <= 0 || height <= 0 || width % 2 || height % 2) fail("%s has no even size", arguments[1]);

    Encoder high, low;
    open_encoder(&high, width, height, atoi(arguments[2]), width * height >= 352 * 288 ? -6 : -4, 1);
    open_encoder(&low, kLowWidth, kLowHeight, atoi(arguments[3]), -4, kDecimation);
    size_t frame_size = (size_t)width * height * 3 / 2;
    unsigned char *bytes = malloc(frame_size);
    if (!bytes || !vpx_img_wrap(&high.image, VPX_IMG_FMT_I420, width, height, 1, bytes) ||
        !vpx_img_alloc(&low.image, VPX_IMG_FMT_I420, kLowWidth, kLowHeight, 32))
        fail("no memory");

    for (long long index = 0; fgets(line, sizeof line, clip); index++) {
        if (strncmp(line, "FRAME", 5) != 0 || fread(bytes, 1, frame_size, clip) != frame_size)
            fail("frame %lld is damaged", index);
        encode(&high, index);
        if (index % kDecimation == 0) {
            scale_to_low(&high.image, &low.image);
            encode(&low, index / kDecimation);
        }
    }
    printf("coded high=%llu low=%llu\n", high.coded_bytes, low.coded_bytes);
    vpx_codec_destroy(&high.codec);
    vpx_codec_destroy(&low.codec);
    vpx_img_free(&low.image);
    free(bytes);
    fclose(clip);
    return 0;
}
