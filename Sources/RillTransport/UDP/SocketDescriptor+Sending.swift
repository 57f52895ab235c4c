import CSockets
import Glibc
import RillCore
import Synchronization

// Many datagrams per call: sendmmsg(2). Datagrams of equal size to the same address, like those of a frame, form one
// message that the system splits (UDP_SEGMENT, udp(7)) on output or in the network card. It passes the network stack
// once.

extension SocketDescriptor {
    /// Sends all of `datagrams` without waiting.
    func send(_ datagrams: inout OutgoingDatagrams) -> SendOutcome {
        var refused: (count: Int, error: TransportError)?
        while !datagrams.isEmpty {
            let plan = SendPlan(datagrams, for: self)
            var sent = 0
            while sent < plan.messageCount {
                let result = unsafe call(datagrams.memory.messages + sent, plan.messageCount - sent)
                if result > 0 {
                    sent += result
                    continue
                }
                let code = errno
                if code == EINTR { continue }
                // The refusal of an earlier datagram, reported instead of sending this one. The next call sends it.
                if code == ECONNREFUSED {
                    counters.refused.count()
                    continue
                }
                take(&datagrams, plan, sent)
                if code == EAGAIN || code == ENOBUFS {
                    counters.bufferFull.count(datagrams.count)
                    return .bufferFull(remaining: datagrams.count)
                }
                if let error = refuse(&datagrams, plan, sent, code) {
                    refused = (1 + (refused?.count ?? 0), refused?.error ?? error)
                }
                sent = Int.max
            }
            if sent != Int.max { take(&datagrams, plan, sent) }
        }
        return refused.map { .refused(count: $0.count, $0.error) } ?? .sent
    }

    private func call(_ messages: UnsafeMutablePointer<CSockets_message>, _ count: Int) -> Int {
        counters.sendCalls.count()
        // The messages point into the batch, which outlives the call.
        return Int(unsafe CSockets_send(number, messages, UInt32(count)))
    }

    /// Removes the datagrams of the first messages, which were sent.
    private func take(_ datagrams: inout OutgoingDatagrams, _ plan: SendPlan, _ messageCount: Int) {
        let count = plan.datagramCount(datagrams.memory, messageCount)
        let start = datagrams.pending.lowerBound
        let byteCount = (start..<start + count).reduce(0) { $0 + datagrams.entries[$1].byteCount }
        counters.sent.count(count)
        counters.sentBytes.count(byteCount)
        datagrams.removeFirst(count)
    }

    /// Handles the first remaining message, which the system did not accept. The datagrams of a combined message are
    /// retried individually; a single datagram is dropped.
    private func refuse(
        _ datagrams: inout OutgoingDatagrams, _ plan: SendPlan, _ index: Int, _ code: Int32
    ) -> TransportError? {
        if unsafe datagrams.memory.messages[index].vectorCount > 1 {
            // Splitting requires a network card that computes checksums, and datagrams that fit the path.
            segments.store(false, ordering: .relaxed)
            return nil
        }
        let destination = datagrams.destination(at: 0) ?? remoteAddress
        counters.failed.count()
        datagrams.removeFirst(1)
        return .socketFailed(.send, destination, code: code)
    }
}

/// The messages of one call, and the datagrams in each.
private struct SendPlan {
    let messageCount: Int

    /// The maximum number of segments of a message (the kernel's UDP_MAX_SEGMENTS), and its maximum size.
    private static let maximumSegments = 64
    private static let maximumByteCount = 65_000

    /// Writes the messages for the pending datagrams.
    init(_ datagrams: borrowing OutgoingDatagrams, for socket: SocketDescriptor) {
        let pending = datagrams.pending
        let segments = socket.segments.load(ordering: .relaxed)
        var next = pending.lowerBound
        var count = 0
        while next < pending.upperBound {
            let end = segments ? SendPlan.runEnd(datagrams, from: next) : next + 1
            SendPlan.write(datagrams, next..<end, into: count, for: socket)
            count += 1
            next = end
        }
        messageCount = count
    }

    /// Returns the number of datagrams in the first messages.
    func datagramCount(_ memory: DatagramMemory, _ messageCount: Int) -> Int {
        (0..<messageCount).reduce(0) { unsafe $0 + Int(memory.messages[$1].vectorCount) }
    }

    /// Returns the end of the datagrams that can form one message: all of equal size, and optionally a shorter last
    /// one.
    private static func runEnd(_ datagrams: borrowing OutgoingDatagrams, from start: Int) -> Int {
        let first = datagrams.entries[start]
        var end = start + 1
        var byteCount = first.byteCount
        while end < datagrams.pending.upperBound, end - start < maximumSegments {
            let entry = datagrams.entries[end]
            byteCount += entry.byteCount
            guard entry.byteCount <= first.byteCount, byteCount <= maximumByteCount,
                entry.destination == first.destination,
                entry.trafficClass == first.trafficClass
            else { break }
            end += 1
            if entry.byteCount < first.byteCount { break }
        }
        return end
    }

    /// Writes the header of one message.
    private static func write(
        _ datagrams: borrowing OutgoingDatagrams, _ run: Range<Int>, into index: Int, for socket: SocketDescriptor
    ) {
        let memory = datagrams.memory
        let first = datagrams.entries[run.lowerBound]
        var message = unsafe CSockets_message()
        // The vectors of consecutive slots are consecutive.
        unsafe message.vectors = memory.vectors + run.lowerBound
        unsafe message.vectorCount = run.count
        let destination = first.destination?.mapped(forV6: socket.isV6)
        if let destination, socket.remoteAddress == nil {
            unsafe message.address = UnsafeMutableRawPointer(memory.addresses + index)
            unsafe message.addressByteCount = destination.write(to: memory.addresses + index)
        }
        // The buffer has room for both control messages.
        unsafe message.control = memory.control(index)
        if run.count > 1 { unsafe CSockets_add_segment_size(&message, UInt32(first.byteCount)) }
        if let trafficClass = first.trafficClass {
            let isMapped = (destination ?? socket.remoteAddress)?.isMapped ?? false
            unsafe CSockets_add_traffic_class(&message, socket.isV6 && !isMapped ? 1 : 0, UInt32(trafficClass.rawValue))
        }
        unsafe memory.messages[index] = message
    }
}
