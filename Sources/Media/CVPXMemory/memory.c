// The functions by which libvpx's other members ask for memory, in the place of its own: of what has to be zero, large blocks
// are mapped and not written, so that a page that the codec never uses is never there. libvpx writes zeros to all of it: at
// 1280x720 a VP8 encoder then holds 21 MiB for the most tokens that a picture can have, and uses two.
//
// They are those of libvpx 1.12 and later (vpx_mem/vpx_mem.h). A libvpx.a that has others beside them brings its own, and
// the linker then says that there are two.
#include "memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

// What stands right before a block.
struct origin {
    void *start;
    // 0: `start` is malloc's.
    size_t mapped_size;
};

static const size_t default_alignment = 2 * sizeof(void *);
// From here on a mapping's rounding to pages does not matter.
static const size_t least_mapped_size = 1 << 20;

static void *block_in(void *start, size_t mapped_size, size_t alignment) {
    uintptr_t address = (uintptr_t)start + sizeof(struct origin) + alignment - 1;
    void *block = (void *)(address - address % alignment);
    ((struct origin *)block)[-1] = (struct origin){start, mapped_size};
    return block;
}

// With what stands before the block; 0 if no machine has so much.
static size_t total_size(size_t size, size_t alignment) {
    size_t total;
    if (__builtin_add_overflow(size, sizeof(struct origin) + alignment - 1, &total)) return 0;
    return total <= PTRDIFF_MAX ? total : 0;
}

void *vpx_memalign(size_t alignment, size_t size) {
    if (alignment < default_alignment) alignment = default_alignment;
    size_t total = total_size(size, alignment);
    if (total == 0) return NULL;
    void *start = malloc(total);
    return start == NULL ? NULL : block_in(start, 0, alignment);
}

void *vpx_malloc(size_t size) { return vpx_memalign(default_alignment, size); }

void *vpx_calloc(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
    size_t total = total_size(bytes, default_alignment);
    if (total == 0) return NULL;
    if (total < least_mapped_size) {
        void *start = calloc(1, total);
        return start == NULL ? NULL : block_in(start, 0, default_alignment);
    }
    void *start = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return start == MAP_FAILED ? NULL : block_in(start, total, default_alignment);
}

void vpx_free(void *block) {
    if (block == NULL) return;
    struct origin origin = ((struct origin *)block)[-1];
    if (origin.mapped_size == 0) {
        free(origin.start);
    } else {
        munmap(origin.start, origin.mapped_size);
    }
}
