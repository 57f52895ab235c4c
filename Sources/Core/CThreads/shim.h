// What pthreads and Linux offer a thread beyond what Swift's Glibc module shows: GNU extensions, variadic calls, and calls
// that glibc does not have.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int pthread_setname_np(pthread_t thread, const char *name);

/// How much later than asked the kernel may wake the calling thread, so as to wake it together with others.
static inline int CThreads_set_timer_slack(unsigned long nanoseconds) {
    return prctl(PR_SET_TIMERSLACK, nanoseconds, 0, 0, 0);
}

/// The kernel's `struct sched_attr` as of its first version; glibc has it since 2.41 only.
struct CThreads_scheduling {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime;
    uint64_t deadline;
    uint64_t period;
};

/// How long a turn the calling thread asks for, where it shares its CPU by the system's ordinary policy: of threads that
/// wait alike the one with the shortest goes first (EEVDF; Linux 6.12 and later heed it).
static inline int CThreads_set_time_slice(uint64_t nanoseconds) {
    struct CThreads_scheduling scheduling = {0};
    if (syscall(SYS_sched_getattr, 0, &scheduling, sizeof scheduling, 0) != 0) return -1;
    // Whoever asked for another policy wants that.
    if (scheduling.policy != SCHED_OTHER) return 0;
    scheduling.size = sizeof scheduling;
    scheduling.runtime = nanoseconds;
    return (int)syscall(SYS_sched_setattr, 0, &scheduling, 0);
}

/// The number of CPUs that the process may use, at least 1. A mask that is too small for the machine counts all.
static inline int CThreads_usable_cpu_count(void) {
    cpu_set_t cpus;
    int count = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : (int)sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? count : 1;
}

/// Keeps the calling thread to the last CPU that it may use, or to all but that. With one CPU nothing changes.
static inline int CThreads_keep_to_last_cpu(int isLast) {
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) return -1;
    if (CPU_COUNT(&cpus) < 2) return 0;
    int last = CPU_SETSIZE - 1;
    while (!CPU_ISSET(last, &cpus)) last--;
    if (isLast) {
        CPU_ZERO(&cpus);
        CPU_SET(last, &cpus);
    } else {
        CPU_CLR(last, &cpus);
    }
    return sched_setaffinity(0, sizeof cpus, &cpus);
}
