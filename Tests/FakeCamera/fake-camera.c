// A V4L2 camera inside one process: preloaded, /dev/video0 is a camera that plays prepared buffers.
//
//   cc -shared -fPIC -O2 -o fake-camera.so fake-camera.c -ldl
//   LD_PRELOAD=./fake-camera.so FAKE_CAMERA_FRAMES=frames.bin rill record /dev/video0 out.y4m
//
// FAKE_CAMERA_FRAMES  the buffers, played in a loop: a length of 32 bits, then as many bytes, and so on
// FAKE_CAMERA_FORMAT  a FourCC (default: MJPG)
// FAKE_CAMERA_SIZE    as 640x480 (default)
// FAKE_CAMERA_RATE    frames per second (default: 30)
// FAKE_CAMERA_OFFERS  further modes that it offers, as YUYV:320x240@15, separated by commas
// FAKE_CAMERA_NAME    what it calls itself
// FAKE_CAMERA_NODES   a folder that is shown for /sys/class/video4linux: with a file video0 in it, the camera is found
// FAKE_CAMERA_QUIRKS  habits of real drivers, separated by commas; some take a number, as in error_every=5
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { maximum_offers = 64, maximum_buffers = 32 };

struct mode {
    uint32_t format;
    int width, height, rate;
};

static struct mode current, offers[maximum_offers];
static int offer_count;
// The device is a timer that expires with each frame, so that poll() works. Its buffers are a file in memory.
static int device = -1, memory = -1;
static bool is_streaming;
static unsigned char *buffers;
static size_t buffer_size;
static int buffer_count;
// The buffers that the driver has, in order.
static int queued[maximum_buffers], queued_count;
static uint32_t sequence;
static int dequeued_count;
static unsigned char *frames;
static size_t frames_size, frames_position;

// MARK: Settings

static const char *setting(const char *name, const char *usual) {
    const char *value = getenv(name);
    return value ? value : usual;
}

// What follows a quirk's name; NULL if the camera does not have it.
static const char *quirk_text(const char *name) {
    const char *quirks = setting("FAKE_CAMERA_QUIRKS", "");
    size_t length = strlen(name);
    for (const char *at = quirks; (at = strstr(at, name)); at += length) {
        bool is_whole = (at == quirks || at[-1] == ',') && strchr(",=", at[length]);
        if (is_whole) return at + length;
    }
    return NULL;
}

static bool has(const char *quirk) { return quirk_text(quirk) != NULL; }

// The number of a quirk; 0 if the camera does not have it.
static int number_of(const char *quirk, int usual) {
    const char *text = quirk_text(quirk);
    if (!text) return 0;
    return *text == '=' ? atoi(text + 1) : usual;
}

static uint32_t fourcc(const char *text) { return v4l2_fourcc(text[0], text[1], text[2], text[3]); }

static void read_frames(void) {
    const char *path = getenv("FAKE_CAMERA_FRAMES");
    int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0) : -1;
    if (file < 0) return;
    frames_size = lseek(file, 0, SEEK_END);
    frames = malloc(frames_size);
    if (pread(file, frames, frames_size, 0) != (ssize_t)frames_size) frames_size = 0;
    close(file);
}

static void read_settings(void) {
    if (current.format) return;
    current = (struct mode){fourcc(setting("FAKE_CAMERA_FORMAT", "MJPG")), 640, 480, atoi(setting("FAKE_CAMERA_RATE", "30"))};
    sscanf(setting("FAKE_CAMERA_SIZE", "640x480"), "%dx%d", &current.width, &current.height);
    offers[offer_count++] = current;
    char *list = strdup(setting("FAKE_CAMERA_OFFERS", ""));
    for (char *text = strtok(list, ","); text && offer_count < maximum_offers; text = strtok(NULL, ",")) {
        struct mode mode;
        char format[5] = "";
        if (sscanf(text, "%4[^:]:%dx%d@%d", format, &mode.width, &mode.height, &mode.rate) != 4) continue;
        mode.format = fourcc(format);
        offers[offer_count++] = mode;
    }
    free(list);
    read_frames();
}

// MARK: Requests

static int refuse(int code) {
    errno = code;
    return -1;
}

static int query_capabilities(struct v4l2_capability *answer) {
    bool is_loopback = has("loopback");
    memset(answer, 0, sizeof *answer);
    strcpy((char *)answer->driver, is_loopback ? "v4l2 loopback" : "uvcvideo");
    snprintf((char *)answer->card, sizeof answer->card, "%s", setting("FAKE_CAMERA_NAME", "Fake: Fake"));
    strcpy((char *)answer->bus_info, "usb-0000:00:14.0-1");
    answer->device_caps = V4L2_CAP_STREAMING | (has("metadata") ? V4L2_CAP_META_CAPTURE : V4L2_CAP_VIDEO_CAPTURE);
    if (is_loopback) answer->device_caps |= V4L2_CAP_VIDEO_OUTPUT | V4L2_CAP_READWRITE;
    answer->capabilities = answer->device_caps | V4L2_CAP_DEVICE_CAPS;
    return 0;
}

static int list_formats(struct v4l2_fmtdesc *entry) {
    if (has("no_formats")) return refuse(EINVAL);
    uint32_t index = 0;
    for (int i = 0; i < offer_count; i++) {
        bool is_new = true;
        for (int j = 0; j < i; j++) is_new = is_new && offers[j].format != offers[i].format;
        if (!is_new || index++ != entry->index) continue;
        entry->pixelformat = offers[i].format;
        strcpy((char *)entry->description, "a format");
        return 0;
    }
    return refuse(EINVAL);
}

static int list_sizes(struct v4l2_frmsizeenum *entry) {
    if (has("no_sizes")) return refuse(ENOTTY);
    uint32_t index = 0;
    for (int i = 0; i < offer_count; i++) {
        if (offers[i].format != entry->pixel_format || index++ != entry->index) continue;
        entry->type = V4L2_FRMSIZE_TYPE_DISCRETE;
        entry->discrete.width = offers[i].width;
        entry->discrete.height = offers[i].height;
        return 0;
    }
    return refuse(EINVAL);
}

static int list_intervals(struct v4l2_frmivalenum *entry) {
    // A list that never ends, of nothing.
    if (has("endless_intervals")) return 0;
    if (has("no_intervals") || entry->index > 0) return refuse(EINVAL);
    for (int i = 0; i < offer_count; i++) {
        bool is_same = offers[i].format == entry->pixel_format && offers[i].width == (int)entry->width
            && offers[i].height == (int)entry->height;
        if (!is_same) continue;
        entry->type = V4L2_FRMIVAL_TYPE_DISCRETE;
        entry->discrete.numerator = 1;
        entry->discrete.denominator = offers[i].rate;
        return 0;
    }
    return refuse(EINVAL);
}

static int set_format(unsigned long request, struct v4l2_format *format) {
    struct v4l2_pix_format *pix = &format->fmt.pix;
    if (has("format_busy") && request == VIDIOC_S_FMT) return refuse(EBUSY);
    if (has("format_refused")) return refuse(EINVAL);
    if (request == VIDIOC_S_FMT && !has("fixed_mode")) {
        current.format = pix->pixelformat;
        current.width = pix->width;
        current.height = pix->height;
    }
    memset(&format->fmt, 0, sizeof format->fmt);
    pix->width = current.width;
    pix->height = current.height;
    pix->pixelformat = current.format;
    pix->field = V4L2_FIELD_NONE;
    pix->bytesperline = current.format == fourcc("MJPG") || has("no_stride") ? 0 : current.width * 2;
    pix->sizeimage = buffer_size = current.width * current.height * 2 + 65536;
    pix->colorspace = has("no_colorspace") ? 0 : V4L2_COLORSPACE_SRGB;
    return 0;
}

static int set_rate(unsigned long request, struct v4l2_streamparm *parameters) {
    if (has("rate_refused") && request == VIDIOC_S_PARM) return refuse(EINVAL);
    if (has("rate_not_settable") && request == VIDIOC_S_PARM) return refuse(ENOTTY);
    if (has("no_rate")) return refuse(ENOTTY);
    memset(&parameters->parm, 0, sizeof parameters->parm);
    parameters->parm.capture.capability = V4L2_CAP_TIMEPERFRAME;
    if (has("rate_zero")) return 0;
    parameters->parm.capture.timeperframe.numerator = 1;
    parameters->parm.capture.timeperframe.denominator = current.rate;
    return 0;
}

static int request_buffers(struct v4l2_requestbuffers *request) {
    if (request->count > 0 && has("buffers")) request->count = number_of("buffers", 2);
    if (request->count > maximum_buffers) request->count = maximum_buffers;
    buffer_count = request->count;
    if (buffer_count == 0) return 0;
    if (memory >= 0) close(memory);
    memory = memfd_create("camera", MFD_CLOEXEC);
    buffer_size = (buffer_size + 4095) & ~(size_t)4095;
    if (ftruncate(memory, buffer_size * buffer_count) != 0) return -1;
    buffers = mmap(NULL, buffer_size * buffer_count, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    return 0;
}

static void stream(bool on) {
    struct itimerspec timer = {0};
    if (on) timer.it_value.tv_nsec = timer.it_interval.tv_nsec = 1000000000L / current.rate;
    timerfd_settime(device, 0, &timer, NULL);
    is_streaming = on;
}

static uint32_t fill(int index) {
    if (frames_size < 4) return 0;
    if (frames_position + 4 > frames_size) frames_position = 0;
    uint32_t length;
    memcpy(&length, frames + frames_position, 4);
    memcpy(buffers + index * buffer_size, frames + frames_position + 4, length > buffer_size ? buffer_size : length);
    frames_position += 4 + length;
    return length;
}

static double seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static int dequeue(struct v4l2_buffer *buffer) {
    uint64_t expirations;
    if (read(device, &expirations, 8) != 8) return refuse(EAGAIN);
    sequence += expirations;
    dequeued_count++;
    int failing = number_of("failure_every", 50);
    if (failing && dequeued_count % failing == 0) return refuse(EIO);
    int last = number_of("stops_after", 30);
    if (last && dequeued_count > last) {
        if (has("unplugged")) {
            // It is there again when it is opened.
            dequeued_count = 0;
            return refuse(ENODEV);
        }
        stream(false);
        return refuse(EAGAIN);
    }
    if (queued_count == 0) return refuse(EAGAIN);
    int index = queued[0];
    memmove(queued, queued + 1, sizeof queued - sizeof *queued);
    queued_count--;
    uint32_t length = fill(index);
    memset(&buffer->timestamp, 0, sizeof buffer->timestamp);
    buffer->index = index;
    buffer->bytesused = has("no_length") ? 0 : has("full_length") ? buffer_size : length;
    buffer->length = buffer_size;
    buffer->m.offset = index * buffer_size;
    buffer->sequence = has("no_sequence") ? 0 : sequence;
    buffer->field = V4L2_FIELD_NONE;
    buffer->flags = has("copied_times") ? V4L2_BUF_FLAG_TIMESTAMP_COPY : V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
    double time = seconds(has("wall_clock") ? CLOCK_REALTIME : CLOCK_MONOTONIC);
    if (has("no_times") || (has("first_time_zero") && dequeued_count == 1)) time = 0;
    int flagged = number_of("error_every", 10);
    bool is_flagged = (flagged && dequeued_count % flagged == 0) || has("all_errors")
        || dequeued_count <= number_of("first_errors", 1);
    if (is_flagged) buffer->flags |= V4L2_BUF_FLAG_ERROR;
    buffer->timestamp.tv_sec = (long)time;
    buffer->timestamp.tv_usec = (long)((time - (long)time) * 1e6);
    return 0;
}

static int answer(unsigned long request, void *argument) {
    request = (uint32_t)request;
    if (getenv("FAKE_CAMERA_LOG")) fprintf(stderr, "fake camera: request %08lx\n", request);
    struct v4l2_buffer *buffer = argument;
    switch (request) {
    case VIDIOC_QUERYCAP: return query_capabilities(argument);
    case VIDIOC_ENUM_FMT: return list_formats(argument);
    case VIDIOC_ENUM_FRAMESIZES: return list_sizes(argument);
    case VIDIOC_ENUM_FRAMEINTERVALS: return list_intervals(argument);
    case VIDIOC_S_FMT:
    case VIDIOC_G_FMT:
    case VIDIOC_TRY_FMT: return set_format(request, argument);
    case VIDIOC_G_PARM:
    case VIDIOC_S_PARM: return set_rate(request, argument);
    case VIDIOC_REQBUFS: return request_buffers(argument);
    case VIDIOC_QUERYBUF:
        buffer->length = buffer_size;
        buffer->m.offset = buffer->index * buffer_size;
        return 0;
    case VIDIOC_QBUF:
        if (queued_count == maximum_buffers) return refuse(EINVAL);
        queued[queued_count++] = buffer->index;
        return 0;
    case VIDIOC_STREAMON:
        if (has("no_bandwidth")) return refuse(ENOSPC);
        stream(true);
        return 0;
    case VIDIOC_STREAMOFF:
        stream(false);
        queued_count = 0;
        return 0;
    case VIDIOC_DQBUF: return dequeue(argument);
    default: return refuse(ENOTTY);
    }
}

// MARK: Calls of the C library

// The C library's function of that name, which the one here hides.
#define HIDDEN(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static bool is_camera(const char *path) { return strcmp(path, "/dev/video0") == 0; }

static int open_camera(void) {
    read_settings();
    device = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    is_streaming = false;
    queued_count = 0;
    return device;
}

static mode_t mode_argument(va_list arguments, int flags) {
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_argument(arguments, flags);
    va_end(arguments);
    return is_camera(path) ? open_camera() : HIDDEN(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_argument(arguments, flags);
    va_end(arguments);
    return is_camera(path) ? open_camera() : HIDDEN(open64)(path, flags, mode);
}

DIR *opendir(const char *path) {
    const char *nodes = getenv("FAKE_CAMERA_NODES");
    bool is_list = nodes && strcmp(path, "/sys/class/video4linux") == 0;
    return HIDDEN(opendir)(is_list ? nodes : path);
}

int close(int file) {
    if (file >= 0 && file == device) device = -1;
    return HIDDEN(close)(file);
}

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    int mapped = file >= 0 && file == device ? memory : file;
    return HIDDEN(mmap)(address, size, protection, flags, mapped, offset);
}

int ioctl(int file, unsigned long request, ...) {
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return file >= 0 && file == device ? answer(request, argument) : HIDDEN(ioctl)(file, request, argument);
}
