import CSockets
import Glibc
import RillCore
import Synchronization

// Many datagrams per call: recvmmsg(2), which itself waits for the first one up to SO_RCVTIMEO. (Its timeout argument
// is only checked when a datagram arrives.) Waiting for a datagram thus takes one call, where poll(2) would need
// three.

extension SocketDescriptor {
    /// Replaces the contents of `datagrams` with the datagrams that have arrived.
    ///
    /// - Throws: `socketFailed`.
    func receive(
        into datagrams: inout IncomingDatagrams, within timeout: MediaDuration
    ) throws(TransportError) -> ReceiveOutcome {
        datagrams.removeAll()
        let deadline = SocketDescriptor.deadline(timeout)
        var waits = timeout > .zero && applyTimeout(for: timeout)
        while !isClosed {
            if try receiveOnce(into: &datagrams, waits: waits) { return .received(datagrams.count) }
            guard monotonicNanoseconds() < deadline, !isClosed else { break }
            // The time that the call has not waited is less than it would wait next time.
            if !waits {
                guard try wait(until: deadline) else { break }
            }
            waits =
                waits && monotonicNanoseconds() + Int64(receiveTimeout.load(ordering: .relaxed)) * 1_000_000 <= deadline
        }
        return isClosed ? .closed : .nothing
    }

    /// Makes a receive call wait by itself, at most for `timeout` and not for too small a part of it. Returns `false`
    /// if the system does not support so short a wait.
    private func applyTimeout(for timeout: MediaDuration) -> Bool {
        let wanted = Int(clamping: timeout.nanoseconds / 1_000_000)
        let current = receiveTimeout.load(ordering: .relaxed)
        guard let milliseconds = SocketDescriptor.callTimeout(wanted, current: current) else { return false }
        guard milliseconds != current else { return true }
        var time = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
        counters.waitCalls.count()
        guard unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size)) == 0
        else {
            return false
        }
        receiveTimeout.store(milliseconds, ordering: .relaxed)
        return true
    }

    /// Returns how long a call should wait, in milliseconds, if `wanted` is requested and `current` is set.
    ///
    /// The value changes rarely, even if the requested time varies from call to call. `nil` for less than a
    /// millisecond.
    static func callTimeout(_ wanted: Int, current: Int) -> Int? {
        guard wanted > 0 else { return nil }
        if current > 0, current <= wanted, 8 * current >= min(wanted, 1000) { return current }
        // The largest power of two, so that the next request may be a little shorter. Longer than a second has no
        // benefit.
        return 1 << (Int.bitWidth - 1 - min(wanted, 1024).leadingZeroBitCount)
    }

    /// Makes one system call; returns whether datagrams have arrived.
    private func receiveOnce(into datagrams: inout IncomingDatagrams, waits: Bool) throws(TransportError) -> Bool {
        let memory = datagrams.memory
        SocketDescriptor.prepare(memory)
        counters.receiveCalls.count()
        // The messages point into the batch, which outlives the call.
        let count = unsafe CSockets_receive(number, memory.messages, UInt32(memory.capacity), waits ? 1 : 0)
        guard count >= 0 else {
            let code = errno
            switch code {
            // Nothing has arrived in time, or the checksum of a datagram was wrong.
            case EAGAIN, EINTR: return false
            case ECONNREFUSED:
                counters.refused.count()
                return false
            default: throw .socketFailed(.receive, localAddress, code: code)
            }
        }
        arrivals.withLock { arrivals in
            arrivals.beginBatch(.read())
            let former = arrivals.adjustedCount
            for slot in 0..<Int(count) { takeIn(slot, memory, &datagrams, &arrivals) }
            counters.arrivalsAdjusted.count(arrivals.adjustedCount - former)
        }
        return datagrams.count > 0
    }

    /// Sets up the messages that the system writes to.
    private static func prepare(_ memory: DatagramMemory) {
        for index in 0..<memory.capacity {
            // Only messages that the system has used need to be reset: it overwrites their byte count.
            guard unsafe memory.messages[index].byteCount != .max || memory.messages[index].vectorCount == 0 else {
                return
            }
            var message = unsafe CSockets_message()
            unsafe message.vectors = memory.vectors + index
            unsafe message.vectorCount = 1
            unsafe message.address = UnsafeMutableRawPointer(memory.addresses + index)
            unsafe message.addressByteCount = UInt32(MemoryLayout<sockaddr_storage>.size)
            unsafe message.control = memory.control(index)
            unsafe message.controlByteCount = DatagramMemory.controlByteCount
            unsafe message.byteCount = .max
            unsafe memory.messages[index] = message
        }
    }

    /// Adds one received message to the batch.
    private func takeIn(
        _ slot: Int, _ memory: DatagramMemory, _ datagrams: inout IncomingDatagrams, _ arrivals: inout ArrivalClock
    ) {
        let message = unsafe memory.messages + slot
        let byteCount = Int(unsafe message.pointee.byteCount)
        let isCut = unsafe CSockets_is_cut(message) != 0
        // If the socket is closed meanwhile, the call returns an empty message without a sender.
        guard unsafe message.pointee.addressByteCount > 0, let source = unsafe UDPAddress(memory.addresses + slot)
        else {
            return
        }
        guard !isCut, byteCount > 0 || datagrams.holdsEmpty else {
            counters.truncated.count(isCut ? 1 : 0)
            return
        }
        let mark = unsafe CSockets_traffic_class(message)
        let trafficClass = TrafficClass(rawValue: UInt8(truncatingIfNeeded: max(0, mark)))
        counters.received.count()
        counters.receivedBytes.count(byteCount)
        if trafficClass.ecn == .congestionExperienced { counters.congestionMarks.count() }
        let local = reportsLocalAddress ? unsafe SocketDescriptor.localAddress(of: message) : nil
        let stamp = unsafe CSockets_arrival(message)
        datagrams.append(
            slot: slot, byteCount: byteCount, from: source.unmapped, at: local, trafficClass,
            arrival: stamp == .min ? nil : arrivals.time(ofStamp: stamp))
    }

    /// The local address that a message was received at, in its plain form; `nil` if the system does not tell it.
    @unsafe private static func localAddress(of message: UnsafeMutablePointer<CSockets_message>) -> IPAddress? {
        var bytes: UInt128 = 0
        let count = unsafe withUnsafeMutableBytes(of: &bytes) { buffer in
            // Room for an address of either version.
            unsafe CSockets_local_address(message, buffer.baseAddress!.assumingMemoryBound(to: UInt8.self))
        }
        return switch count {
        case 4: .v4(UInt32(truncatingIfNeeded: bytes.bigEndian >> 96))
        case 16: UDPAddress(.v6(bytes.bigEndian, zone: 0), port: 0).unmapped.ip
        default: nil
        }
    }
}
