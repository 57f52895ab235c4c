// What Linux offers sockets beyond what Swift's Glibc module shows: calls of many messages, which are GNU extensions, and
// control messages, which are macros.
#pragma once

#include <netinet/in.h>
#include <netinet/udp.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

static const int CSockets_udp_segment = UDP_SEGMENT;
static const int CSockets_wait_for_one = 0x10000; // MSG_WAITFORONE, which only GNU sources see

/// glibc's `struct mmsghdr`: a message, and how many bytes of it were sent or received.
struct CSockets_message {
    struct msghdr header;
    unsigned int byteCount;
};

int CSockets_sendmmsg(int socket, struct CSockets_message *messages, unsigned int count, int flags) __asm__("sendmmsg");
int CSockets_recvmmsg(
    int socket, struct CSockets_message *messages, unsigned int count, int flags, struct timespec *timeout)
    __asm__("recvmmsg");

/// Room for one control message of up to eight bytes, and for what aligns the next.
static const size_t CSockets_control_size = CMSG_SPACE(8);

/// Writes a control message of `size` bytes at `control`, which is aligned to eight, and gives the bytes that it takes.
static inline size_t CSockets_write_control(void *control, int level, int type, const void *value, size_t size) {
    struct cmsghdr *message = (struct cmsghdr *)control;
    message->cmsg_len = CMSG_LEN(size);
    message->cmsg_level = level;
    message->cmsg_type = type;
    memcpy(CMSG_DATA(message), value, size);
    return CMSG_SPACE(size);
}

/// The traffic class that a message was received with: TOS of IPv4, whose control message has one byte, or that of IPv6;
/// -1 where nothing is said.
static inline int CSockets_traffic_class(struct msghdr *header) {
    for (struct cmsghdr *message = CMSG_FIRSTHDR(header); message; message = CMSG_NXTHDR(header, message)) {
        if (message->cmsg_level == IPPROTO_IP && message->cmsg_type == IP_TOS) return *(unsigned char *)CMSG_DATA(message);
        if (message->cmsg_level == IPPROTO_IPV6 && message->cmsg_type == IPV6_TCLASS) {
            int value;
            memcpy(&value, CMSG_DATA(message), sizeof value);
            return value & 0xFF;
        }
    }
    return -1;
}
