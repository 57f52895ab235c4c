#ifdef RILL_SERVER
#include "decoder.h"

#include <stdio.h>
#include <stdlib.h>

#include <png.h>

CImages_decoder *CImages_open(
    CImages_format format, const uint8_t *bytes, size_t count, const CImages_limits *limits, CImages_header *header,
    CImages_result *result
) {
    *result = CImages_damaged;
    switch (format) {
    case CImages_png: return CImages_open_png(bytes, count, limits, header, result);
    case CImages_jpeg: return CImages_open_jpeg(bytes, count, limits, header, result);
    case CImages_webp: return CImages_open_webp(bytes, count, limits, header, result);
    case CImages_gif: return CImages_open_gif(bytes, count, limits, header, result);
    }
    return NULL;
}

CImages_result CImages_read(CImages_decoder *decoder, uint8_t *row) { return decoder->read(decoder, row); }
CImages_result CImages_finish(CImages_decoder *decoder) { return decoder->finish(decoder); }
void CImages_close(CImages_decoder *decoder) { decoder->close(decoder); }

uint8_t *CImages_write_jpeg(const uint8_t *pixels, uint32_t width, uint32_t height, size_t *count);

static uint8_t *write_png(const uint8_t *pixels, uint32_t width, uint32_t height, size_t *count) {
    png_image image = {.version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_RGBA};
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    uint8_t *bytes = malloc(size);
    if (!bytes) return NULL;
    if (!png_image_write_to_memory(&image, bytes, &size, 0, pixels, 0, NULL)) {
        free(bytes);
        return NULL;
    }
    *count = size;
    return bytes;
}

uint8_t *CImages_write(CImages_format format, const uint8_t *pixels, uint32_t width, uint32_t height, size_t *count) {
    return format == CImages_jpeg ? CImages_write_jpeg(pixels, width, height, count)
                                  : write_png(pixels, width, height, count);
}

void CImages_free(uint8_t *bytes) { free(bytes); }
#endif
