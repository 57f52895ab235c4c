import Glibc
import RillCore

// One datagram per call.

extension SocketDescriptor {
    /// The result of sending a datagram.
    enum Taken {
        case sent
        case bufferFull
    }

    /// Sends a datagram.
    ///
    /// - Parameters:
    ///   - datagram: the bytes, which may be empty.
    ///   - address: the destination; `nil` for the address that the socket is connected to.
    ///   - waits: whether to wait while the system's send buffer is full.
    /// - Throws: `socketFailed`.
    func send(
        _ datagram: Span<UInt8>, to address: UDPAddress?, waits: Bool
    ) throws(TransportError) -> Taken {
        // A library must not cause SIGPIPE.
        let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
        while true {
            counters.sendCalls.count()
            let result = unsafe datagram.withUnsafeBufferPointer { bytes in
                // The system reads the bytes and the address before the call returns.
                guard let address else { return unsafe Glibc.send(number, bytes.baseAddress, bytes.count, flags) }
                return unsafe address.mapped(forV6: isV6).withSystemAddress { system, length in
                    unsafe sendto(number, bytes.baseAddress, bytes.count, flags, system, length)
                }
            }
            guard result < 0 else { break }
            let code = errno
            switch code {
            case EINTR: continue
            // This concerns an earlier datagram, and was reported instead of sending this one.
            case ECONNREFUSED: counters.refused.count()
            case EAGAIN, ENOBUFS:
                counters.bufferFull.count()
                return .bufferFull
            default:
                throw .socketFailed(.send, address ?? remoteAddress, code: code)
            }
        }
        counters.sent.count()
        counters.sentBytes.count(datagram.count)
        return .sent
    }

    /// Replaces `bytes` with the next datagram; returns `nil` if none arrived within `timeout`, or if the socket is
    /// closed.
    ///
    /// - Throws: `socketFailed`.
    func receive(into bytes: inout [UInt8], within timeout: MediaDuration) throws(TransportError) -> UDPSocket.Received?
    {
        let deadline = SocketDescriptor.deadline(timeout)
        bytes.removeAll(keepingCapacity: true)
        // The packets of a frame arrive together: those after the first are already there.
        repeat {
            guard let found = try receiveOnce(into: &bytes) else { continue }
            counters.received.count()
            counters.receivedBytes.count(found.byteCount)
            return found
        } while try waitUnlessClosed(until: deadline)
        return nil
    }

    /// Makes one system call; returns `nil` if it did not yield a datagram.
    private func receiveOnce(into bytes: inout [UInt8]) throws(TransportError) -> UDPSocket.Received? {
        var (count, code) = (0, Int32(0))
        var source: UDPAddress?
        counters.receiveCalls.count()
        bytes.append(addingCapacity: UDPSocket.maximumDatagramByteCount) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                (count, source) = unsafe UDPAddress.fromSystem { system, length in
                    // There is room for the longest datagram, so none is truncated.
                    unsafe recvfrom(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT), system, length)
                }
                code = errno
                initialized = max(0, count)
            }
        }
        if count >= 0 { return source.map { UDPSocket.Received(source: $0.unmapped, byteCount: count) } }
        switch code {
        // Nothing has arrived, another thread was faster, or the checksum of the datagram was wrong.
        case EAGAIN, EINTR: return nil
        case ECONNREFUSED:
            counters.refused.count()
            return nil
        default: throw .socketFailed(.receive, localAddress, code: code)
        }
    }

    /// Returns the time at which a wait of `timeout` from now ends.
    static func deadline(_ timeout: MediaDuration) -> Int64 {
        let deadline = monotonicNanoseconds().addingReportingOverflow(max(0, timeout.nanoseconds))
        return deadline.overflow ? .max : deadline.partialValue
    }

    private func waitUnlessClosed(until deadline: Int64) throws(TransportError) -> Bool {
        guard !isClosed else { return false }
        return try wait(until: deadline)
    }

    /// Waits until something has arrived; returns `false` if the deadline passes first.
    func wait(until deadline: Int64) throws(TransportError) -> Bool {
        while true {
            let rest = max(0, deadline - monotonicNanoseconds())
            // Whole milliseconds, rounded up: waiting slightly longer is better than spinning at the end.
            let milliseconds = Int32(clamping: rest / 1_000_000 + (rest % 1_000_000 == 0 ? 0 : 1))
            var question = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            counters.waitCalls.count()
            let count = unsafe poll(&question, 1, milliseconds)
            if count > 0 { return true }
            if count < 0, errno != EINTR { throw .socketFailed(.receive, localAddress, code: errno) }
            // poll(2) waits at most 24 days.
            if count == 0, monotonicNanoseconds() >= deadline { return false }
        }
    }
}
