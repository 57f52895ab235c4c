// libpng for Swift: the simplified API, and names for the macros that Swift cannot see.
#pragma once

#include <png.h>
#include <string.h>

static const png_uint_32 CPNG_format_rgb = PNG_FORMAT_RGB;
static const png_uint_32 CPNG_image_version = PNG_IMAGE_VERSION;
