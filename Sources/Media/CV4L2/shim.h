// V4L2 for Swift: the kernel's headers, and names for the macros and the variadic call that Swift cannot see.
#pragma once

#include <linux/netlink.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>

static const unsigned long CV4L2_QUERYCAP = VIDIOC_QUERYCAP;
static const unsigned long CV4L2_ENUM_FMT = VIDIOC_ENUM_FMT;
static const unsigned long CV4L2_ENUM_FRAMESIZES = VIDIOC_ENUM_FRAMESIZES;
static const unsigned long CV4L2_ENUM_FRAMEINTERVALS = VIDIOC_ENUM_FRAMEINTERVALS;
static const unsigned long CV4L2_G_FMT = VIDIOC_G_FMT;
static const unsigned long CV4L2_S_FMT = VIDIOC_S_FMT;
static const unsigned long CV4L2_G_PARM = VIDIOC_G_PARM;
static const unsigned long CV4L2_S_PARM = VIDIOC_S_PARM;
static const unsigned long CV4L2_REQBUFS = VIDIOC_REQBUFS;
static const unsigned long CV4L2_QUERYBUF = VIDIOC_QUERYBUF;
static const unsigned long CV4L2_QBUF = VIDIOC_QBUF;
static const unsigned long CV4L2_DQBUF = VIDIOC_DQBUF;
static const unsigned long CV4L2_STREAMON = VIDIOC_STREAMON;
static const unsigned long CV4L2_STREAMOFF = VIDIOC_STREAMOFF;
static const unsigned long CV4L2_QUERYCTRL = VIDIOC_QUERYCTRL;
static const unsigned long CV4L2_QUERYMENU = VIDIOC_QUERYMENU;
static const unsigned long CV4L2_G_CTRL = VIDIOC_G_CTRL;
static const unsigned long CV4L2_S_CTRL = VIDIOC_S_CTRL;

// `argument` points to what the request takes. -1, with errno set, where it fails.
static inline int CV4L2_ioctl(int descriptor, unsigned long request, void *argument) {
    return ioctl(descriptor, request, argument);
}
