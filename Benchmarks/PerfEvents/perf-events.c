#define _GNU_SOURCE
#include "perf-events.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int perf_event_open_counter(PerfEvent event) {
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config = event == kPerfCycles ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_HW_INSTRUCTIONS;
    attributes.inherit = 1;
    // What anybody may count of processes of their own (perf_event_paranoid 2).
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    // glibc has no function for it.
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int64_t perf_event_count(int descriptor) {
    struct { uint64_t count, enabled, running; } value;
    if (read(descriptor, &value, sizeof value) != sizeof value) return -1;
    // Where more counters are wanted than the processor has they take turns, and counts are guesses.
    if (value.running != value.enabled) return -1;
    return (int64_t)value.count;
}
