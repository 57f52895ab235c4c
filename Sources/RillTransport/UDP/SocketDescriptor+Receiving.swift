import CSockets
import Glibc
import RillCore
import Synchronization

// Many datagrams a call: recvmmsg(2), which waits for the first one by itself, as long as SO_RCVTIMEO says. (Its own timeout is
// looked at only when a datagram comes.) A datagram that is waited for so takes one call, where poll(2) would take three.

extension SocketDescriptor {
    /// Replaces what `datagrams` holds by what has come.
    ///
    /// - Throws: `socketFailed`.
    func receive(
        into datagrams: inout IncomingDatagrams, within timeout: MediaDuration
    ) throws(TransportError) -> ReceiveOutcome {
        datagrams.removeAll()
        let deadline = SocketDescriptor.deadline(timeout)
        var waits = timeout > .zero && settleTimeout(for: timeout)
        while !isClosed {
            if try receiveOnce(into: &datagrams, waits: waits) { return .received(datagrams.count) }
            guard monotonicNanoseconds() < deadline, !isClosed else { break }
            // What the call has not waited is less than it would wait the next time.
            if !waits {
                guard try wait(until: deadline) else { break }
            }
            waits =
                waits && monotonicNanoseconds() + Int64(receiveTimeout.load(ordering: .relaxed)) * 1_000_000 <= deadline
        }
        return isClosed ? .closed : .nothing
    }

    /// Sees that a call waits by itself, not longer than `timeout`, and not for too small a part of it; `false` where the system
    /// does not know so short a time.
    private func settleTimeout(for timeout: MediaDuration) -> Bool {
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

    /// How long a call is to wait, in milliseconds, if as many are `wanted` and it waits `current` now: that changes seldom,
    /// however much from call to call is wanted. `nil` below a millisecond.
    static func callTimeout(_ wanted: Int, current: Int) -> Int? {
        guard wanted > 0 else { return nil }
        if current > 0, current <= wanted, 8 * current >= min(wanted, 1000) { return current }
        // The largest power of two, so that what is wanted next may be a little less. A second is as good as longer.
        return 1 << (Int.bitWidth - 1 - min(wanted, 1024).leadingZeroBitCount)
    }

    /// One call of the system; whether datagrams came.
    private func receiveOnce(into datagrams: inout IncomingDatagrams, waits: Bool) throws(TransportError) -> Bool {
        let memory = datagrams.memory
        SocketDescriptor.prepare(memory)
        counters.receiveCalls.count()
        // The messages point into the batch, which lives longer than the call.
        let count = unsafe CSockets_receive(number, memory.messages, UInt32(memory.capacity), waits ? 1 : 0)
        guard count >= 0 else {
            let code = errno
            switch code {
            // Nothing has come within the time, or a datagram's checksum was wrong.
            case EAGAIN, EINTR: return false
            case ECONNREFUSED:
                counters.refused.count()
                return false
            default: throw .socketFailed(.receive, localAddress, code: code)
            }
        }
        for slot in 0..<Int(count) { takeIn(slot, memory, &datagrams) }
        return datagrams.count > 0
    }

    /// Tells the system where it may write.
    private static func prepare(_ memory: DatagramMemory) {
        for index in 0..<memory.capacity {
            // What the system has written over, in the messages that it has used: it puts a count into each of them.
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

    /// Takes in one message.
    private func takeIn(_ slot: Int, _ memory: DatagramMemory, _ datagrams: inout IncomingDatagrams) {
        let message = unsafe memory.messages + slot
        let byteCount = Int(unsafe message.pointee.byteCount)
        let isCut = unsafe CSockets_is_cut(message) != 0
        // Where the socket is closed meanwhile, an empty message comes that nobody has sent.
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
        datagrams.append(slot: slot, byteCount: byteCount, from: source.unmapped, trafficClass)
    }
}
