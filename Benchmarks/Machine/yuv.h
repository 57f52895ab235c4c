// libyuv for the floors: the calls that workloads are compared with.
#pragma once

#include <libyuv/scale.h>
