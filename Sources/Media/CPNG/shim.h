// libpng for Swift: the simplified API, and names for the macros that Swift cannot see.
#pragma once

#include <png.h>
#include <string.h>

static const png_uint_32 CPNG_format_rgb = PNG_FORMAT_RGB;
static const png_uint_32 CPNG_image_version = PNG_IMAGE_VERSION;

// The most bytes that the file of such an image can have.
static inline png_alloc_size_t CPNG_image_size_max(const png_image *image) { return PNG_IMAGE_PNG_SIZE_MAX(*image); }
static inline const char *CPNG_image_message(const png_image *image) { return image->message; }
