// usb-camera: an emulated USB webcam, plugged into this machine's kernel, for tests that need a real driver.
//
//   usb-camera [OPTIONS] -- COMMAND [ARGUMENTS]
//
//   --unplug-after N    unplugs the camera after N frames
//   --error-every N     sets the error bit in the headers of every Nth frame
//   --truncate-every N  ends every Nth frame halfway
//   --no-dht            omits the Huffman tables from the JPEGs, as many cameras do
//
// It speaks USB/IP to the kernel's vhci-hcd over a pair of sockets, so that the kernel's own uvcvideo drives it: MJPEG and
// YUYV in discrete sizes and intervals, brightness, and unplugging. It waits until an earlier usb-camera is gone, plugs in,
// waits for the camera's node, runs the command with CAMERA=/dev/videoN in its environment, unplugs, and exits with the
// command's code, or with 125 and a message if it fails itself.
//
// For Linux, as root; it loads the modules vhci-hcd and uvcvideo.
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NAME "Rill USB Camera"
#define W16(v) (v) & 255, (v) >> 8 & 255
#define W32(v) W16(v), W16((uint32_t)(v) >> 16)
enum { payloadMax = 16384, headerSize = 2 };

static int unplugAfter, errorEvery, truncateEvery, noDHT;

// --- Descriptors -----------------------------------------------------------------------------

static const uint8_t deviceDescriptor[] = {18, 1, W16(0x0200), 0xef, 2, 1, 64, W16(0x1209), W16(0x0001), W16(0x0100), 1, 2, 3, 1};
static const char *const strings[] = {"", "usb-camera", NAME, "0001"};

struct size { uint16_t width, height; uint32_t intervals[3]; };
static const struct size sizes[2][3] = {
    {{1280, 720, {333333, 666666}}, {640, 480, {333333, 500000, 666666}}, {320, 240, {333333, 666666}}}, // MJPEG
    {{640, 480, {666666, 1000000}}, {320, 240, {333333, 666666}}, {160, 120, {333333}}},                 // YUYV
};
static uint8_t config[1024];
static size_t configSize;

static void put(const void *bytes, size_t count) { memcpy(config + configSize, bytes, count); configSize += count; }
#define PUT(...) do { const uint8_t b[] = {__VA_ARGS__}; put(b, sizeof b); } while (0)

static void putFrames(int format) {
    for (int i = 0; i < 3; i++) {
        const struct size *s = &sizes[format][i];
        int n = 0;
        while (n < 3 && s->intervals[n]) n++;
        uint32_t bytes = s->width * s->height * 2;
        PUT(26 + 4 * n, 0x24, format ? 5 : 7, i + 1, 0, W16(s->width), W16(s->height), W32(bytes * 8), W32(bytes * 240),
            W32(bytes), W32(s->intervals[0]), n);
        for (int k = 0; k < n; k++) PUT(W32(s->intervals[k]));
    }
    PUT(6, 0x24, 0x0d, 1, 1, 4); // colours: BT.709, BT.601 matrix
}

static void makeConfig(void) {
    PUT(9, 2, W16(0), 2, 1, 0, 0x80, 250);
    PUT(8, 11, 0, 2, 0x0e, 3, 0, 2);
    PUT(9, 4, 0, 0, 0, 0x0e, 1, 0, 2);                                             // video control
    PUT(13, 0x24, 1, W16(0x0100), W16(13 + 18 + 11 + 9), W32(48000000), 1, 1);
    PUT(18, 0x24, 2, 1, W16(0x0201), 0, 0, W16(0), W16(0), W16(0), 3, 0, 0, 0);    // camera
    PUT(11, 0x24, 5, 2, 1, W16(0), 2, 1, 0, 0);                                    // processing: brightness
    PUT(9, 0x24, 3, 3, W16(0x0101), 0, 2, 0);                                      // output
    PUT(9, 4, 1, 0, 1, 0x0e, 2, 0, 0);                                             // video streaming
    size_t start = configSize;
    PUT(15, 0x24, 1, 2, W16(0), 0x81, 0, 3, 0, 0, 0, 1, 0, 0);
    PUT(11, 0x24, 6, 1, 3, 1, 1, 0, 0, 0, 0);                                      // MJPEG
    putFrames(0);
    PUT(27, 0x24, 4, 2, 3, 'Y', 'U', 'Y', '2', 0, 0, 16, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71, 16, 1, 0, 0, 0, 0);
    putFrames(1);
    config[start + 4] = (configSize - start) & 255, config[start + 5] = (configSize - start) >> 8;
    PUT(7, 5, 0x81, 2, W16(512), 0);
    config[2] = configSize & 255, config[3] = configSize >> 8;
}

// --- Pictures: eight colour bars, with a black stripe that moves with each frame ----------------

static const uint8_t barColours[8][3] = {{235, 128, 128}, {210, 16, 146}, {170, 166, 16}, {145, 54, 34},
                                         {106, 202, 222}, {81, 90, 240}, {41, 240, 110}, {16, 128, 128}};
static uint8_t *frame;
static size_t frameSize;

static const uint8_t *colourAt(int column, int columns, unsigned number) {
    return barColours[column == (int)(number % columns) ? 7 : column * 7 / columns];
}

static uint32_t bitBuffer;
static int bitCount;
static void bits(uint32_t value, int count) {
    bitBuffer = bitBuffer << count | value, bitCount += count;
    while (bitCount >= 8) {
        uint8_t byte = bitBuffer >> (bitCount -= 8);
        frame[frameSize++] = byte;
        if (byte == 255) frame[frameSize++] = 0;
    }
}
// One flat 8x8 block: the DC difference to the previous block, then end of block.
static void block(int level, int *last, int chroma) {
    static const uint16_t codes[2][10] = {{0, 2, 3, 4, 5, 6, 14, 30, 62, 126}, {0, 1, 2, 6, 14, 30, 62, 126, 254, 510}};
    static const uint8_t lengths[2][10] = {{2, 3, 3, 3, 3, 3, 4, 5, 6, 7}, {2, 2, 2, 3, 4, 5, 6, 7, 8, 9}};
    int step = level - *last, category = 0;
    *last = level;
    while (abs(step) >> category) category++;
    bits(codes[chroma][category], lengths[chroma][category]);
    if (category) bits((step < 0 ? step - 1 : step) & ((1 << category) - 1), category);
    bits(chroma ? 0 : 10, chroma ? 2 : 4);
}
static void raw(const void *bytes, size_t count) { memcpy(frame + frameSize, bytes, count); frameSize += count; }
#define RAW(...) do { const uint8_t b[] = {__VA_ARGS__}; raw(b, sizeof b); } while (0)

static void huffmanTable(int id, const uint8_t *counts, const uint8_t *values) {
    int n = 0;
    for (int i = 0; i < 16; i++) n += counts[i];
    RAW(0xff, 0xc4, (19 + n) >> 8, (19 + n) & 255, id);
    raw(counts, 16), raw(values, n);
}
static void acTable(int id, const uint8_t *counts, const uint8_t *first, int firstCount) {
    // The standard tables: an irregular start, then all other run/size pairs in order.
    uint8_t values[162];
    memcpy(values, first, firstCount);
    int n = firstCount;
    for (int v = 1; v < 0xfb && n < 162; v++)
        if ((v & 15) >= 1 && (v & 15) <= 10 && !memchr(first, v, firstCount)) values[n++] = v;
    huffmanTable(id, counts, values);
}
static void makeJPEG(int width, int height, unsigned number) {
    static const uint8_t dcY[16] = {0, 1, 5, 1, 1, 1, 1, 1, 1}, dcC[16] = {0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const uint8_t dc[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    static const uint8_t acY[16] = {0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7d};
    static const uint8_t acYFirst[] = {1, 2, 3, 0, 4, 0x11, 5, 0x12, 0x21, 0x31, 0x41, 6, 0x13, 0x51, 0x61, 7, 0x22, 0x71, 0x14, 0x32, 0x81,
        0x91, 0xa1, 8, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72, 0x82};
    static const uint8_t acC[16] = {0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 0x77};
    static const uint8_t acCFirst[] = {0, 1, 2, 3, 0x11, 4, 5, 0x21, 0x31, 6, 0x12, 0x41, 0x51, 7, 0x61, 0x71, 0x13, 0x22, 0x32, 0x81, 8,
        0x14, 0x42, 0x91, 0xa1, 0xb1, 0xc1, 9, 0x23, 0x33, 0x52, 0xf0, 0x15, 0x62, 0x72, 0xd1, 10, 0x16, 0x24, 0x34, 0xe1, 0x25, 0xf1};
    frameSize = 0, bitCount = 0;
    RAW(0xff, 0xd8, 0xff, 0xdb, 0, 67, 0);
    for (int i = 0; i < 64; i++) RAW(8);
    RAW(0xff, 0xc0, 0, 17, 8, height >> 8, height & 255, width >> 8, width & 255, 3, 1, 0x21, 0, 2, 0x11, 0, 3, 0x11, 0);
    if (!noDHT) {
        huffmanTable(0x00, dcY, dc), acTable(0x10, acY, acYFirst, sizeof acYFirst);
        huffmanTable(0x01, dcC, dc), acTable(0x11, acC, acCFirst, sizeof acCFirst);
    }
    RAW(0xff, 0xda, 0, 12, 3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0);
    int lastY = 0, lastU = 0, lastV = 0, columns = (width + 15) / 16;
    for (int y = 0; y < (height + 7) / 8; y++)
        for (int x = 0; x < columns; x++) {
            const uint8_t *c = colourAt(x, columns, number);
            block(c[0] - 128, &lastY, 0), block(c[0] - 128, &lastY, 0);
            block(c[1] - 128, &lastU, 1), block(c[2] - 128, &lastV, 1);
        }
    if (bitCount) bits((1 << (8 - bitCount)) - 1, 8 - bitCount);
    RAW(0xff, 0xd9);
}
static void makeYUYV(int width, int height, unsigned number) {
    for (int x = 0; x < width / 2; x++) {
        const uint8_t *c = colourAt(x / 8, width / 16, number);
        memcpy(frame + 4 * x, (uint8_t[]){c[0], c[1], c[0], c[2]}, 4);
    }
    for (int y = 1; y < height; y++) memcpy(frame + y * width * 2, frame, width * 2);
    frameSize = width * height * 2;
}

// --- The device's end of USB/IP ----------------------------------------------------------------

struct header { uint32_t command, sequence, device, direction, endpoint, flags, length, start, packets, interval; uint8_t setup[8]; };
struct pending { uint32_t sequence, length; };

static int line;
static struct pending queue[64];
static int queued;
static uint8_t probe[26], commit[26];
static int16_t brightness;
static int streaming;
static unsigned frameNumber;
static size_t frameSent;
static int frameLive;
static double nextFrame;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}
static void sendAll(const void *bytes, size_t count) {
    for (ssize_t n; count; bytes = (const char *)bytes + n, count -= n)
        if ((n = write(line, bytes, count)) <= 0) exit(0);
}
static void readAll(void *bytes, size_t count) {
    for (ssize_t n; count; bytes = (char *)bytes + n, count -= n)
        if ((n = read(line, bytes, count)) <= 0) exit(0);
}
static void reply(uint32_t sequence, int status, const void *data, uint32_t count, uint32_t moved) {
    static uint8_t packet[48 + payloadMax];
    struct header h = {.command = htonl(3), .sequence = htonl(sequence), .flags = htonl(status), .length = htonl(moved)};
    memcpy(packet, &h, 48);
    if (count) memcpy(packet + 48, data, count);
    sendAll(packet, 48 + count);
}

static const struct size *chosen(void) { return &sizes[commit[2] == 2][(commit[3] - 1) % 3]; }
static uint32_t word(const uint8_t *b) { return b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24; }
// Adjusts requested settings to ones that the camera supports.
static void settle(uint8_t *p) {
    int format = p[2] == 2 ? 2 : 1, index = p[3] >= 1 && p[3] <= 3 ? p[3] : 1;
    const struct size *s = &sizes[format - 1][index - 1];
    uint32_t interval = s->intervals[0], wish = word(p + 4);
    for (int i = 0; i < 3 && s->intervals[i]; i++)
        if (labs((long)s->intervals[i] - (long)wish) < labs((long)interval - (long)wish)) interval = s->intervals[i];
    const uint8_t settled[26] = {1, 0, format, index, W32(interval), 0, 0, 0, 0, 0, 0, 0, 0, W16(0),
                                 W32(s->width * s->height * 2), W32(payloadMax)};
    memcpy(p, settled, 26);
}

static void control(const struct header *h, uint8_t *data) {
    const uint8_t *s = h->setup;
    int type = s[0], request = s[1], low = s[2], high = s[3], index = s[4], entity = s[5];
    uint32_t length = ntohl(h->length), sequence = ntohl(h->sequence);
    uint8_t answer[1024];
    int count = -1;
#define ANSWER(...) do { const uint8_t b[] = {__VA_ARGS__}; memcpy(answer, b, count = sizeof b); } while (0)
    if (type == 0x80 && request == 6 && high == 1) memcpy(answer, deviceDescriptor, count = 18);
    else if (type == 0x80 && request == 6 && high == 2) memcpy(answer, config, count = configSize);
    else if (type == 0x80 && request == 6 && high == 3 && low < 4) {
        count = 2;
        if (low == 0) answer[2] = 9, answer[3] = 4, count = 4;
        else for (const char *c = strings[low]; *c; c++) answer[count++] = *c, answer[count++] = 0;
        answer[0] = count, answer[1] = 3;
    } else if (type >= 0x80 && type <= 0x82 && request == 0) ANSWER(0, 0);
    else if (type <= 2 && (request == 1 || request == 9 || request == 11 || request == 3)) {
        if (request == 1 && type == 2) streaming = 0, frameLive = 0; // the endpoint's halt cleared: streaming ended
        count = 0;
    } else if (index == 1 && (high == 1 || high == 2) && (type & 0x7f) == 0x21) { // probe, commit
        uint8_t *p = high == 1 ? probe : commit;
        if (request == 0x01) {
            memcpy(p, data, length < 26 ? length : 26), settle(p), count = 0;
            if (high == 2) streaming = 1, frameLive = 0, nextFrame = now();
        } else if (request == 0x86) ANSWER(3);
        else if (request == 0x85) ANSWER(26, 0);
        else memcpy(answer, p, count = 26);
    } else if (index == 0 && entity == 2 && high == 2 && (type & 0x7f) == 0x21) { // brightness
        if (request == 0x01) brightness = data[0] | data[1] << 8, count = 0;
        else if (request == 0x81) ANSWER(W16(brightness));
        else if (request == 0x82) ANSWER(W16(-64));
        else if (request == 0x83) ANSWER(W16(64));
        else if (request == 0x84) ANSWER(W16(1));
        else if (request == 0x85) ANSWER(2, 0);
        else if (request == 0x86) ANSWER(3);
        else if (request == 0x87) ANSWER(W16(0));
    }
    if (count < 0) reply(sequence, -EPIPE, NULL, 0, 0);
    else if (type & 0x80) reply(sequence, 0, answer, (uint32_t)count < length ? (uint32_t)count : length, (uint32_t)count < length ? (uint32_t)count : length);
    else reply(sequence, 0, NULL, 0, length);
}

static void receive(void) {
    struct header h;
    uint8_t data[4096];
    readAll(&h, 48);
    uint32_t sequence = ntohl(h.sequence), length = ntohl(h.length);
    if (ntohl(h.command) == 2) { // unlink a transfer; its sequence number is where flags are otherwise
        int found = 0;
        for (int i = 0; i < queued; i++)
            if (queue[i].sequence == ntohl(h.flags)) memmove(queue + i, queue + i + 1, (--queued - i) * sizeof *queue), found = 1;
        struct header r = {.command = htonl(4), .sequence = h.sequence, .flags = htonl(found ? -ECONNRESET : 0)};
        sendAll(&r, 48);
        if (!queued) streaming = streaming && !found;
        return;
    }
    if (!ntohl(h.direction) && length) readAll(data, length < sizeof data ? length : sizeof data);
    if (!ntohl(h.endpoint)) control(&h, data);
    else if (queued < 64) queue[queued++] = (struct pending){sequence, length}, streaming = 1;
}

// Copies the current frame to the waiting transfers.
static void stream(void) {
    const struct size *s = chosen();
    while (streaming && queued) {
        if (!frameLive) {
            if (now() < nextFrame) return;
            double interval = word(commit + 4) / 1e7;
            nextFrame = nextFrame + interval > now() ? nextFrame + interval : now() + interval;
            if (unplugAfter && frameNumber >= (unsigned)unplugAfter) exit(0);
            if (commit[2] == 2) makeYUYV(s->width, s->height, frameNumber);
            else makeJPEG(s->width, s->height, frameNumber);
            frameNumber++, frameSent = 0, frameLive = 1;
            if (truncateEvery && frameNumber % truncateEvery == 0) frameSize /= 2;
        }
        static uint8_t packet[payloadMax];
        size_t room = (queue[0].length < payloadMax ? queue[0].length : payloadMax) - headerSize;
        size_t part = frameSize - frameSent < room ? frameSize - frameSent : room;
        int ends = frameSent + part == frameSize, bad = errorEvery && frameNumber % errorEvery == 0;
        packet[0] = headerSize, packet[1] = 0x80 | (frameNumber & 1) | ends << 1 | bad << 6;
        memcpy(packet + headerSize, frame + frameSent, part);
        reply(queue[0].sequence, 0, packet, headerSize + part, headerSize + part);
        memmove(queue, queue + 1, --queued * sizeof *queue);
        frameSent += part, frameLive = !ends;
    }
}

static void serve(void) {
    frame = malloc(1280 * 720 * 2 + 65536);
    settle(probe), settle(commit);
    for (;;) {
        double wait = streaming && queued ? (nextFrame - now()) * 1000 : -1;
        struct pollfd p = {line, POLLIN, 0};
        if (poll(&p, 1, streaming && queued ? (wait > 0 ? (int)wait + 1 : 0) : -1) > 0) receive();
        stream();
    }
}

// --- Plugging it in ----------------------------------------------------------------------------

static int findNode(char *path, size_t size) {
    int best = -1;
    DIR *folder = opendir("/sys/class/video4linux");
    for (struct dirent *e; folder && (e = readdir(folder));) {
        char name[512], text[128] = "";
        int number;
        if (sscanf(e->d_name, "video%d", &number) != 1) continue;
        snprintf(name, sizeof name, "/sys/class/video4linux/%s/name", e->d_name);
        FILE *file = fopen(name, "r");
        if (file && fgets(text, sizeof text, file) && !strncmp(text, NAME, strlen(NAME)) && (best < 0 || number < best)) best = number;
        if (file) fclose(file);
    }
    if (folder) closedir(folder);
    snprintf(path, size, "/dev/video%d", best);
    return best >= 0;
}

enum { portFree = 4, triesMax = 500, tryMicroseconds = 20000 };

// Whether a camera can be plugged in: the port is free, and the node of the last camera, which disappears later, is gone.
static int portIsFree(void) {
    char node[300], line[256];
    int port, state, isFree = 0;
    FILE *file = fopen("/sys/devices/platform/vhci_hcd.0/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "hs %d %d", &port, &state) == 2 && !port) isFree = state == portFree;
    if (file) fclose(file);
    return isFree && !findNode(node, sizeof node);
}
static int nodeIsThere(void) {
    char node[300];
    return findNode(node, sizeof node) && !access(node, R_OK | W_OK);
}
// Waits for the kernel in the machine's own time: nothing of this waits for a disk.
static int await(int (*isDone)(void)) {
    for (int tries = 0; tries < triesMax; tries++, usleep(tryMicroseconds))
        if (isDone()) return 1;
    return 0;
}

int main(int argc, char **argv) {
    int i = 1;
    for (; i < argc && strcmp(argv[i], "--"); i++) {
        if (!strcmp(argv[i], "--no-dht")) noDHT = 1;
        else if (!strcmp(argv[i], "--unplug-after") && i + 1 < argc) unplugAfter = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--error-every") && i + 1 < argc) errorEvery = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--truncate-every") && i + 1 < argc) truncateEvery = atoi(argv[++i]);
        else return fprintf(stderr, "usb-camera: unknown option %s\n", argv[i]), 125;
    }
    if (++i >= argc) return fprintf(stderr, "usage: usb-camera [OPTIONS] -- COMMAND [ARGS...]\n"), 125;
    makeConfig();
    int ends[2];
    if (system("modprobe -a vhci-hcd uvcvideo") || socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return perror("usb-camera"), 125;
    // In an emulated machine, time jumps while a page of this program is read from disk, and waits would time out at once.
    if (mlockall(MCL_CURRENT | MCL_FUTURE)) return perror("usb-camera: cannot stay in memory"), 125;
    if (!await(portIsFree)) return fprintf(stderr, "usb-camera: an earlier camera is still plugged in\n"), 125;
    pid_t server = fork();
    // The child is a separate process with its own pages.
    if (!server) { mlockall(MCL_CURRENT | MCL_FUTURE), close(ends[0]), line = ends[1]; serve(); }
    close(ends[1]);
    FILE *attach = fopen("/sys/devices/platform/vhci_hcd.0/attach", "w");
    if (!attach || fprintf(attach, "0 %d 65537 3", ends[0]) < 0 || fclose(attach)) return perror("usb-camera: cannot attach to vhci_hcd"), 125;
    close(ends[0]);
    if (!await(nodeIsThere)) return fprintf(stderr, "usb-camera: the camera did not come up\n"), kill(server, SIGTERM), 125;
    char node[300];
    findNode(node, sizeof node);
    setenv("CAMERA", node, 1);
    pid_t child = fork();
    if (!child) { execvp(argv[i], argv + i); perror(argv[i]); _exit(127); }
    int status;
    waitpid(child, &status, 0);
    kill(server, SIGTERM);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
