import Glibc
public import RillCore

/// A UDP socket that exchanges datagrams with one address alone.
///
///     let socket = try ConnectedUDPSocket(to: try UDPAddress.resolve("example.org:5004"))
///     try socket.send(packet)                                              // from any thread
///     while let datagram = try socket.receive(into: &bytes, within: .seconds(1)) { … }
///
/// It is a ``RillCore/PacketSink``, so pipelines send into it: `LiveReceiver(feedback: socket)`, or, of a sender,
/// `LiveSender(pipeline, source: camera, packets: socket)`. As a ``DatagramTransport`` it sends and receives many a call.
///
/// That nobody listens at the other end (an ICMP refusal, `ECONNREFUSED`) is no error of a call: the other side may only not have
/// begun. It is counted, and the call goes on.
///
/// The other side's address is settled for good: where it may change, take a ``UDPSocket``.
///
/// Threading and cost: as those of ``UDPSocket``.
public final class ConnectedUDPSocket: DatagramTransport, PacketSink {
    let descriptor: SocketDescriptor
    /// The address that datagrams go to, and come from: there is one.
    public let remoteAddress: UDPAddress?

    /// A socket that exchanges datagrams with `address` alone.
    ///
    /// - Parameter local: where it receives; by default at a port that the system chooses.
    /// - Throws: `socketFailed`.
    public init(
        to address: UDPAddress, from local: UDPAddress? = nil, settings: UDPSocket.Settings = UDPSocket.Settings()
    ) throws(TransportError) {
        descriptor = try SocketDescriptor(boundTo: local, connectedTo: address, settings)
        remoteAddress = address
    }

    /// Where the socket listens; the port is the one that the system chose where that was left to it.
    public var localAddress: UDPAddress { descriptor.localAddress }

    /// What the socket has done so far.
    public var statistics: TransportStatistics { descriptor.counters.statistics }

    /// Sends a datagram. Waits only while the system's own buffer is full.
    ///
    /// - Throws: `socketFailed`, with `EMSGSIZE` for a datagram that is too long.
    public func send(_ datagram: Span<UInt8>) throws(TransportError) {
        _ = try descriptor.send(datagram, to: nil, waits: true)
    }

    /// Sends a datagram without waiting, one without a byte too; `false` while the system's buffer is full.
    ///
    /// - Throws: `socketFailed`.
    package func sendAtOnce(_ datagram: Span<UInt8>) throws(TransportError) -> Bool {
        try descriptor.send(datagram, to: nil, waits: false) == .sent
    }

    /// Sends a packet of a pipeline, without waiting. What goes wrong is counted, a full buffer too: the network may lose a
    /// packet at any time.
    public func send(_ packet: Span<UInt8>, at time: MediaTime) {
        do throws(TransportError) {
            _ = try descriptor.send(packet, to: nil, waits: false)
        } catch {
            descriptor.counters.failed.count()
        }
    }

    /// Replaces `bytes` by those of the next datagram; `nil` when none came within `timeout`, or the socket was closed.
    ///
    /// The array grows to 64 KiB once, and its memory is used again. A timeout of zero asks without waiting.
    ///
    /// - Throws: `socketFailed`.
    public func receive(
        into bytes: inout [UInt8], within timeout: MediaDuration
    ) throws(TransportError) -> UDPSocket.Received? {
        try descriptor.receive(into: &bytes, within: timeout)
    }

    /// Sends all datagrams without waiting, all to ``remoteAddress``, whatever destination they have.
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
