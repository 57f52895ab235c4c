// The machine's own wake-up latency: a thread sleeps until a frame would be due and wakes a second one, as capture wakes an
// encoder, and neither does any work. A call's latency is compared with it.
//
//     wake-probe FRAMES
//
// Prints a line for each frame, 30 per second, in nanoseconds: when it was due, when the first thread woke, and the second.
#include "../../Sources/Core/CThreads/shim.h"
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static sem_t handed;
static long count;
static long long (*wakes)[3];

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

// The settings of Rill's threads: immediate wake-up, short time slices, a separate hardware thread.
static void settle(int is_last) {
    CThreads_set_timer_slack(1);
    CThreads_set_time_slice(100000);
    CThreads_keep_to_last_cpu(is_last);
}

static void *second(void *unused) {
    settle(1);
    for (long i = 0; i < count; i++) {
        while (sem_wait(&handed) != 0) {}
        wakes[i][2] = now();
    }
    return unused;
}

int main(int argc, char **words) {
    count = argc > 1 ? atol(words[1]) : 0;
    wakes = calloc(count > 0 ? count : 1, sizeof *wakes);
    pthread_t thread;
    if (count < 1 || wakes == NULL || sem_init(&handed, 0, 0) != 0 || pthread_create(&thread, NULL, second, NULL) != 0)
        return 1;
    settle(0);
    long long start = now();
    for (long i = 0; i < count; i++) {
        wakes[i][0] = start + (i + 1) * 1000000000ll / 30;
        struct timespec due = {wakes[i][0] / 1000000000, wakes[i][0] % 1000000000};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) != 0) {}
        wakes[i][1] = now();
        sem_post(&handed);
    }
    pthread_join(thread, NULL);
    for (long i = 0; i < count; i++) printf("%lld %lld %lld\n", wakes[i][0], wakes[i][1], wakes[i][2]);
    return 0;
}
