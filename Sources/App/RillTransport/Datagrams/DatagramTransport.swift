public import RillCore

/// Sends and receives datagrams, many per call: a UDP socket, an in-memory pair, or later an ICE transport.
///
/// ```swift
/// var outgoing = OutgoingDatagrams()
/// outgoing.append(to: peer) { datagram in _ = protector.protect(packet, into: &datagram) }
/// switch transport.send(&outgoing) {
/// case .sent: break
/// case .bufferFull(let remaining): retryLater(remaining)        // they are still in `outgoing`
/// case .refused(let count, let error): report(count, error)     // these were dropped, all others were sent
/// }
///
/// var incoming = IncomingDatagrams()
/// while case let outcome = try transport.receive(into: &incoming, within: .milliseconds(100)), outcome != .closed {
///     for index in incoming.indices { session.insert(incoming.bytes(at: index), from: incoming.source(at: index)) }
/// }
/// ```
///
/// **Contract.** Sending never waits: it reports a full buffer. Receiving waits only for the first datagram, and
/// returns all that have arrived. Network failures of individual datagrams (an ICMP refusal, no route) are counted
/// and are not errors; the session continues. `receive` throws only if the transport has become useless.
///
/// **Addresses.** Each datagram has its destination or source. The other side's address may change at any time, and
/// there may be several. The session decides which to trust, based on which packets are genuine. Without a
/// destination, the transport chooses: a connected one has a fixed destination.
///
/// Threading: one thread may send while another receives; `close` may be called from any thread.
public protocol DatagramTransport: AnyObject, Sendable {
    /// The address at which it receives.
    var localAddress: UDPAddress { get }

    /// The address of the other side, if the transport is connected; it overrides the destinations of datagrams.
    /// Otherwise `nil`.
    var remoteAddress: UDPAddress? { get }

    /// Sends all datagrams in order, without waiting. Removes those that were sent or can never be sent.
    func send(_ datagrams: inout OutgoingDatagrams) -> SendOutcome

    /// Replaces the contents of `datagrams` with the datagrams that have arrived, as many as fit.
    ///
    /// Waits up to `timeout` for the first one; zero does not wait.
    func receive(
        into datagrams: inout IncomingDatagrams, within timeout: MediaDuration
    ) throws(TransportError) -> ReceiveOutcome

    /// Stops receiving permanently; waiting calls return `closed`. May be called from any thread.
    func close()

    /// Statistics since the start.
    var statistics: TransportStatistics { get }
}

extension DatagramTransport {
    /// The default: not connected.
    public var remoteAddress: UDPAddress? { nil }
}

/// The outcome of sending datagrams.
public enum SendOutcome: Equatable, Sendable {
    /// The system has accepted all of them.
    case sent
    /// The system's send buffer is full. `remaining` datagrams are left, starting with the first that was not
    /// accepted.
    case bufferFull(remaining: Int)
    /// `count` datagrams were dropped because the system will never accept them; the error is that of the first. All
    /// others were sent.
    case refused(count: Int, TransportError)
}

/// The outcome of receiving datagrams.
public enum ReceiveOutcome: Equatable, Sendable {
    /// One or more datagrams have arrived.
    case received(Int)
    /// No datagram has arrived within the timeout.
    case nothing
    /// The transport was closed.
    case closed
}

/// Statistics of a transport since its start.
public struct TransportStatistics: Codable, Hashable, Sendable {
    /// Datagrams passed to the system.
    public var sent = 0
    /// Bytes of these datagrams.
    public var sentBytes = 0
    /// Datagrams that the system rejected.
    public var failed = 0
    /// Datagrams that did not fit the system's send buffer when they were to be sent.
    public var bufferFull = 0
    /// ICMP refusals from the other side.
    public var refused = 0
    /// Datagrams received.
    public var received = 0
    /// Bytes of these datagrams.
    public var receivedBytes = 0
    /// Datagrams that were longer than the space for one, and dropped.
    public var truncated = 0
    /// Datagrams received with a congestion mark (ECN CE).
    public var congestionMarks = 0
    /// Messages of several datagrams that a destination did not take, and single ones did: it gets only single ones for
    /// a minute (UDP_SEGMENT, udp(7)).
    public var segmentsRefused = 0
    /// Datagrams whose arrival time was implausible: the wall clock was set, which the system notes it by. The nearest
    /// plausible time counts.
    public var arrivalsAdjusted = 0
    /// System calls that send.
    public var sendCalls = 0
    /// System calls that receive.
    public var receiveCalls = 0
    /// System calls that wait or set the time to wait, without receiving anything themselves.
    public var waitCalls = 0

    /// All counters at zero.
    public init() {}
}

extension TransportStatistics: CustomStringConvertible {
    /// The nonzero values by name: `sent 310, sentBytes 341000`.
    public var description: String { countedText(self) }
}
