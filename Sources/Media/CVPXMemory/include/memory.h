#pragma once
#include <stddef.h>

// As in libvpx's vpx_mem/vpx_mem.h.
void *vpx_memalign(size_t alignment, size_t size);
void *vpx_malloc(size_t size);
void *vpx_calloc(size_t count, size_t size);
void vpx_free(void *block);
