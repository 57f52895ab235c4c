// What Linux offers sockets beyond what Swift's Glibc module shows: calls of many messages, which are GNU extensions, and
// control messages, which are macros. The system's headers are in sockets.c alone: a module that included them would own their
// types, and whoever imports Glibc could not name them any more.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Bytes in one place: the system's `struct iovec`.
struct CSockets_vector {
    void *base;
    size_t byteCount;
};

/// A message and how many bytes of it were sent or received: glibc's `struct mmsghdr`.
struct CSockets_message {
    void *address;
    unsigned int addressByteCount;
    struct CSockets_vector *vectors;
    size_t vectorCount;
    void *control;
    size_t controlByteCount;
    int flags;
    int unused;
    unsigned int byteCount;
};

/// sendmmsg(2) without waiting: how many messages were sent, at least one; -1 with errno where not even one was.
int CSockets_send(int socket, struct CSockets_message *messages, unsigned int count);

/// recvmmsg(2): how many messages have come, at least one; -1 with errno where none has. One that waits does so for the first
/// message, as long as SO_RCVTIMEO says.
int CSockets_receive(int socket, struct CSockets_message *messages, unsigned int count, int waits);

/// Whether a message was longer than the room for it.
int CSockets_is_cut(const struct CSockets_message *message);

/// The most bytes of control messages that a message is sent or received with.
extern const size_t CSockets_control_size;

/// Adds a control message that has the system split the message into datagrams of that size (UDP_SEGMENT).
void CSockets_add_segment_size(struct CSockets_message *message, unsigned int byteCount);

/// Adds a control message that marks a message's datagrams: the byte with DSCP and ECN.
void CSockets_add_traffic_class(struct CSockets_message *message, int isV6, unsigned int value);

/// The byte with DSCP and ECN that a message was received with; -1 where nothing is said.
int CSockets_traffic_class(struct CSockets_message *message);

/// Has the system note when each datagram arrives (SO_TIMESTAMPNS); -1 with errno where that fails.
int CSockets_report_arrivals(int socket);

/// When the system has received a message, in nanoseconds of CLOCK_REALTIME; INT64_MIN where nothing is said.
int64_t CSockets_arrival(struct CSockets_message *message);

/// Adds a control message that sends a message's datagrams from that local address: 4 bytes, or 16 for a socket of IPv6, in
/// the order of the network.
void CSockets_add_local_address(struct CSockets_message *message, int isV6, const uint8_t *address);

/// Writes the local address that a message was received at, in the order of the network, into 16 bytes. How many were written:
/// 4, 16, or 0 where nothing is said.
int CSockets_local_address(struct CSockets_message *message, uint8_t *address);

/// A set of sockets to wait at (epoll(7)); -1 with errno where the system has none.
int CSockets_open_set(void);

/// Adds a socket, or anything else that can be read from, to a set: it is told by `key`. -1 with errno where that fails. What
/// is closed leaves the set.
int CSockets_add_to_set(int set, int socket, uint64_t key);

/// Waits until something in the set can be read, `nanoseconds` at the longest, and writes the keys of what can, `capacity` at
/// the most. How many; 0 when the time is over or a signal came; -1 with errno.
int CSockets_wait(int set, uint64_t *keys, int capacity, int64_t nanoseconds);

/// What can be read from once it was told so (eventfd(2)); -1 with errno where the system has none.
int CSockets_open_event(void);
