// Counters of the processor for this process and the threads that it starts from here on.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef enum { CPerfEvents_cycles, CPerfEvents_instructions } CPerfEvents_event;

/// The counter's descriptor, running; -1 where the machine gives none (errno says why). Anybody may count their own user
/// mode; with the kernel's work only who is allowed to (perf_event_paranoid 1, or root).
static inline int CPerfEvents_open(CPerfEvents_event event, int withKernel) {
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config = event == CPerfEvents_cycles ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_HW_INSTRUCTIONS;
    attributes.inherit = 1;
    attributes.exclude_kernel = !withKernel;
    attributes.exclude_hv = 1;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    // glibc has no function for it.
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/// What a counter has counted so far; negative where it could not be read, or did not run all the time.
static inline int64_t CPerfEvents_count(int descriptor) {
    struct { uint64_t count, enabled, running; } value;
    if (read(descriptor, &value, sizeof value) != sizeof value) return -1;
    // Where more counters are wanted than the processor has they take turns, and counts are guesses.
    if (value.running != value.enabled) return -1;
    return (int64_t)value.count;
}

/// Lets a counter rest, of all threads that it counts; below zero where it did not.
static inline int CPerfEvents_pause(int descriptor) { return ioctl(descriptor, PERF_EVENT_IOC_DISABLE, 0); }

/// Lets it count again.
static inline int CPerfEvents_resume(int descriptor) { return ioctl(descriptor, PERF_EVENT_IOC_ENABLE, 0); }
