import Glibc
public import RillCore
import Synchronization

/// A UDP socket: datagrams to and from the real network.
///
///     let socket = try UDPSocket(connectedTo: try UDPAddress.resolve("example.org:5004"))
///     try socket.send(packet)                                              // from any thread
///     while let datagram = try socket.receive(into: &bytes, within: .seconds(1)) { … }
///
/// It is a ``RillCore/PacketSink``, so pipelines send into it: `LiveReceiver(feedback: socket)`, or, of a sender,
/// `LiveSender(pipeline, source: camera, packets: socket)`.
///
/// That nobody listens at the other end (an ICMP refusal, `ECONNREFUSED`) is no error of a call: the other side may only
/// not have begun. It is counted, and the call goes on.
///
/// Threading: all methods may be called from any thread at any time; two that receive share the datagrams between them.
/// Cost: one system call a datagram, two more where it had to be waited for, no copy but the system's, no allocation. It is closed when the last reference is gone.
public final class UDPSocket: PacketSink, Sendable {
    /// Where the socket listens; the port is the one that the system chose where that was left to it.
    public let localAddress: UDPAddress
    /// Where ``send(_:)`` sends to; `nil` for a socket that is not connected.
    public let remoteAddress: UDPAddress?
    private let descriptor: Int32
    private let sentCount = Atomic(0)
    private let sentByteCount = Atomic(0)
    private let failedCount = Atomic(0)
    private let refusedCount = Atomic(0)
    private let receivedCount = Atomic(0)
    private let receivedByteCount = Atomic(0)

    /// The largest datagram that is sent or received, in bytes: the most that UDP over IPv6 carries.
    public static let maximumDatagramByteCount = 65_527

    /// What can be settled when a socket is made.
    public struct Settings: Sendable {
        /// Bytes of datagrams that wait to be received (SO_RCVBUF), as far as the system allows; `nil` leaves it alone.
        public var receiveBufferByteCount: Int?
        /// Bytes of datagrams that wait to be sent (SO_SNDBUF), as far as the system allows; `nil` leaves it alone.
        public var sendBufferByteCount: Int?
        /// Whether others may listen at the same port (SO_REUSEADDR), as receivers of multicast do.
        public var sharesPort = false

        /// Everything as the system has it.
        public init() {}
    }

    /// What the socket has done so far.
    public struct Statistics: Codable, Hashable, Sendable {
        /// Datagrams handed to the system.
        public var sent = 0
        /// Their bytes.
        public var sentBytes = 0
        /// Datagrams that the system would not take from ``UDPSocket/send(_:at:)``.
        public var failed = 0
        /// Refusals of the other side that came back by ICMP.
        public var refused = 0
        /// Datagrams received.
        public var received = 0
        /// Their bytes.
        public var receivedBytes = 0
    }

    /// A datagram that was received; its bytes come beside it.
    public struct Received: Hashable, Sendable {
        /// Who sent it.
        public var source: UDPAddress
        /// Its bytes.
        public var byteCount: Int
    }

    /// A socket that receives at `address`, whose port 0 leaves the choice to the system.
    ///
    /// - Throws: `socketFailed`.
    public init(boundTo address: UDPAddress, settings: Settings = Settings()) throws(TransportError) {
        descriptor = try UDPSocket.open(address, settings)
        remoteAddress = nil
        do throws(TransportError) {
            try UDPSocket.bind(descriptor, to: address)
            localAddress = try UDPSocket.localAddress(of: descriptor)
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// A socket that exchanges datagrams with `address` alone.
    ///
    /// - Parameter local: where it receives; by default at a port that the system chooses.
    /// - Throws: `socketFailed`.
    public init(
        connectedTo address: UDPAddress, from local: UDPAddress? = nil, settings: Settings = Settings()
    ) throws(TransportError) {
        descriptor = try UDPSocket.open(address, settings)
        remoteAddress = address
        do throws(TransportError) {
            if let local { try UDPSocket.bind(descriptor, to: local) }
            try UDPSocket.connect(descriptor, to: address)
            localAddress = try UDPSocket.localAddress(of: descriptor)
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit {
        close(descriptor)
    }

    /// What the socket has done so far.
    public var statistics: Statistics {
        Statistics(
            sent: sentCount.load(ordering: .relaxed), sentBytes: sentByteCount.load(ordering: .relaxed),
            failed: failedCount.load(ordering: .relaxed), refused: refusedCount.load(ordering: .relaxed),
            received: receivedCount.load(ordering: .relaxed),
            receivedBytes: receivedByteCount.load(ordering: .relaxed))
    }

    // MARK: Sending

    /// Sends a datagram to where the socket is connected; one that is not is the programmer's mistake.
    ///
    /// Waits only while the system's own buffer is full.
    ///
    /// - Throws: `socketFailed`, with `EMSGSIZE` for a datagram that is too long.
    public func send(_ datagram: Span<UInt8>) throws(TransportError) {
        guard let remoteAddress else {
            preconditionFailure("a socket that is not connected needs an address to send to")
        }
        let descriptor = descriptor
        try finish(datagram, to: remoteAddress) {
            unsafe datagram.withUnsafeBufferPointer { bytes in
                // The system reads the bytes before the call returns. A pipe's signal is not for sockets of a library.
                unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
        }
    }

    /// Sends a datagram to `address`.
    ///
    /// - Throws: `socketFailed`.
    public func send(_ datagram: Span<UInt8>, to address: UDPAddress) throws(TransportError) {
        let descriptor = descriptor
        try finish(datagram, to: address) {
            unsafe datagram.withUnsafeBufferPointer { bytes in
                unsafe address.withSystemAddress { system, length in
                    // The system reads bytes and address before the call returns.
                    unsafe sendto(
                        descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL), system, length)
                }
            }
        }
    }

    /// Sends a packet of a pipeline. What goes wrong is counted: the network may lose a packet at any time.
    public func send(_ packet: Span<UInt8>, at time: MediaTime) {
        do throws(TransportError) {
            try send(packet)
        } catch {
            failedCount.add(1, ordering: .relaxed)
        }
    }

    /// Calls until the system has taken the datagram, or refused it for good.
    private func finish(
        _ datagram: Span<UInt8>, to address: UDPAddress, _ call: () -> Int
    ) throws(TransportError) {
        while call() < 0 {
            let code = errno
            switch code {
            case EINTR: continue
            // What came back concerns an earlier datagram, and was said in place of sending this one.
            case ECONNREFUSED: refusedCount.add(1, ordering: .relaxed)
            default: throw .socketFailed(.send, address, code: code)
            }
        }
        sentCount.add(1, ordering: .relaxed)
        sentByteCount.add(datagram.count, ordering: .relaxed)
    }

    // MARK: Receiving

    /// Replaces `bytes` by those of the next datagram; `nil` when none came within `timeout`.
    ///
    /// The array grows to 64 KiB once, and its memory is used again. A timeout of zero asks without waiting.
    ///
    /// - Throws: `socketFailed`.
    public func receive(
        into bytes: inout [UInt8], within timeout: MediaDuration
    ) throws(TransportError) -> Received? {
        let deadline = monotonicNanoseconds().addingReportingOverflow(max(0, timeout.nanoseconds))
        bytes.removeAll(keepingCapacity: true)
        // The packets of a frame come together: those behind the first are there already.
        repeat {
            guard let found = try receiveOnce(into: &bytes) else { continue }
            receivedCount.add(1, ordering: .relaxed)
            receivedByteCount.add(found.byteCount, ordering: .relaxed)
            return found
        } while try wait(until: deadline.overflow ? .max : deadline.partialValue)
        return nil
    }

    /// One call of the system; `nil` where what had come was not a datagram.
    private func receiveOnce(into bytes: inout [UInt8]) throws(TransportError) -> Received? {
        let descriptor = descriptor
        var (count, code) = (0, Int32(0))
        var source: UDPAddress?
        bytes.append(addingCapacity: UDPSocket.maximumDatagramByteCount) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                (count, source) = unsafe UDPAddress.fromSystem { system, length in
                    // There is room for the longest datagram, so that none is cut.
                    unsafe recvfrom(
                        descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT), system, length)
                }
                code = errno
                initialized = max(0, count)
            }
        }
        if count >= 0, let source { return Received(source: source, byteCount: count) }
        switch code {
        // Nothing has come, another thread was faster, or the datagram's checksum was wrong.
        case EAGAIN, EINTR: return nil
        case ECONNREFUSED:
            refusedCount.add(1, ordering: .relaxed)
            return nil
        default: throw .socketFailed(.receive, localAddress, code: code)
        }
    }

    /// Waits until something has come; `false` when the deadline passes first.
    private func wait(until deadline: Int64) throws(TransportError) -> Bool {
        while true {
            let rest = max(0, deadline - monotonicNanoseconds())
            // Whole milliseconds, rounded up: it is better to wait a little longer than to spin to the end.
            let milliseconds = Int32(clamping: rest / 1_000_000 + (rest % 1_000_000 == 0 ? 0 : 1))
            var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = unsafe poll(&question, 1, milliseconds)
            if count > 0 { return true }
            if count < 0, errno != EINTR { throw .socketFailed(.receive, localAddress, code: errno) }
            // The longest wait that can be told is 24 days.
            if count == 0, monotonicNanoseconds() >= deadline { return false }
        }
    }

    // MARK: Making

    private static func open(_ address: UDPAddress, _ settings: Settings) throws(TransportError) -> Int32 {
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.systemFamily, kind, 0)
        guard descriptor >= 0 else { throw .socketFailed(.open, address, code: errno) }
        do throws(TransportError) {
            if settings.sharesPort { try set(SO_REUSEADDR, to: 1, of: descriptor) }
            if let count = settings.receiveBufferByteCount { try set(SO_RCVBUF, to: count, of: descriptor) }
            if let count = settings.sendBufferByteCount { try set(SO_SNDBUF, to: count, of: descriptor) }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func set(_ option: Int32, to value: Int, of descriptor: Int32) throws(TransportError) {
        var value = Int32(clamping: value)
        let length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe setsockopt(descriptor, SOL_SOCKET, option, &value, length) == 0 else {
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

private func monotonicNanoseconds() -> Int64 {
    var moment = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &moment)
    return Int64(moment.tv_sec) * 1_000_000_000 + Int64(moment.tv_nsec)
}

extension UDPSocket.Statistics: CustomStringConvertible {
    /// What is not zero, by name: `sent 310, sentBytes 341000`.
    public var description: String { countedText(self) }
}
