#if Server
import NIOConcurrencyHelpers
import NIOCore
import RillCore
public import RillWHIP

/// The addresses of a server's clients, with what each may take: an ``/RillWHIP/AddressLimiter`` with a clock and a
/// lock.
final class AddressGate: Sendable {
    private let limiter: NIOLockedValueBox<AddressLimiter>
    private let proxies: TrustedProxies
    private let start = ContinuousClock.now

    init(_ limits: AddressLimits, _ proxies: TrustedProxies) {
        (limiter, self.proxies) = (NIOLockedValueBox(AddressLimiter(limits)), proxies)
    }

    private var now: MediaTime {
        let (seconds, attoseconds) = start.duration(to: .now).components
        return MediaTime(nanoseconds: seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
    }

    /// The address that connections of a channel are counted for; `nil` for a proxy's, which speaks for many.
    func countedAddress(of channel: any Channel) -> IPAddress? {
        guard let address = channel.remoteAddress?.ip, !proxies.addresses.contains(address) else { return nil }
        return address
    }

    /// The address of a request's client.
    func client(of channel: any Channel, forwardedFor: [String]) -> IPAddress? {
        proxies.client(of: channel.remoteAddress?.ip, forwardedFor: forwardedFor)
    }

    func connect(_ address: IPAddress) -> Bool {
        let now = now
        return limiter.withLockedValue { $0.connect(address, at: now) }
    }

    func disconnect(_ address: IPAddress) { limiter.withLockedValue { $0.disconnect(address) } }

    func request(_ address: IPAddress?) -> AddressLimiter.RequestResult {
        guard let address else { return .allowed }
        let now = now
        return limiter.withLockedValue { $0.request(address, at: now) }
    }

    /// What was refused, for metrics.
    var totals: [String: Int] {
        limiter.withLockedValue { limiter in
            [
                "http_connections_refused": limiter.refusedConnectionCount,
                "http_requests_refused": limiter.refusedRequestCount,
                "http_addresses_evicted": limiter.evictedAddressCount,
            ]
        }
    }
}

extension SocketAddress {
    /// The IP address.
    fileprivate var ip: IPAddress? { ipAddress.flatMap { IPAddress($0) } }
}

/// Closes the connections that an address has beyond its limit.
///
/// Belongs to one channel, and is used on its event loop only.
final class ConnectionLimitHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let gate: AddressGate
    private var counted: IPAddress?
    private var isDone = false

    init(_ gate: AddressGate) { self.gate = gate }

    func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { count(context) } }

    func channelActive(context: ChannelHandlerContext) {
        count(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    private func count(_ context: ChannelHandlerContext) {
        guard !isDone, let address = gate.countedAddress(of: context.channel) else { return }
        isDone = true
        if gate.connect(address) { counted = address } else { context.close(promise: nil) }
    }

    private func leave() {
        if let counted { gate.disconnect(counted) }
        counted = nil
    }
}

/// What a server allows its clients, so that slow and large requests cannot exhaust it.
///
/// Together they bound the memory of all connections: at most `connectionCount` bodies of `bodyByteCount` at a time.
public struct ServerLimits: Equatable, Sendable {
    /// The most connections at a time. Others wait until one ends.
    public var connectionCount = 1024
    /// What an address may take.
    public var address = AddressLimits()
    /// The longest body, in bytes. Longer ones are answered with 413.
    public var bodyByteCount = 1 << 18
    /// The longest field of a header, in bytes.
    public var fieldByteCount = 16 << 10
    /// The longest header, in bytes.
    public var headerByteCount = 32 << 10
    /// The most fields of a header.
    public var fieldCount = 100
    /// How long a request may take from its header's end to its response, in seconds. Then the connection is closed.
    public var requestSeconds = 20
    /// How long a connection may send nothing, or not end a header, in seconds. Then it is closed.
    public var idleSeconds = 30

    /// The defaults.
    public init() {}
}
#endif
