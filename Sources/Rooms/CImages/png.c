#ifdef RILL_SERVER
#include "decoder.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

typedef struct {
    CImages_decoder head;
    png_structp png;
    png_infop info;
    const uint8_t *bytes;
    size_t count, position;
    uint32_t width, height, row;
    // All pixels of an interlaced image, whose rows come in seven passes.
    uint8_t *pixels;
    jmp_buf escape;
} decoder;

static void leave(png_structp png, png_const_charp message) {
    (void)message;
    longjmp(((decoder *)png_get_error_ptr(png))->escape, 1);
}

static void stay_silent(png_structp png, png_const_charp message) { (void)png, (void)message; }

static void take(png_structp png, png_bytep bytes, size_t count) {
    decoder *self = png_get_io_ptr(png);
    if (count > self->count - self->position) png_error(png, "the file ends early");
    memcpy(bytes, self->bytes + self->position, count);
    self->position += count;
}

static void close_png(CImages_decoder *head) {
    decoder *self = (decoder *)head;
    png_destroy_read_struct(&self->png, &self->info, NULL);
    free(self->pixels);
    free(self);
}

static CImages_result read_png(CImages_decoder *head, uint8_t *row) {
    decoder *self = (decoder *)head;
    if (self->row >= self->height) return CImages_damaged;
    size_t length = (size_t)self->width * 4;
    if (setjmp(self->escape)) return CImages_damaged;
    if (self->pixels) {
        if (self->row == 0)
            for (int pass = 0; pass < PNG_INTERLACE_ADAM7_PASSES; pass++)
                for (uint32_t y = 0; y < self->height; y++) png_read_row(self->png, self->pixels + y * length, NULL);
        memcpy(row, self->pixels + self->row * length, length);
    } else {
        png_read_row(self->png, row, NULL);
    }
    self->row++;
    return CImages_ok;
}

static CImages_result finish_png(CImages_decoder *head) {
    decoder *self = (decoder *)head;
    if (setjmp(self->escape)) return CImages_damaged;
    png_read_end(self->png, NULL);
    return CImages_ok;
}

// Reads up to the first pixels. Everything becomes 8 bits of red, green, blue and alpha.
static CImages_result begin(decoder *self, const CImages_limits *limits, CImages_header *header) {
    if (setjmp(self->escape)) return CImages_damaged;
    png_structp png = self->png;
    // Chunks that nobody needs are checked as well: other decoders refuse an image for them.
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_user_limits(png, 0x7FFFFFFF, 0x7FFFFFFF);
    png_set_chunk_malloc_max(png, 4 << 20);
    png_set_read_fn(png, self, take);
    png_read_info(png, self->info);
    uint32_t width = self->width = png_get_image_width(png, self->info);
    uint32_t height = self->height = png_get_image_height(png, self->info);
    CImages_result size = check_size(width, height, limits);
    if (size != CImages_ok) return size;
    bool has_transparency = png_get_valid(png, self->info, PNG_INFO_tRNS);
    bool has_alpha = (png_get_color_type(png, self->info) & PNG_COLOR_MASK_ALPHA) || has_transparency;
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 0xFF, PNG_FILLER_AFTER);
    bool is_interlaced = png_set_interlace_handling(png) > 1;
    png_read_update_info(png, self->info);
    if (png_get_rowbytes(png, self->info) != (size_t)width * 4) return CImages_unsupported;
    if (is_interlaced) {
        if ((uint64_t)width * height * 4 > limits->memory) return CImages_too_large;
        self->pixels = calloc((size_t)width * height, 4);
        if (!self->pixels) return CImages_no_memory;
    }
    *header = (CImages_header){width, height, width, height, has_alpha};
    return CImages_ok;
}

CImages_decoder *CImages_open_png(
    const uint8_t *bytes, size_t count, const CImages_limits *limits, CImages_header *header, CImages_result *result
) {
    decoder *self = calloc(1, sizeof *self);
    *result = CImages_no_memory;
    if (!self) return NULL;
    self->head = (CImages_decoder){read_png, finish_png, close_png};
    self->bytes = bytes;
    self->count = count;
    if (setjmp(self->escape) == 0) {
        self->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, self, leave, stay_silent);
        if (self->png) self->info = png_create_info_struct(self->png);
        if (self->info) *result = begin(self, limits, header);
    }
    if (*result == CImages_ok) return &self->head;
    close_png(&self->head);
    return NULL;
}
#endif
