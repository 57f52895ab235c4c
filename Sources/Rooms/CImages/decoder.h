// What the decoders of formats share.
#pragma once

#include "CImages.h"

// A decoder of one format. Its state is behind this head.
struct CImages_decoder {
    CImages_result (*read)(CImages_decoder *, uint8_t *);
    CImages_result (*finish)(CImages_decoder *);
    void (*close)(CImages_decoder *);
};

typedef CImages_decoder *CImages_opener(
    const uint8_t *bytes, size_t count, const CImages_limits *limits, CImages_header *header, CImages_result *result);

CImages_opener CImages_open_png, CImages_open_jpeg, CImages_open_webp, CImages_open_gif;

// Whether an image of that size may be decoded.
static inline CImages_result check_size(uint64_t width, uint64_t height, const CImages_limits *limits) {
    if (width == 0 || height == 0) return CImages_damaged;
    return width * height > limits->pixels ? CImages_too_large : CImages_ok;
}
