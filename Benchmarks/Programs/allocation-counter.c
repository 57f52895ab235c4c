// Counts a program's allocations: a library for LD_PRELOAD that replaces malloc and related functions.
//
//     cc -O2 -shared -fPIC -o allocation-counter.so allocation-counter.c
//     ALLOCATIONS_TO=counts.txt LD_PRELOAD=./allocation-counter.so program
//
// When the program ends, the file has one line `calls N bytes N frees N`. With ALLOCATIONS_BY_ORIGIN=1, one line follows for
// each call stack that allocated: `N calls N bytes: module+0xoffset module+0xoffset …`, innermost first.
//
// realloc counts as a call unless it is a free. Needs glibc, whose functions (__libc_malloc …) do the work: they are available
// from the program's first instruction, while looking up malloc would allocate.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

// Frames to skip: trace, count and the allocation function itself.
enum { kSkipped = 3, kMaxDepth = 24, kStackCapacity = 1 << 15 };

typedef struct {
    uint64_t calls, bytes;
    int depth;
    uintptr_t frames[kMaxDepth];
} Stack;

static atomic_ullong calls, bytes, frees;
static atomic_bool is_tracing, is_off;
static pthread_mutex_t stacks_lock = PTHREAD_MUTEX_INITIALIZER;
static Stack stacks[kStackCapacity]; // a hash table with open addressing; pages never touched take no memory
static uint64_t untraced_calls;
// Set while the counter itself allocates, which does not count: the unwinder does, once per thread.
static __thread int is_inside __attribute__((tls_model("initial-exec")));

static __attribute__((noinline)) void trace(size_t size) {
    void *frames[kSkipped + kMaxDepth];
    int depth = backtrace(frames, kSkipped + kMaxDepth);
    Stack found = {.depth = depth > kSkipped ? depth - kSkipped : 0};
    // An address inside of the call, not after it.
    for (int index = 0; index < found.depth; index++) found.frames[index] = (uintptr_t)frames[kSkipped + index] - 1;
    uint64_t hash = 14695981039346656037u;
    for (int index = 0; index < found.depth; index++) hash = (hash ^ found.frames[index]) * 1099511628211u;

    pthread_mutex_lock(&stacks_lock);
    for (int probe = 0;; probe++) {
        Stack *stack = &stacks[(hash + probe) % kStackCapacity];
        int is_same = stack->calls > 0 && stack->depth == found.depth &&
                      memcmp(stack->frames, found.frames, sizeof found.frames) == 0;
        if (stack->calls == 0) *stack = found;
        if (stack->calls == 0 || is_same) {
            stack->calls++;
            stack->bytes += size;
            break;
        }
        if (probe == kStackCapacity) {
            untraced_calls++;
            break;
        }
    }
    pthread_mutex_unlock(&stacks_lock);
}

static __attribute__((noinline)) void count(size_t size) {
    if (is_inside || atomic_load_explicit(&is_off, memory_order_relaxed)) return;
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed);
    if (!atomic_load_explicit(&is_tracing, memory_order_relaxed)) return;
    is_inside = 1;
    trace(size);
    is_inside = 0;
}

// For a program that wants only some of its work counted, and finds this by dlsym.
void set_counting_allocations(int is_on) { atomic_store(&is_off, !is_on); }

void *malloc(size_t size) {
    count(size);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(number * size);
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    if (memory == NULL || size > 0) count(size);
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    count(size);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count(size);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    count(size);
    void *found = __libc_memalign(alignment, size);
    if (found == NULL) return ENOMEM;
    *memory = found;
    return 0;
}

void free(void *memory) {
    if (memory != NULL && !is_inside) atomic_fetch_add_explicit(&frees, 1, memory_order_relaxed);
    __libc_free(memory);
}

static __attribute__((constructor)) void begin(void) {
    const char *wanted = getenv("ALLOCATIONS_BY_ORIGIN");
    atomic_store(&is_tracing, wanted != NULL && strcmp(wanted, "1") == 0);
}

static void write_frame(FILE *file, uintptr_t address) {
    Dl_info info;
    if (dladdr((void *)address, &info) != 0 && info.dli_fname != NULL)
        fprintf(file, " %s+0x%zx", info.dli_fname, address - (uintptr_t)info.dli_fbase);
    else
        fprintf(file, " ?+0x%zx", address);
}

static __attribute__((destructor)) void end(void) {
    is_inside = 1;
    const char *path = getenv("ALLOCATIONS_TO");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file == NULL) {
        fprintf(stderr, "allocation-counter: ALLOCATIONS_TO is not a writable file\n");
        return;
    }
    fprintf(file, "calls %llu bytes %llu frees %llu\n", atomic_load(&calls), atomic_load(&bytes), atomic_load(&frees));
    for (int index = 0; index < kStackCapacity; index++) {
        if (stacks[index].calls == 0) continue;
        fprintf(file, "%llu calls %llu bytes:", (unsigned long long)stacks[index].calls,
                (unsigned long long)stacks[index].bytes);
        for (int depth = 0; depth < stacks[index].depth; depth++) write_frame(file, stacks[index].frames[depth]);
        fputc('\n', file);
    }
    if (untraced_calls > 0) fprintf(file, "%llu calls 0 bytes: ?\n", (unsigned long long)untraced_calls);
    fclose(file);
}
