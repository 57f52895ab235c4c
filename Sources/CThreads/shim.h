// What pthreads and Linux offer a thread beyond what Swift's Glibc module shows: a GNU extension, and a variadic call.
#pragma once

#include <pthread.h>
#include <sys/prctl.h>

int pthread_setname_np(pthread_t thread, const char *name);

/// How much later than asked the kernel may wake the calling thread, so as to wake it together with others.
static inline int CThreads_set_timer_slack(unsigned long nanoseconds) {
    return prctl(PR_SET_TIMERSLACK, nanoseconds, 0, 0, 0);
}
