import Glibc
public import RillCore

/// A UDP socket that exchanges datagrams with any address.
///
/// ```swift
/// let socket = try UDPSocket(boundTo: UDPAddress(.v4(0), port: 5004))
/// while let datagram = try socket.receive(into: &bytes, within: .seconds(1)) {
///     try socket.send(answer, to: datagram.source)                     // from any thread
/// }
/// ```
///
/// Each datagram has its own destination, so the other side's address may change, and there may be several. Use a
/// ``ConnectedUDPSocket`` for a single address, or as a ``RillCore/PacketSink`` for pipelines. As a
/// ``DatagramTransport`` it sends and receives many datagrams per call.
///
/// A socket bound to an IPv6 address also handles IPv4, unless `onlyIPv6` disables it. IPv4 addresses are passed and
/// returned in plain form.
///
/// An ICMP refusal is not an error, because the other side may not have started yet.
///
/// Threading: all methods may be called from any thread at any time; two threads that receive share the datagrams.
/// Cost: one system call per datagram, or per batch; no copies except the system's, no allocation. The socket is
/// closed with the last reference; ``close()`` stops receiving earlier.
public final class UDPSocket: DatagramTransport {
    let descriptor: SocketDescriptor

    /// The maximum size of a datagram in bytes: the limit of UDP over IPv6.
    public static let maximumDatagramByteCount = 65_527

    /// The options of a socket.
    public struct Settings: Sendable {
        /// The size of the receive buffer in bytes (SO_RCVBUF), as far as the system allows; `nil` for the system's
        /// default.
        ///
        /// Linux's default of 208 KiB holds 92 media packets, fewer than a key frame of a large picture has.
        public var receiveBufferByteCount: Int? = 4 << 20
        /// The size of the send buffer in bytes (SO_SNDBUF), as far as the system allows; `nil` for the system's
        /// default.
        public var sendBufferByteCount: Int?
        /// Whether other sockets may bind to the same port (SO_REUSEADDR), as receivers of multicast do.
        public var sharesPort = false
        /// The DSCP and ECN of datagrams that do not have their own; `nil` for the system's default.
        public var trafficClass: TrafficClass?
        /// Whether an IPv6 socket does not handle IPv4 (IPV6_V6ONLY); `nil` for the system's default.
        public var onlyIPv6: Bool?
        /// Whether received datagrams have the local address that they came to (IP_PKTINFO).
        package var reportsLocalAddress = false

        /// A receive buffer of 4 MiB, and the system's defaults for everything else.
        public init() {}
    }

    /// A received datagram, without its bytes.
    public struct Received: Hashable, Sendable {
        /// The address of the sender.
        public var source: UDPAddress
        /// The size of the datagram in bytes.
        public var byteCount: Int
    }

    /// A socket that receives at `address`; for port 0, the system chooses a port.
    ///
    /// - Throws: `socketFailed`.
    public init(boundTo address: UDPAddress, settings: Settings = Settings()) throws(TransportError) {
        descriptor = try SocketDescriptor(boundTo: address, connectedTo: nil, settings)
    }

    /// The local address of the socket, including a port that the system chose.
    public var localAddress: UDPAddress { descriptor.localAddress }

    /// Statistics since the start.
    public var statistics: TransportStatistics { descriptor.counters.statistics }

    /// Sends a datagram to `address`. Waits only while the system's send buffer is full.
    ///
    /// - Throws: `socketFailed`, with `EMSGSIZE` for a datagram that is too long.
    public func send(_ datagram: Span<UInt8>, to address: UDPAddress) throws(TransportError) {
        _ = try descriptor.send(datagram, to: address, waits: true)
    }

    /// Sends a datagram, which may be empty, to `address` without waiting. Returns `false` if the system's send
    /// buffer is full.
    ///
    /// - Throws: `socketFailed`.
    package func sendAtOnce(_ datagram: Span<UInt8>, to address: UDPAddress) throws(TransportError) -> Bool {
        try descriptor.send(datagram, to: address, waits: false) == .sent
    }

    /// Replaces `bytes` with the next datagram; returns `nil` if none arrived within `timeout`, or if the socket was
    /// closed.
    ///
    /// The array grows to 64 KiB once and is then reused. A timeout of zero does not wait.
    ///
    /// - Throws: `socketFailed`.
    public func receive(
        into bytes: inout [UInt8], within timeout: MediaDuration
    ) throws(TransportError) -> Received? {
        try descriptor.receive(into: &bytes, within: timeout)
    }

    /// Sends all datagrams without waiting. The system refuses a datagram without a destination (`EDESTADDRREQ`).
    public func send(_ datagrams: inout OutgoingDatagrams) -> SendOutcome { descriptor.send(&datagrams) }

    /// Replaces the contents of `datagrams` with the datagrams that have arrived, waiting up to `timeout` for the
    /// first one.
    ///
    /// - Throws: `socketFailed`.
    public func receive(
        into datagrams: inout IncomingDatagrams, within timeout: MediaDuration
    ) throws(TransportError) -> ReceiveOutcome {
        try descriptor.receive(into: &datagrams, within: timeout)
    }

    /// Stops receiving; waiting calls return.
    public func close() { descriptor.close() }
}

/// A UDP socket that exchanges datagrams with a single address.
///
/// ```swift
/// let socket = try ConnectedUDPSocket(to: try UDPAddress.resolve("example.org:5004"))
/// try socket.send(packet)                                              // from any thread
/// while let datagram = try socket.receive(into: &bytes, within: .seconds(1)) { handle(bytes, datagram.source) }
/// ```
///
/// It is a ``RillCore/PacketSink``, so pipelines can send to it: `sender.send(frame, at: now, to: socket)`. As a
/// ``DatagramTransport`` it sends and receives many datagrams per call.
///
/// An ICMP refusal (`ECONNREFUSED`) is not an error of a call, because the other side may not have started yet. It is
/// counted, and the call continues.
///
/// The remote address is fixed. If it may change, use a ``UDPSocket``.
///
/// Threading and cost: as for ``UDPSocket``.
public final class ConnectedUDPSocket: DatagramTransport, PacketSink {
    let descriptor: SocketDescriptor
    /// The address that datagrams are sent to and received from; never `nil`.
    public let remoteAddress: UDPAddress?

    /// A socket that exchanges datagrams only with `address`.
    ///
    /// - Parameters:
    ///   - address: the remote address.
    ///   - local: the local address to receive at; by default a port that the system chooses.
    ///   - settings: buffer sizes, traffic class and other options.
    /// - Throws: `socketFailed`.
    public init(
        to address: UDPAddress, from local: UDPAddress? = nil, settings: UDPSocket.Settings = UDPSocket.Settings()
    ) throws(TransportError) {
        descriptor = try SocketDescriptor(boundTo: local, connectedTo: address, settings)
        remoteAddress = address
    }

    /// The local address of the socket, including a port that the system chose.
    public var localAddress: UDPAddress { descriptor.localAddress }

    /// Statistics since the start.
    public var statistics: TransportStatistics { descriptor.counters.statistics }

    /// Sends a datagram. Waits only while the system's send buffer is full.
    ///
    /// - Throws: `socketFailed`, with `EMSGSIZE` for a datagram that is too long.
    public func send(_ datagram: Span<UInt8>) throws(TransportError) {
        _ = try descriptor.send(datagram, to: nil, waits: true)
    }

    /// Sends a datagram, which may be empty, without waiting. Returns `false` if the system's send buffer is full.
    ///
    /// - Throws: `socketFailed`.
    package func sendAtOnce(_ datagram: Span<UInt8>) throws(TransportError) -> Bool {
        try descriptor.send(datagram, to: nil, waits: false) == .sent
    }

    /// Sends a packet of a pipeline without waiting.
    ///
    /// Errors, including a full buffer, are only counted, because the network may lose a packet at any time.
    public func send(_ packet: Span<UInt8>, at time: MediaTime) {
        do throws(TransportError) {
            _ = try descriptor.send(packet, to: nil, waits: false)
        } catch {
            descriptor.counters.failed.count()
        }
    }

    /// Replaces `bytes` with the next datagram; returns `nil` if none arrived within `timeout`, or if the socket was
    /// closed.
    ///
    /// The array grows to 64 KiB once and is then reused. A timeout of zero does not wait.
    ///
    /// - Throws: `socketFailed`.
    public func receive(
        into bytes: inout [UInt8], within timeout: MediaDuration
    ) throws(TransportError) -> UDPSocket.Received? {
        try descriptor.receive(into: &bytes, within: timeout)
    }

    /// Sends all datagrams to ``remoteAddress``, regardless of their destinations, without waiting.
    public func send(_ datagrams: inout OutgoingDatagrams) -> SendOutcome { descriptor.send(&datagrams) }

    /// Replaces the contents of `datagrams` with the datagrams that have arrived, waiting up to `timeout` for the
    /// first one.
    ///
    /// - Throws: `socketFailed`.
    public func receive(
        into datagrams: inout IncomingDatagrams, within timeout: MediaDuration
    ) throws(TransportError) -> ReceiveOutcome {
        try descriptor.receive(into: &datagrams, within: timeout)
    }

    /// Stops receiving; waiting calls return.
    public func close() { descriptor.close() }
}
