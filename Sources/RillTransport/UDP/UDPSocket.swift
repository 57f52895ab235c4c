import Glibc
public import RillCore

/// A UDP socket: datagrams to and from the real network, of whoever is there.
///
///     let socket = try UDPSocket(boundTo: UDPAddress(.v4(0), port: 5004))
///     while let datagram = try socket.receive(into: &bytes, within: .seconds(1)) {
///         try socket.send(answer, to: datagram.source)                     // from any thread
///     }
///
/// It has no other side of its own: each datagram has its destination, so the other side's address may change, and there may be
/// several. What speaks to one address alone, and is a ``RillCore/PacketSink`` that pipelines send into, is a
/// ``ConnectedUDPSocket``. As a ``DatagramTransport`` it sends and receives many datagrams a call.
///
/// One that is bound to an address of version 6 speaks version 4 too, unless `onlyIPv6` says that it shall not: addresses are
/// given and told as what they are.
///
/// That nobody listens at the other end is no error: the other side may only not have begun.
///
/// Threading: all methods may be called from any thread at any time; two that receive share the datagrams between them. Cost: a
/// system call for a datagram, or for as many as a batch holds; no copy but the system's, no allocation. It is closed when the
/// last reference is gone; ``close()`` ends receiving before.
public final class UDPSocket: DatagramTransport {
    let descriptor: SocketDescriptor

    /// The largest datagram that is sent or received, in bytes: the most that UDP over IPv6 carries.
    public static let maximumDatagramByteCount = 65_527

    /// What can be settled when a socket is made.
    public struct Settings: Sendable {
        /// Bytes of datagrams that wait to be received (SO_RCVBUF), as far as the system allows; `nil` leaves it alone. Linux's own 208 KiB
        /// hold 92 packets of media, which a key frame of a large picture exceeds.
        public var receiveBufferByteCount: Int? = 4 << 20
        /// Bytes of datagrams that wait to be sent (SO_SNDBUF), as far as the system allows; `nil` leaves it alone.
        public var sendBufferByteCount: Int?
        /// Whether others may listen at the same port (SO_REUSEADDR), as receivers of multicast do.
        public var sharesPort = false
        /// How datagrams are marked, where they say nothing of their own: DSCP and ECN; `nil` leaves it alone.
        public var trafficClass: TrafficClass?
        /// Whether a socket of version 6 leaves version 4 to others (IPV6_V6ONLY); `nil` leaves it alone.
        public var onlyIPv6: Bool?

        /// Room for 4 MiB that wait to be received, and everything else as the system has it.
        public init() {}
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
        descriptor = try SocketDescriptor(boundTo: address, connectedTo: nil, settings)
    }

    /// Where the socket listens; the port is the one that the system chose where that was left to it.
    public var localAddress: UDPAddress { descriptor.localAddress }

    /// What the socket has done so far.
    public var statistics: TransportStatistics { descriptor.counters.statistics }

    /// Sends a datagram to `address`. Waits only while the system's own buffer is full.
    ///
    /// - Throws: `socketFailed`, with `EMSGSIZE` for a datagram that is too long.
    public func send(_ datagram: Span<UInt8>, to address: UDPAddress) throws(TransportError) {
        _ = try descriptor.send(datagram, to: address, waits: true)
    }

    /// Sends a datagram to `address` without waiting, one without a byte too; `false` while the system's buffer is full.
    ///
    /// - Throws: `socketFailed`.
    package func sendAtOnce(_ datagram: Span<UInt8>, to address: UDPAddress) throws(TransportError) -> Bool {
        try descriptor.send(datagram, to: address, waits: false) == .sent
    }

    /// Replaces `bytes` by those of the next datagram; `nil` when none came within `timeout`, or the socket was closed.
    ///
    /// The array grows to 64 KiB once, and its memory is used again. A timeout of zero asks without waiting.
    ///
    /// - Throws: `socketFailed`.
    public func receive(
        into bytes: inout [UInt8], within timeout: MediaDuration
    ) throws(TransportError) -> Received? {
        try descriptor.receive(into: &bytes, within: timeout)
    }

    /// Sends all datagrams without waiting. One without a destination is refused, as the system says it (`EDESTADDRREQ`).
    public func send(_ datagrams: inout OutgoingDatagrams) -> SendOutcome { descriptor.send(&datagrams) }

    /// Replaces what `datagrams` holds by what has come, waiting for the first one at most as long as `timeout`.
    ///
    /// - Throws: `socketFailed`.
    public func receive(
        into datagrams: inout IncomingDatagrams, within timeout: MediaDuration
    ) throws(TransportError) -> ReceiveOutcome {
        try descriptor.receive(into: &datagrams, within: timeout)
    }

    /// Ends receiving: whoever waits for a datagram is told.
    public func close() { descriptor.close() }
}
