public import RillCore

/// What datagrams come from and go to, many at a call: a UDP socket; a pair in memory; what finds its way by ICE, later.
///
///     var outgoing = OutgoingDatagrams()
///     outgoing.append(to: peer) { datagram in _ = protector.protect(packet, into: &datagram) }
///     switch transport.send(&outgoing) {
///     case .sent: break
///     case .bufferFull(let remaining): …       // they are still in `outgoing`: try later, or drop them
///     case .refused(let count, let error): …   // those were dropped, all others went
///     }
///
///     var incoming = IncomingDatagrams()
///     while case let outcome = try transport.receive(into: &incoming, within: .milliseconds(100)), outcome != .closed {
///         for index in incoming.indices { session.insert(incoming.bytes(at: index), from: incoming.source(at: index)) }
///     }
///
/// **Contract.** Sending never waits: a full buffer is an answer. Receiving waits for the first datagram alone, and gives all
/// that have come. What the network does to single datagrams (nobody listens; no way leads there) is counted, and no error: the
/// call goes on. `receive` throws what makes it useless to go on.
///
/// **Addresses.** Each datagram has its destination and its source: the other side's may change at any time, and there may be
/// several. Which one to believe is the session's to decide, by what proves to be genuine. Where no destination is given, the
/// transport chooses: one that is connected has its own.
///
/// Threading: one thread may send while another receives; `close` comes from any.
public protocol DatagramTransport: AnyObject, Sendable {
    /// Where it receives.
    var localAddress: UDPAddress { get }

    /// Where all datagrams go to and come from, whatever destination they have; `nil` for a transport that has no such address.
    var remoteAddress: UDPAddress? { get }

    /// Sends all datagrams, in their order, without waiting. Those that are gone, or never will be, are taken out.
    func send(_ datagrams: inout OutgoingDatagrams) -> SendOutcome

    /// Replaces what `datagrams` holds by what has come, as many as fit, waiting for the first one at most as long as
    /// `timeout`; zero does not wait.
    func receive(
        into datagrams: inout IncomingDatagrams, within timeout: MediaDuration
    ) throws(TransportError) -> ReceiveOutcome

    /// Ends receiving, for good: who waits is told `closed`, from any thread.
    func close()

    /// What was done so far.
    var statistics: TransportStatistics { get }
}

extension DatagramTransport {
    /// None.
    public var remoteAddress: UDPAddress? { nil }
}

/// What came of datagrams that were to be sent.
public enum SendOutcome: Equatable, Sendable {
    /// The system has taken all of them.
    case sent
    /// The system's buffer is full. So many are left, from the first that was not taken on.
    case bufferFull(remaining: Int)
    /// So many were dropped because the system will never take them: the first of its reasons. All others went.
    case refused(count: Int, TransportError)
}

/// What came of waiting for datagrams.
public enum ReceiveOutcome: Equatable, Sendable {
    /// So many have come: one or more.
    case received(Int)
    /// None came within the time.
    case nothing
    /// The transport was closed.
    case closed
}

/// What a transport has done so far.
public struct TransportStatistics: Codable, Hashable, Sendable {
    /// Datagrams handed to the system.
    public var sent = 0
    /// Their bytes.
    public var sentBytes = 0
    /// Datagrams that the system would not take at all.
    public var failed = 0
    /// Datagrams that it had no room for when they were to be sent.
    public var bufferFull = 0
    /// Refusals of the other side that came back by ICMP.
    public var refused = 0
    /// Datagrams received.
    public var received = 0
    /// Their bytes.
    public var receivedBytes = 0
    /// Datagrams longer than the room for one, which were dropped.
    public var truncated = 0
    /// Datagrams received with a mark of congestion (ECN CE).
    public var congestionMarks = 0
    /// Calls of the system that send.
    public var sendCalls = 0
    /// Calls that receive.
    public var receiveCalls = 0
    /// Calls that wait, or settle how long is waited, and receive nothing themselves.
    public var waitCalls = 0

    /// Nothing yet.
    public init() {}
}

extension TransportStatistics: CustomStringConvertible {
    /// What is not zero, by name: `sent 310, sentBytes 341000`.
    public var description: String { countedText(self) }
}
