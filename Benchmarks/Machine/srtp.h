// libsrtp for the floors: direct calls that workloads are compared with.
#pragma once

#include <srtp2/srtp.h>
