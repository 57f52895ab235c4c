// Only the library calls of Rill's send side: reads a Y4M clip, encodes every frame, scales every sixth one to 160x120 and
// encodes it, too. It has no packets, no layers, and checks only for success: the floor that programs are compared with.
//
//     bare-loop vp8|vp9 CLIP KBITS LOW_KBITS [FRAMES [OUTPUT]]
//
// The clip has 30 frames per second. Prints "coded high=BYTES low=BYTES". OUTPUT gets each encoded frame, the high layer's
// before the low one's, after its length in four bytes, least significant first.

#include <libyuv/scale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vpx/vp8cx.h>
#include <vpx/vpx_encoder.h>

enum { kLowWidth = 160, kLowHeight = 120, kDecimation = 6, kClockRate = 90000, kFrameRate = 30 };
enum { kLowKeyFramePercentage = 175 };

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
    FILE *output;
} Encoder;

// The speed that VPXEncoder sets for pictures of a size.
static int speed(int is_vp9, int width, int height) {
    if (!is_vp9) return width * height >= 352 * 288 ? -6 : -4;
    return width * height >= 352 * 288 ? 8 : 5;
}

// Real-time one-pass CBR, as in Rill's VPXEncoder and the vpxenc command of `compare`.
static void open_encoder(Encoder *encoder, int is_vp9, int width, int height, int kilobits, int frames_per_picture) {
    vpx_codec_iface_t *codec = is_vp9 ? vpx_codec_vp9_cx() : vpx_codec_vp8_cx();
    vpx_codec_enc_cfg_t settings;
    vpx_codec_enc_config_default(codec, &settings, 0);
    settings.g_w = width;
    settings.g_h = height;
    settings.g_timebase = (vpx_rational_t){1, kClockRate};
    settings.g_threads = 1;
    settings.g_lag_in_frames = 0;
    settings.rc_end_usage = VPX_CBR;
    settings.rc_target_bitrate = kilobits;
    settings.rc_min_quantizer = 2;
    settings.rc_max_quantizer = is_vp9 ? 52 : 56;
    settings.rc_undershoot_pct = is_vp9 ? 50 : 100;
    settings.rc_overshoot_pct = is_vp9 ? 50 : 15;
    // The low layer starts with a full buffer.
    settings.rc_buf_initial_sz = width == kLowWidth ? 1000 : 500;
    settings.rc_buf_optimal_sz = 600;
    settings.rc_buf_sz = 1000;
    settings.kf_max_dist = 3000;
    if (vpx_codec_enc_init(&encoder->codec, codec, &settings, 0) != VPX_CODEC_OK) fail("no encoder");
    vpx_codec_control(&encoder->codec, VP8E_SET_CPUUSED, speed(is_vp9, width, height));
    vpx_codec_control(&encoder->codec, VP8E_SET_STATIC_THRESHOLD, 1);
    if (is_vp9) {
        vpx_codec_control(&encoder->codec, VP9E_SET_ROW_MT, 1);
        vpx_codec_control(&encoder->codec, VP9E_SET_TILE_COLUMNS, 0);
        vpx_codec_control(&encoder->codec, VP9E_SET_FRAME_PARALLEL_DECODING, 0);
        vpx_codec_control(&encoder->codec, VP9E_SET_AQ_MODE, 3);
    } else {
        vpx_codec_control(&encoder->codec, VP8E_SET_TOKEN_PARTITIONS, VP8_ONE_TOKENPARTITION);
    }
    encoder->duration = (unsigned long)frames_per_picture * kClockRate / kFrameRate;
    encoder->coded_bytes = 0;
}

static void encode(Encoder *encoder, long long index) {
    if (vpx_codec_encode(&encoder->codec, &encoder->image, index * (long long)encoder->duration, encoder->duration, 0,
                         VPX_DL_REALTIME) != VPX_CODEC_OK)
        fail("frame %lld cannot be encoded: %s", index, vpx_codec_error(&encoder->codec));
    vpx_codec_iter_t iterator = NULL;
    for (const vpx_codec_cx_pkt_t *packet; (packet = vpx_codec_get_cx_data(&encoder->codec, &iterator));) {
        if (packet->kind != VPX_CODEC_CX_FRAME_PKT) continue;
        size_t size = packet->data.frame.sz;
        encoder->coded_bytes += size;
        if (!encoder->output) continue;
        unsigned char length[4] = {size & 255, size >> 8 & 255, size >> 16 & 255, size >> 24 & 255};
        if (fwrite(length, 1, 4, encoder->output) != 4 ||
            fwrite(packet->data.frame.buf, 1, size, encoder->output) != size)
            fail("frame %lld cannot be written", index);
    }
}

// Scales down the largest centered rectangle with the low layer's aspect ratio, at even positions.
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
    if (count < 5 || count > 7) fail("usage: bare-loop vp8|vp9 CLIP KBITS LOW_KBITS [FRAMES [OUTPUT]]");
    int is_vp9 = strcmp(arguments[1], "vp9") == 0;
    if (!is_vp9 && strcmp(arguments[1], "vp8") != 0) fail("unknown codec %s", arguments[1]);
    FILE *clip = fopen(arguments[2], "rb");
    if (!clip) fail("%s cannot be opened", arguments[2]);
    long long limit = count > 5 ? atoll(arguments[5]) : 1LL << 62;
    FILE *output = count > 6 ? fopen(arguments[6], "wb") : NULL;
    if (count > 6 && !output) fail("%s cannot be written", arguments[6]);
    char line[256];
    int width = 0, height = 0;
    if (!fgets(line, sizeof line, clip) || strncmp(line, "YUV4MPEG2 ", 10) != 0) fail("%s is not Y4M", arguments[2]);
    for (char *field = strtok(line, " \n"); field; field = strtok(NULL, " \n")) {
        if (field[0] == 'W') width = atoi(field + 1);
        if (field[0] == 'H') height = atoi(field + 1);
    }
    if (width <= 0 || height <= 0 || width % 2 || height % 2) fail("the size of %s is not even", arguments[2]);

    Encoder high = {.output = output}, low = {.output = output};
    open_encoder(&high, is_vp9, width, height, atoi(arguments[3]), 1);
    open_encoder(&low, is_vp9, kLowWidth, kLowHeight, atoi(arguments[4]), kDecimation);
    vpx_codec_control(&low.codec, VP8E_SET_MAX_INTRA_BITRATE_PCT, kLowKeyFramePercentage);
    size_t frame_size = (size_t)width * height * 3 / 2;
    unsigned char *bytes = malloc(frame_size);
    if (!bytes || !vpx_img_wrap(&high.image, VPX_IMG_FMT_I420, width, height, 1, bytes) ||
        !vpx_img_alloc(&low.image, VPX_IMG_FMT_I420, kLowWidth, kLowHeight, 32))
        fail("no memory");

    for (long long index = 0; index < limit && fgets(line, sizeof line, clip); index++) {
        if (strncmp(line, "FRAME", 5) != 0 || fread(bytes, 1, frame_size, clip) != frame_size)
            fail("frame %lld is damaged", index);
        encode(&high, index);
        if (index % kDecimation == 0) {
            scale_to_low(&high.image, &low.image);
            encode(&low, index / kDecimation);
        }
    }
    if (output && fclose(output) != 0) fail("%s cannot be written", arguments[6]);
    printf("coded high=%llu low=%llu\n", high.coded_bytes, low.coded_bytes);
    vpx_codec_destroy(&high.codec);
    vpx_codec_destroy(&low.codec);
    vpx_img_free(&low.image);
    free(bytes);
    fclose(clip);
    return 0;
}
