// A counter of the processor for this process and the threads that it starts from here on, in user mode.
#pragma once

#include <stdint.h>

typedef enum { kPerfCycles, kPerfInstructions } PerfEvent;

// The counter's descriptor, running; -1 where the machine gives none (errno says why).
int perf_event_open_counter(PerfEvent event);

// What it has counted so far; negative where it could not be read, or did not run all the time.
int64_t perf_event_count(int descriptor);
