// An emulated camera, for measuring the cost of capturing. Interposed (LD_PRELOAD) between a program and the C library, it makes
// /dev/video-fake a V4L2 camera with YUYV of 1280x720 that always has a frame ready.
//
// Its buffers are in a file in memory, so that they are mapped like a camera's. One camera, one thread.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { width = 1280, height = 720, buffer_size = width * height * 2, buffer_count = 4 };

static int camera = -1;
static unsigned queue[buffer_count], queued, taken, sequence;

static int open_camera(void) {
    camera = memfd_create("fake-camera", 0);
    if (camera < 0 || ftruncate(camera, (off_t)buffer_size * buffer_count)) return -1;
    unsigned char *bytes = mmap(NULL, (size_t)buffer_size * buffer_count, PROT_WRITE, MAP_SHARED, camera, 0);
    for (size_t i = 0; i < (size_t)buffer_size * buffer_count; i++) bytes[i] = (unsigned char)(i * 2654435761u >> 24);
    munmap(bytes, (size_t)buffer_size * buffer_count);
    return camera;
}

int open(const char *path, int flags, ...) {
    static int (*next)(const char *, int, ...);
    if (!next) next = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    if (strcmp(path, "/dev/video-fake") == 0) return open_camera();
    va_list rest;
    va_start(rest, flags);
    int mode = va_arg(rest, int);
    va_end(rest);
    return next(path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int poll(struct pollfd *files, nfds_t count, int timeout) {
    static int (*next)(struct pollfd *, nfds_t, int);
    if (count == 1 && camera >= 0 && files->fd == camera) {
        files->revents = POLLIN;
        return 1;
    }
    if (!next) next = (int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");
    return next(files, count, timeout);
}

static int refuse(void) {
    errno = EINVAL;
    return -1;
}

static int dequeue(struct v4l2_buffer *buffer) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    buffer->index = queue[taken++ % buffer_count];
    buffer->bytesused = buffer_size;
    buffer->flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
    buffer->sequence = sequence++;
    buffer->timestamp.tv_sec = now.tv_sec;
    buffer->timestamp.tv_usec = now.tv_nsec / 1000;
    return 0;
}

static int settle(struct v4l2_pix_format *format) {
    format->width = width, format->height = height, format->pixelformat = V4L2_PIX_FMT_YUYV;
    format->bytesperline = 2 * width, format->sizeimage = buffer_size;
    return 0;
}

static int answer(unsigned long request, void *argument) {
    switch (request) {
    case VIDIOC_QUERYCAP: {
        struct v4l2_capability *capability = argument;
        capability->capabilities = V4L2_CAP_DEVICE_CAPS;
        capability->device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
        strcpy((char *)capability->card, "fake");
        return 0;
    }
    case VIDIOC_ENUM_FMT: {
        struct v4l2_fmtdesc *description = argument;
        description->pixelformat = V4L2_PIX_FMT_YUYV;
        return description->index == 0 ? 0 : refuse();
    }
    case VIDIOC_S_FMT: return settle(&((struct v4l2_format *)argument)->fmt.pix);
    case VIDIOC_REQBUFS: ((struct v4l2_requestbuffers *)argument)->count = buffer_count; return 0;
    case VIDIOC_QUERYBUF: {
        struct v4l2_buffer *buffer = argument;
        buffer->length = buffer_size, buffer->m.offset = buffer->index * buffer_size;
        return 0;
    }
    case VIDIOC_QBUF: queue[queued++ % buffer_count] = ((struct v4l2_buffer *)argument)->index; return 0;
    case VIDIOC_DQBUF: return dequeue(argument);
    case VIDIOC_STREAMON:
    case VIDIOC_STREAMOFF: return 0;
    default: return refuse();
    }
}

int ioctl(int descriptor, unsigned long request, ...) {
    static int (*next)(int, unsigned long, void *);
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (camera >= 0 && descriptor == camera) return answer(request, argument);
    if (!next) next = (int (*)(int, unsigned long, void *))dlsym(RTLD_NEXT, "ioctl");
    return next(descriptor, request, argument);
}
