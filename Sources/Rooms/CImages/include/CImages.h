// libpng, libjpeg, libwebp and giflib for Swift: a still image, row by row, of bytes that anybody may have made.
//
// libpng and libjpeg leave a call that cannot go on with longjmp, which must not cross a Swift frame: here each call catches
// it and says so. Nothing is printed. Dimensions are checked before memory for pixels is taken. Animations are decoded to
// their end, and their first frame is the image.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct CImages_decoder CImages_decoder;

typedef enum { CImages_png, CImages_jpeg, CImages_webp, CImages_gif } CImages_format;

typedef enum {
    CImages_ok,
    // Bytes that are no image of that format, or one with missing or wrong ones.
    CImages_damaged,
    // More pixels or frames than the limits allow, or more memory.
    CImages_too_large,
    // A kind of image that browsers do not show.
    CImages_unsupported,
    // The system has no memory.
    CImages_no_memory
} CImages_result;

typedef struct {
    // Pixels of the image, and of all frames of an animation together.
    uint64_t pixels, total_pixels;
    // Frames of an animation.
    uint32_t frames;
    // Bytes of memory beside the image's own.
    size_t memory;
    // Where the longer side is longer than this, a decoder that can do so gives smaller rows, whose longer side has at
    // least this size.
    uint32_t side;
} CImages_limits;

typedef struct {
    // The size in pixels.
    uint32_t width, height;
    // The size of what is read: width and height, or smaller ones.
    uint32_t row_width, row_count;
    bool has_alpha;
} CImages_header;

// Begins an image; `bytes` must stay until it is closed. NULL where it is not begun, and `result` says why.
CImages_decoder *CImages_open(
    CImages_format format, const uint8_t *bytes, size_t count, const CImages_limits *limits, CImages_header *header,
    CImages_result *result);

// Reads the next row: red, green, blue and alpha of each pixel, not premultiplied. At most row_count times.
CImages_result CImages_read(CImages_decoder *decoder, uint8_t *row);

// Reads on to the end of the file, after all rows.
CImages_result CImages_finish(CImages_decoder *decoder);

void CImages_close(CImages_decoder *decoder);

// Writes a picture of four bytes a pixel as JPEG, without its alpha, or as PNG. Returns the bytes, which CImages_free frees,
// or NULL.
uint8_t *CImages_write(CImages_format format, const uint8_t *pixels, uint32_t width, uint32_t height, size_t *count);
void CImages_free(uint8_t *bytes);
