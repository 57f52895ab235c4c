#define _GNU_SOURCE
#include "CSockets.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

// The structures are the system's under names of our own.
#define SAME(ours, theirs) _Static_assert(offsetof(struct CSockets_message, ours) == offsetof(struct mmsghdr, theirs), #ours)
SAME(address, msg_hdr.msg_name);
SAME(addressByteCount, msg_hdr.msg_namelen);
SAME(vectors, msg_hdr.msg_iov);
SAME(vectorCount, msg_hdr.msg_iovlen);
SAME(control, msg_hdr.msg_control);
SAME(controlByteCount, msg_hdr.msg_controllen);
SAME(flags, msg_hdr.msg_flags);
SAME(byteCount, msg_len);
_Static_assert(sizeof(struct CSockets_message) == sizeof(struct mmsghdr), "struct mmsghdr");
_Static_assert(offsetof(struct CSockets_vector, base) == offsetof(struct iovec, iov_base), "struct iovec");
_Static_assert(offsetof(struct CSockets_vector, byteCount) == offsetof(struct iovec, iov_len), "struct iovec");
_Static_assert(sizeof(struct CSockets_vector) == sizeof(struct iovec), "struct iovec");

int CSockets_send(int socket, struct CSockets_message *messages, unsigned int count) {
    // A pipe's signal is not for sockets of a library.
    return sendmmsg(socket, (struct mmsghdr *)messages, count, MSG_NOSIGNAL | MSG_DONTWAIT);
}

int CSockets_receive(int socket, struct CSockets_message *messages, unsigned int count, int waits) {
    return recvmmsg(socket, (struct mmsghdr *)messages, count, waits ? MSG_WAITFORONE : MSG_DONTWAIT, NULL);
}

int CSockets_is_cut(const struct CSockets_message *message) { return (message->flags & MSG_TRUNC) != 0; }

// Two control messages of up to eight bytes, one with a time, and one with a local address.
const size_t CSockets_control_size =
    2 * CMSG_SPACE(8) + CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(struct in6_pktinfo));

static void add(struct CSockets_message *message, int level, int type, const void *value, size_t size) {
    struct cmsghdr *control = (struct cmsghdr *)((char *)message->control + message->controlByteCount);
    control->cmsg_len = CMSG_LEN(size);
    control->cmsg_level = level;
    control->cmsg_type = type;
    memcpy(CMSG_DATA(control), value, size);
    message->controlByteCount += CMSG_SPACE(size);
}

void CSockets_add_segment_size(struct CSockets_message *message, unsigned int byteCount) {
    unsigned short size = (unsigned short)byteCount;
    add(message, IPPROTO_UDP, UDP_SEGMENT, &size, sizeof size);
}

void CSockets_add_traffic_class(struct CSockets_message *message, int isV6, unsigned int value) {
    int number = (int)value;
    if (isV6) {
        add(message, IPPROTO_IPV6, IPV6_TCLASS, &number, sizeof number);
    } else {
        add(message, IPPROTO_IP, IP_TOS, &number, sizeof number);
    }
}

int CSockets_traffic_class(struct CSockets_message *message) {
    struct msghdr *header = (struct msghdr *)message;
    for (struct cmsghdr *control = CMSG_FIRSTHDR(header); control; control = CMSG_NXTHDR(header, control)) {
        // That of version 4 has one byte, that of version 6 is an int.
        if (control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_TOS) return *(unsigned char *)CMSG_DATA(control);
        if (control->cmsg_level == IPPROTO_IPV6 && control->cmsg_type == IPV6_TCLASS) {
            int value;
            memcpy(&value, CMSG_DATA(control), sizeof value);
            return value & 0xFF;
        }
    }
    return -1;
}

int CSockets_report_arrivals(int socket) {
    int on = 1;
    return setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
}

int64_t CSockets_arrival(struct CSockets_message *message) {
    struct msghdr *header = (struct msghdr *)message;
    for (struct cmsghdr *control = CMSG_FIRSTHDR(header); control; control = CMSG_NXTHDR(header, control)) {
        if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SO_TIMESTAMPNS) continue;
        struct timespec time;
        memcpy(&time, CMSG_DATA(control), sizeof time);
        return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
    }
    return INT64_MIN;
}

void CSockets_add_local_address(struct CSockets_message *message, int isV6, const uint8_t *address) {
    if (isV6) {
        struct in6_pktinfo info = {.ipi6_ifindex = 0};
        memcpy(&info.ipi6_addr, address, sizeof info.ipi6_addr);
        add(message, IPPROTO_IPV6, IPV6_PKTINFO, &info, sizeof info);
    } else {
        struct in_pktinfo info = {.ipi_ifindex = 0};
        memcpy(&info.ipi_spec_dst, address, sizeof info.ipi_spec_dst);
        add(message, IPPROTO_IP, IP_PKTINFO, &info, sizeof info);
    }
}

int CSockets_local_address(struct CSockets_message *message, uint8_t *address) {
    struct msghdr *header = (struct msghdr *)message;
    for (struct cmsghdr *control = CMSG_FIRSTHDR(header); control; control = CMSG_NXTHDR(header, control)) {
        if (control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_PKTINFO) {
            struct in_pktinfo info;
            memcpy(&info, CMSG_DATA(control), sizeof info);
            memcpy(address, &info.ipi_spec_dst, sizeof info.ipi_spec_dst);
            return sizeof info.ipi_spec_dst;
        }
        if (control->cmsg_level == IPPROTO_IPV6 && control->cmsg_type == IPV6_PKTINFO) {
            struct in6_pktinfo info;
            memcpy(&info, CMSG_DATA(control), sizeof info);
            memcpy(address, &info.ipi6_addr, sizeof info.ipi6_addr);
            return sizeof info.ipi6_addr;
        }
    }
    return 0;
}

int CSockets_open_set(void) { return epoll_create1(EPOLL_CLOEXEC); }

int CSockets_add_to_set(int set, int socket, uint64_t key) {
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = key};
    return epoll_ctl(set, EPOLL_CTL_ADD, socket, &event);
}

int CSockets_wait(int set, uint64_t *keys, int capacity, int64_t nanoseconds) {
    // epoll_wait(2) counts in milliseconds. A set can be waited for like a socket, by ppoll(2), which counts in nanoseconds.
    struct pollfd question = {.fd = set, .events = POLLIN};
    struct timespec rest = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    int count = ppoll(&question, 1, &rest, NULL);
    if (count <= 0) return count < 0 && errno == EINTR ? 0 : count;
    struct epoll_event events[64];
    count = epoll_wait(set, events, capacity < 64 ? capacity : 64, 0);
    for (int index = 0; index < count; index++) keys[index] = events[index].data.u64;
    return count < 0 && errno == EINTR ? 0 : count;
}

int CSockets_open_event(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
