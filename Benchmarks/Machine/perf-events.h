// Hardware counters for this process and the threads that it starts later.
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

/// Starts a counter and returns its descriptor, or -1 if the machine has none (see errno). Every process may count its own user
/// mode; counting kernel mode needs permission (perf_event_paranoid 1, or root).
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
    // glibc has no wrapper for this system call.
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/// The count so far; negative if it could not be read, or the counter did not run all the time.
static inline int64_t CPerfEvents_count(int descriptor) {
    struct { uint64_t count, enabled, running; } value;
    if (read(descriptor, &value, sizeof value) != sizeof value) return -1;
    // If there are more counters than the processor has, they are multiplexed, and counts are estimates.
    if (value.running != value.enabled) return -1;
    return (int64_t)value.count;
}

/// Pauses a counter for all its threads; negative if that failed.
static inline int CPerfEvents_pause(int descriptor) { return ioctl(descriptor, PERF_EVENT_IOC_DISABLE, 0); }

/// Resumes a counter.
static inline int CPerfEvents_resume(int descriptor) { return ioctl(descriptor, PERF_EVENT_IOC_ENABLE, 0); }
