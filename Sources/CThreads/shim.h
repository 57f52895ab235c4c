// A GNU extension of pthreads that Swift's Glibc module does not show.
#pragma once

#include <pthread.h>

int pthread_setname_np(pthread_t thread, const char *name);
