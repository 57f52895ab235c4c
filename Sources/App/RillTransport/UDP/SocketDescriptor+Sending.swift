import CSockets
import Glibc
import RillCore
import Synchronization

// Many datagrams per call: sendmmsg(2). Datagrams of equal size to the same address, like those of a frame, form one
// message that the system splits (UDP_SEGMENT, udp(7)) on output or in the network card. It passes the network stack
// once.

extension SocketDescriptor {
    /// Sends all of `datagrams` without waiting.
    ///
    /// - Parameters:
    ///   - datagrams: the datagrams.
    ///   - time: the monotonic clock's time in nanoseconds, if that is not to be read.
    func send(_ datagrams: inout OutgoingDatagrams, at time: Int64? = nil) -> SendOutcome {
        var refused: (count: Int, error: TransportError)?
        // The datagrams of a message that was refused: they go one by one.
        var singles: (count: Int, code: Int32)?
        while !datagrams.isEmpty {
            let now = unsegmentedCount.load(ordering: .relaxed) > 0 ? time ?? monotonicNanoseconds() : 0
            let plan = SendPlan(datagrams, for: self, singleCount: singles?.count ?? 0, at: now)
            var sent = 0
            var refusalCount = 0
            while sent < plan.messageCount {
                let (result, code) = call(datagrams, plan, sent)
                if result > 0 {
                    if let first = singles {
                        note(first.code, of: datagrams, at: time)
                        singles = nil
                    }
                    sent += result
                    refusalCount = 0
                    continue
                }
                if code == EINTR { continue }
                // The refusal of an earlier datagram, reported instead of sending this one. The next call sends it.
                // Where each call is refused, the address is.
                if code == ECONNREFUSED, refusalCount < SocketDescriptor.maximumRefusalCount {
                    counters.refused.count()
                    refusalCount += 1
                    continue
                }
                take(&datagrams, plan, sent)
                if code == EAGAIN || code == ENOBUFS {
                    counters.bufferFull.count(datagrams.count)
                    return .bufferFull(remaining: datagrams.count)
                }
                let count = unsafe datagrams.memory.messages[sent].vectorCount
                if count > 1 {
                    singles = (count, code)
                } else {
                    // The address does not take a single datagram either.
                    singles = singles.flatMap { $0.count > 1 ? ($0.count - 1, 0) : nil }
                    let error = drop(&datagrams, code)
                    refused = (1 + (refused?.count ?? 0), refused?.error ?? error)
                }
                sent = Int.max
            }
            if sent != Int.max {
                take(&datagrams, plan, sent)
                singles = nil
            }
        }
        return refused.map { .refused(count: $0.count, $0.error) } ?? .sent
    }

    /// The most refusals of earlier datagrams before one message: one for each that may have come meanwhile.
    private static let maximumRefusalCount = 64

    /// Makes one system call with the messages from `first` on.
    private func call(
        _ datagrams: borrowing OutgoingDatagrams, _ plan: SendPlan, _ first: Int
    ) -> (result: Int, code: Int32) {
        counters.sendCalls.count()
        var count = plan.messageCount - first
        if let refusal {
            let place = datagrams.pending.lowerBound + plan.datagramCount(datagrams.memory, first)
            let segmentCount = unsafe Int(datagrams.memory.messages[first].vectorCount)
            if let code = refusal(datagrams.entries[place].destination, segmentCount) { return (-1, code) }
            count = 1
        }
        // The messages point into the batch, which outlives the call.
        let result = unsafe CSockets_send(number, datagrams.memory.messages + first, UInt32(count))
        return (Int(result), errno)
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

    /// Drops the first datagram, which the system never accepts.
    private func drop(_ datagrams: inout OutgoingDatagrams, _ code: Int32) -> TransportError {
        let destination = datagrams.destination(at: 0) ?? remoteAddress
        counters.failed.count()
        datagrams.removeFirst(1)
        return .socketFailed(.send, destination, code: code)
    }

    /// Registers a destination that takes single datagrams only, after a message was refused with that code.
    private func note(_ code: Int32, of datagrams: borrowing OutgoingDatagrams, at time: Int64?) {
        // Splitting requires a network card that computes checksums (EIO), and datagrams that fit the path. Other codes
        // are not about it.
        guard code == EINVAL || code == EMSGSIZE || code == EIO || code == EOPNOTSUPP else { return }
        counters.segmentsRefused.count()
        let destination = datagrams.destination(at: 0)
        let count = unsegmented.withLock { table in
            table.add(destination, at: time ?? monotonicNanoseconds())
            return table.count
        }
        unsegmentedCount.store(count, ordering: .relaxed)
    }

    /// Whether the system may split messages to a destination.
    fileprivate func mayCombine(_ destination: UDPAddress?, at now: Int64) -> Bool {
        guard unsegmentedCount.load(ordering: .relaxed) > 0 else { return true }
        return unsegmented.withLock { table in
            let isAllowed = table.allows(destination, at: now)
            unsegmentedCount.store(table.count, ordering: .relaxed)
            return isAllowed
        }
    }
}

/// The messages of one call, and the datagrams in each.
private struct SendPlan {
    let messageCount: Int

    /// The maximum number of segments of a message (the kernel's UDP_MAX_SEGMENTS), and its maximum size.
    private static let maximumSegments = 64
    private static let maximumByteCount = 65_000

    /// Writes the messages for the pending datagrams, the first `singleCount` of which are not combined.
    init(
        _ datagrams: borrowing OutgoingDatagrams, for socket: SocketDescriptor, singleCount: Int, at now: Int64
    ) {
        let pending = datagrams.pending
        var next = pending.lowerBound
        var count = 0
        while next < pending.upperBound {
            var end = next + 1
            if next - pending.lowerBound >= singleCount {
                let combined = SendPlan.runEnd(datagrams, from: next)
                if combined > end, socket.mayCombine(datagrams.entries[next].destination, at: now) { end = combined }
            }
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
                entry.destination == first.destination, entry.source == first.source,
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
        // The buffer has room for all control messages.
        unsafe message.control = memory.control(index)
        if run.count > 1 { unsafe CSockets_add_segment_size(&message, UInt32(first.byteCount)) }
        if let trafficClass = first.trafficClass {
            let isMapped = (destination ?? socket.remoteAddress)?.isMapped ?? false
            unsafe CSockets_add_traffic_class(&message, socket.isV6 && !isMapped ? 1 : 0, UInt32(trafficClass.rawValue))
        }
        if let source = first.source { unsafe SendPlan.add(source, to: &message, isV6: socket.isV6) }
        unsafe memory.messages[index] = message
    }
}

extension SendPlan {
    /// Adds the local address that a message leaves from. A socket of IPv6 takes those of IPv4 mapped.
    @unsafe private static func add(_ source: IPAddress, to message: inout CSockets_message, isV6: Bool) {
        switch UDPAddress(source, port: 0).mapped(forV6: isV6).ip {
        case .v4(let number):
            unsafe withUnsafeBytes(of: number.bigEndian) { bytes in
                unsafe CSockets_add_local_address(&message, 0, bytes.baseAddress!.assumingMemoryBound(to: UInt8.self))
            }
        case .v6(let number, _):
            unsafe withUnsafeBytes(of: number.bigEndian) { bytes in
                unsafe CSockets_add_local_address(&message, 1, bytes.baseAddress!.assumingMemoryBound(to: UInt8.self))
            }
        }
    }
}

/// The destinations for which the system does not split messages (UDP_SEGMENT), each for a minute.
///
/// A path with a small MTU, or a network card that computes no checksums, refuses messages that others take. After the
/// minute it is tried again: the path may be another one.
///
/// It has a limit; beyond that, the destination whose minute ends first is tried again at once. Time is an argument, in
/// nanoseconds.
struct UnsegmentedDestinations {
    /// How long a destination is not tried again.
    static let retryTime: Int64 = 60_000_000_000
    /// The most destinations.
    static let limit = 256

    /// When each may be tried again. `nil` is the address that the socket is connected to.
    private var retryTimes: [UDPAddress?: Int64] = [:]

    /// No destinations.
    init() {}

    var count: Int { retryTimes.count }

    /// Whether a message to a destination may be split.
    mutating func allows(_ destination: UDPAddress?, at now: Int64) -> Bool {
        guard let time = retryTimes[destination] else { return true }
        guard time <= now else { return false }
        retryTimes[destination] = nil
        return true
    }

    /// Adds a destination that has refused a message.
    mutating func add(_ destination: UDPAddress?, at now: Int64) {
        if retryTimes.count >= UnsegmentedDestinations.limit, retryTimes[destination] == nil,
            let first = retryTimes.min(by: { $0.value < $1.value })
        {
            retryTimes[first.key] = nil
        }
        retryTimes[destination] = now + UnsegmentedDestinations.retryTime
    }
}
