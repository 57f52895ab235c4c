// libyuv for the floors: direct calls that workloads are compared with.
#pragma once

#include <libyuv/scale.h>
