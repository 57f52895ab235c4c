import CSockets
import Glibc
import RillCore
import Synchronization

/// A UDP socket of the system, shared by ``UDPSocket`` and ``ConnectedUDPSocket``.
///
/// May be used from any thread at any time. Closed with the last reference.
final class SocketDescriptor: Sendable {
    let number: Int32
    let isV6: Bool
    let localAddress: UDPAddress
    /// The address that the socket is connected to, if any.
    let remoteAddress: UDPAddress?
    let counters = SocketCounters()
    let reportsLocalAddress: Bool
    let arrivals = Monitor(ArrivalClock())
    private let isClosedFlag = Atomic(false)
    /// The destinations for which the system does not split one large message into datagrams (UDP_SEGMENT), and how
    /// many there are.
    let unsegmented = Monitor(UnsegmentedDestinations())
    let unsegmentedCount = Atomic(0)
    /// For tests: the error code of a message with this many datagrams.
    let refusal: (@Sendable (UDPAddress?, Int) -> Int32?)?
    /// How long a receive call waits by itself (SO_RCVTIMEO) in milliseconds; 0 for no limit.
    let receiveTimeout = Atomic(0)

    /// - Throws: `socketFailed`.
    init(
        boundTo local: UDPAddress?, connectedTo remote: UDPAddress?, _ settings: UDPSocket.Settings,
        refusal: (@Sendable (UDPAddress?, Int) -> Int32?)? = nil
    ) throws(TransportError) {
        self.refusal = refusal
        guard let address = remote ?? local else { preconditionFailure("a socket has an address") }
        isV6 = address.ip.isV6
        remoteAddress = remote
        reportsLocalAddress = settings.reportsLocalAddress
        number = try SocketDescriptor.open(address, settings)
        do throws(TransportError) {
            if let local { try SocketDescriptor.bind(number, to: local) }
            if let remote { try SocketDescriptor.connect(number, to: remote) }
            localAddress = try SocketDescriptor.localAddress(of: number)
        } catch {
            Glibc.close(number)
            throw error
        }
    }

    deinit {
        Glibc.close(number)
    }

    var isClosed: Bool { isClosedFlag.load(ordering: .acquiring) }

    /// Stops receiving; waiting calls wake up.
    func close() {
        isClosedFlag.store(true, ordering: .releasing)
        // An unconnected socket returns `ENOTCONN`, which does not matter: waiting calls wake up.
        shutdown(number, Int32(SHUT_RD))
    }

    // MARK: Creating

    private static func open(_ address: UDPAddress, _ settings: UDPSocket.Settings) throws(TransportError) -> Int32 {
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.systemFamily, kind, 0)
        guard descriptor >= 0 else { throw .socketFailed(.open, address, code: errno) }
        do throws(TransportError) {
            try requireSpareDescriptors(beside: descriptor, of: address)
            if settings.sharesPort { try set(SOL_SOCKET, SO_REUSEADDR, to: 1, of: descriptor) }
            if let count = settings.receiveBufferByteCount { try set(SOL_SOCKET, SO_RCVBUF, to: count, of: descriptor) }
            if let count = settings.sendBufferByteCount { try set(SOL_SOCKET, SO_SNDBUF, to: count, of: descriptor) }
            try configureControl(address.ip.isV6, settings, descriptor)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Timers and signals of the process take descriptors too, and end it if there are none.
    private static let spareCount = 8

    /// Throws unless the process may open that many descriptors more: so a call is refused, and nothing else ends.
    private static func requireSpareDescriptors(
        beside descriptor: Int32, of address: UDPAddress
    ) throws(TransportError) {
        var copies: [Int32] = []
        defer { for copy in copies { Glibc.close(copy) } }
        for _ in 0..<spareCount {
            let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            guard copy >= 0 else { throw .socketFailed(.open, address, code: errno) }
            copies.append(copy)
        }
    }

    /// Sets the traffic class of sent datagrams, and enables reading that of received ones, and their local addresses.
    private static func configureControl(
        _ isV6: Bool, _ settings: UDPSocket.Settings, _ descriptor: Int32
    ) throws(TransportError) {
        let value = settings.trafficClass.map { Int($0.rawValue) }
        // An IPv6 socket also handles IPv4, with addresses in `::ffff:0:0/96`.
        let (ip, ipv6) = (Int32(IPPROTO_IP), Int32(IPPROTO_IPV6))
        if let value { try set(ip, IP_TOS, to: value, of: descriptor) }
        try set(ip, IP_RECVTOS, to: 1, of: descriptor)
        guard CSockets_report_arrivals(descriptor) == 0 else { throw .socketFailed(.configure, nil, code: errno) }
        if settings.reportsLocalAddress, !isV6 { try set(ip, IP_PKTINFO, to: 1, of: descriptor) }
        guard isV6 else { return }
        if let value { try set(ipv6, IPV6_TCLASS, to: value, of: descriptor) }
        try set(ipv6, IPV6_RECVTCLASS, to: 1, of: descriptor)
        // IPv4 addresses come with it too, mapped.
        if settings.reportsLocalAddress { try set(ipv6, IPV6_RECVPKTINFO, to: 1, of: descriptor) }
        if let isOnly = settings.onlyIPv6 { try set(ipv6, IPV6_V6ONLY, to: isOnly ? 1 : 0, of: descriptor) }
    }

    private static func set(
        _ level: Int32, _ option: Int32, to value: Int, of descriptor: Int32
    ) throws(TransportError) {
        var value = Int32(clamping: value)
        let length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe setsockopt(descriptor, level, option, &value, length) == 0 else {
            throw .socketFailed(.configure, nil, code: errno)
        }
    }

    private static func bind(_ descriptor: Int32, to address: UDPAddress) throws(TransportError) {
        let result = unsafe address.withSystemAddress { unsafe Glibc.bind(descriptor, $0, $1) }
        guard result == 0 else { throw .socketFailed(.bind, address, code: errno) }
    }

    private static func connect(_ descriptor: Int32, to address: UDPAddress) throws(TransportError) {
        let result = unsafe address.withSystemAddress { unsafe Glibc.connect(descriptor, $0, $1) }
        guard result == 0 else { throw .socketFailed(.connect, address, code: errno) }
    }

    private static func localAddress(of descriptor: Int32) throws(TransportError) -> UDPAddress {
        let (result, address) = unsafe UDPAddress.fromSystem { unsafe Int(getsockname(descriptor, $0, $1)) }
        guard result == 0, let address else { throw .socketFailed(.bind, nil, code: errno) }
        return address
    }
}

/// Counters that any thread may increment.
final class SocketCounters: Sendable {
    let sent = Atomic(0)
    let sentBytes = Atomic(0)
    let failed = Atomic(0)
    let bufferFull = Atomic(0)
    let refused = Atomic(0)
    let received = Atomic(0)
    let receivedBytes = Atomic(0)
    let truncated = Atomic(0)
    let congestionMarks = Atomic(0)
    let segmentsRefused = Atomic(0)
    let arrivalsAdjusted = Atomic(0)
    let sendCalls = Atomic(0)
    let receiveCalls = Atomic(0)
    let waitCalls = Atomic(0)

    var statistics: TransportStatistics {
        var statistics = TransportStatistics()
        statistics.sent = sent.load(ordering: .relaxed)
        statistics.sentBytes = sentBytes.load(ordering: .relaxed)
        statistics.failed = failed.load(ordering: .relaxed)
        statistics.bufferFull = bufferFull.load(ordering: .relaxed)
        statistics.refused = refused.load(ordering: .relaxed)
        statistics.received = received.load(ordering: .relaxed)
        statistics.receivedBytes = receivedBytes.load(ordering: .relaxed)
        statistics.truncated = truncated.load(ordering: .relaxed)
        statistics.congestionMarks = congestionMarks.load(ordering: .relaxed)
        statistics.segmentsRefused = segmentsRefused.load(ordering: .relaxed)
        statistics.arrivalsAdjusted = arrivalsAdjusted.load(ordering: .relaxed)
        statistics.sendCalls = sendCalls.load(ordering: .relaxed)
        statistics.receiveCalls = receiveCalls.load(ordering: .relaxed)
        statistics.waitCalls = waitCalls.load(ordering: .relaxed)
        return statistics
    }
}

extension Atomic where Value == Int {
    /// Increments the counter.
    func count(_ number: Int = 1) { add(number, ordering: .relaxed) }
}

func monotonicNanoseconds() -> Int64 {
    var moment = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &moment)
    return Int64(moment.tv_sec) * 1_000_000_000 + Int64(moment.tv_nsec)
}

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
