#ifdef RILL_SERVER
#include "decoder.h"

#include <stdlib.h>
#include <string.h>

#include <webp/decode.h>
#include <webp/demux.h>

typedef struct {
    CImages_decoder head;
    WebPDemuxer *demuxer;
    CImages_limits limits;
    // The first frame, made smaller, in its place on the canvas.
    uint8_t *pixels;
    uint32_t width, height, row_width, row_count, row;
} decoder;

static void close_webp(CImages_decoder *head) {
    decoder *self = (decoder *)head;
    WebPDemuxDelete(self->demuxer);
    free(self->pixels);
    free(self);
}

// Decodes a frame to a buffer of that size.
static CImages_result decode(
    const WebPIterator *frame, uint8_t *pixels, uint32_t width, uint32_t height, size_t stride, size_t size,
    size_t memory
) {
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) return CImages_unsupported;
    if (WebPGetFeatures(frame->fragment.bytes, frame->fragment.size, &config.input) != VP8_STATUS_OK)
        return CImages_damaged;
    if (config.input.width != frame->width || config.input.height != frame->height) return CImages_damaged;
    // A lossless one has four bytes a pixel in memory, and a lossy one with alpha its alpha.
    if (config.input.format != 1 && (uint64_t)frame->width * frame->height * 4 > memory) return CImages_too_large;
    config.options.use_scaling = 1;
    config.options.scaled_width = (int)width;
    config.options.scaled_height = (int)height;
    config.output.colorspace = MODE_RGBA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = pixels;
    config.output.u.RGBA.stride = (int)stride;
    config.output.u.RGBA.size = size;
    VP8StatusCode status = WebPDecode(frame->fragment.bytes, frame->fragment.size, &config);
    WebPFreeDecBuffer(&config.output);
    if (status == VP8_STATUS_OUT_OF_MEMORY) return CImages_no_memory;
    return status == VP8_STATUS_OK ? CImages_ok : CImages_damaged;
}

// A length of the canvas in what is read.
static uint32_t scaled(uint32_t length, uint32_t to, uint32_t of) {
    uint64_t value = (uint64_t)length * to / of;
    return value == 0 ? 1 : (uint32_t)value;
}

static CImages_result read_first(decoder *self) {
    WebPIterator frame;
    if (!WebPDemuxGetFrame(self->demuxer, 1, &frame)) return CImages_damaged;
    size_t stride = (size_t)self->row_width * 4;
    uint32_t width = scaled((uint32_t)frame.width, self->row_width, self->width);
    uint32_t height = scaled((uint32_t)frame.height, self->row_count, self->height);
    uint32_t x = (uint32_t)((uint64_t)frame.x_offset * self->row_width / self->width);
    uint32_t y = (uint32_t)((uint64_t)frame.y_offset * self->row_count / self->height);
    CImages_result result = CImages_damaged;
    if (x + width <= self->row_width && y + height <= self->row_count) {
        size_t start = y * stride + (size_t)x * 4;
        result = decode(
            &frame, self->pixels + start, width, height, stride, stride * self->row_count - start,
            self->limits.memory);
    }
    WebPDemuxReleaseIterator(&frame);
    return result;
}

static CImages_result read_webp(CImages_decoder *head, uint8_t *row) {
    decoder *self = (decoder *)head;
    if (self->row >= self->row_count) return CImages_damaged;
    size_t stride = (size_t)self->row_width * 4;
    memcpy(row, self->pixels + stride * self->row++, stride);
    return CImages_ok;
}

// Decodes the other frames, for errors, to a few pixels.
static CImages_result finish_webp(CImages_decoder *head) {
    decoder *self = (decoder *)head;
    uint32_t count = WebPDemuxGetI(self->demuxer, WEBP_FF_FRAME_COUNT);
    if (count > self->limits.frames) return CImages_too_large;
    uint64_t total = 0;
    for (uint32_t number = 1; number <= count; number++) {
        WebPIterator frame;
        if (!WebPDemuxGetFrame(self->demuxer, (int)number, &frame)) return CImages_damaged;
        total += (uint64_t)frame.width * (uint64_t)frame.height;
        CImages_result result = total > self->limits.total_pixels ? CImages_too_large : CImages_ok;
        uint8_t pixels[16 * 16 * 4];
        if (result == CImages_ok && number > 1) {
            uint32_t width = frame.width < 16 ? (uint32_t)frame.width : 16;
            uint32_t height = frame.height < 16 ? (uint32_t)frame.height : 16;
            result = decode(&frame, pixels, width, height, 16 * 4, sizeof pixels, self->limits.memory);
        }
        WebPDemuxReleaseIterator(&frame);
        if (result != CImages_ok) return result;
    }
    return CImages_ok;
}

static CImages_result begin(
    decoder *self, const uint8_t *bytes, size_t count, const CImages_limits *limits, CImages_header *header
) {
    WebPData data = {bytes, count};
    // NULL for a file that is cut short, too.
    self->demuxer = WebPDemux(&data);
    if (!self->demuxer) return CImages_damaged;
    uint32_t width = self->width = WebPDemuxGetI(self->demuxer, WEBP_FF_CANVAS_WIDTH);
    uint32_t height = self->height = WebPDemuxGetI(self->demuxer, WEBP_FF_CANVAS_HEIGHT);
    CImages_result size = check_size(width, height, limits);
    if (size != CImages_ok) return size;
    uint32_t longest = width > height ? width : height;
    uint32_t side = longest < limits->side ? longest : limits->side;
    self->row_width = scaled(width, side, longest);
    self->row_count = scaled(height, side, longest);
    self->pixels = calloc((size_t)self->row_width * self->row_count, 4);
    if (!self->pixels) return CImages_no_memory;
    bool has_alpha = WebPDemuxGetI(self->demuxer, WEBP_FF_FORMAT_FLAGS) & (ALPHA_FLAG | ANIMATION_FLAG);
    *header = (CImages_header){width, height, self->row_width, self->row_count, has_alpha};
    return read_first(self);
}

CImages_decoder *CImages_open_webp(
    const uint8_t *bytes, size_t count, const CImages_limits *limits, CImages_header *header, CImages_result *result
) {
    decoder *self = calloc(1, sizeof *self);
    *result = CImages_no_memory;
    if (!self) return NULL;
    self->head = (CImages_decoder){read_webp, finish_webp, close_webp};
    self->limits = *limits;
    *result = begin(self, bytes, count, limits, header);
    if (*result == CImages_ok) return &self->head;
    close_webp(&self->head);
    return NULL;
}
#endif
