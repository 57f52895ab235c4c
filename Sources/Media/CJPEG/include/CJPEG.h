// libjpeg for Swift: its calls that may fail, each as one that returns.
//
// libjpeg leaves a call that cannot go on with longjmp, which must not cross a Swift frame: here each call catches it and
// says so. Nothing is printed; damage that libjpeg gets over is counted.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct CJPEG_decoder CJPEG_decoder;

// Components of a picture, and rows of each that one call gives, at the most.
enum { CJPEG_maximum_components = 3, CJPEG_maximum_rows = 16 };

// What the header of a picture says.
typedef struct {
    uint32_t width, height;
    // 1 for grey, 3 for Y, Cb and Cr; other kinds are refused.
    int component_count;
    // How many samples each component has for every `maximum` ones: 2, 1, 1 for chroma of half the width. All are 1 or 2.
    int horizontal[CJPEG_maximum_components], vertical[CJPEG_maximum_components];
    int maximum_horizontal, maximum_vertical;
} CJPEG_header;

// What is known of a picture's coded data.
typedef enum {
    // Nothing: everything that libjpeg warns of is damage.
    CJPEG_unchecked,
    // All blocks are there. Warnings of bytes around them do not count, nor do the numbers of restart markers.
    CJPEG_whole,
    // The same, without the restart markers that the header announces.
    CJPEG_whole_without_restarts
} CJPEG_scan;

// NULL where there is no memory.
CJPEG_decoder *CJPEG_create(void);
void CJPEG_destroy(CJPEG_decoder *decoder);

// Begins a picture; `bytes` must stay until its end. False where it is none, or of a kind that is not decoded.
bool CJPEG_begin(CJPEG_decoder *decoder, const uint8_t *bytes, size_t count, CJPEG_scan scan, CJPEG_header *header);

// Decodes the next row of blocks: 8 * vertical[c] rows of samples of each component `c`, to `rows[c]`, each with room for
// whole blocks. False where the decoder gives up.
bool CJPEG_read(CJPEG_decoder *decoder, uint8_t **const rows[CJPEG_maximum_components]);

// Reads on to the picture's end. False where the decoder gives up.
bool CJPEG_finish(CJPEG_decoder *decoder);

// Ends a picture that is not read on.
void CJPEG_abort(CJPEG_decoder *decoder);

// Damage that was met since the picture began.
long CJPEG_warning_count(const CJPEG_decoder *decoder);
