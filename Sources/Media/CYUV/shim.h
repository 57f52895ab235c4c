// libyuv for Swift: the C headers of the calls that Rill makes.
#pragma once

#include <libyuv/compare.h>
#include <libyuv/convert.h>
#include <libyuv/planar_functions.h>
#include <libyuv/rotate.h>
#include <libyuv/scale.h>
