// libsrtp for the floors: the calls that workloads are compared with.
#pragma once

#include <srtp2/srtp.h>
