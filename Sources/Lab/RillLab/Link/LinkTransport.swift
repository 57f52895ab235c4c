public import RillCore
public import RillLink
public import RillThreads
import RillTransport

/// One end of an emulated network in real time, as the transport of a call: two ends share a link for each direction.
///
/// Threads: as ``/RillTransport/DatagramTransport`` asks. The observers are called on the threads that send and
/// receive.
final class LinkTransport: DatagramTransport {
    let localAddress: UDPAddress
    let remoteAddress: UDPAddress?
    private let outgoing: Monitor<Direction>
    private let incoming: Monitor<Direction>
    private let clock: LiveClock
    private let sent: LiveLink.Observer?
    private let arrived: (@Sendable (Span<UInt8>, MediaTime) -> Void)?

    /// One direction of the network.
    fileprivate struct Direction: ~Copyable {
        let link: EmulatedLink
        var datagram: [UInt8] = []
        var isClosed = false
        /// The receiver has not come back yet for the datagrams after those that it took.
        var isDelivering = false
        /// Datagrams and bytes that left it, and datagrams that went in.
        var statistics = TransportStatistics()

        init(_ settings: LinkSettings) { link = EmulatedLink(settings) }
    }

    private init(
        _ addresses: (own: UDPAddress, other: UDPAddress), _ outgoing: Monitor<Direction>,
        _ incoming: Monitor<Direction>, _ clock: LiveClock, _ sent: LiveLink.Observer?,
        _ arrived: (@Sendable (Span<UInt8>, MediaTime) -> Void)?
    ) {
        (localAddress, remoteAddress) = (addresses.own, addresses.other)
        (self.outgoing, self.incoming, self.clock) = (outgoing, incoming, clock)
        (self.sent, self.arrived) = (sent, arrived)
    }

    /// Creates the two ends of a network.
    ///
    /// - Parameters:
    ///   - forward: the link from the near end to the far one.
    ///   - back: the link back.
    ///   - clock: the clock of both.
    ///   - sent: is called with each datagram of the near end as it is sent; `nil` for nobody.
    ///   - arrived: is called with each datagram that arrives, and whether it does at the far end.
    static func pair(
        _ forward: LinkSettings, back: LinkSettings, clock: LiveClock, sent: LiveLink.Observer?,
        arrived: @escaping @Sendable (Span<UInt8>, MediaTime, _ isForward: Bool) -> Void
    ) -> (near: LinkTransport, far: LinkTransport) {
        let (way, returnPath) = (Monitor(Direction(forward)), Monitor(Direction(back)))
        let (near, far) = (UDPAddress(.loopback, port: 1), UDPAddress(.loopback, port: 2))
        return (
            LinkTransport((near, far), way, returnPath, clock, sent) { arrived($0, $1, false) },
            LinkTransport((far, near), returnPath, way, clock, nil) { arrived($0, $1, true) }
        )
    }

    func send(_ datagrams: inout OutgoingDatagrams) -> RillTransport.SendOutcome {
        for index in 0..<datagrams.count { send(datagrams.bytes(at: index), at: clock.now) }
        datagrams.removeAll()
        return .sent
    }

    /// Sends a datagram at `now`.
    func send(_ datagram: Span<UInt8>, at now: MediaTime) {
        let outcome = outgoing.change { direction in
            direction.statistics.sent += 1
            direction.statistics.sentBytes += datagram.count
            return direction.link.send(datagram, at: now)
        }
        sent?(datagram, now, outcome)
    }

    func receive(into datagrams: inout IncomingDatagrams, within timeout: MediaDuration) -> ReceiveOutcome {
        datagrams.removeAll()
        let end = clock.now + timeout
        var deadline = end
        while true {
            let answer: (outcome: ReceiveOutcome, next: MediaTime)? = incoming.wait(
                untilMonotonic: clock.monotonic(deadline)
            ) { direction in
                guard !direction.isClosed else { return (.closed, end) }
                direction.take(into: &datagrams, from: remoteAddress ?? localAddress, at: clock.now)
                direction.isDelivering = datagrams.count > 0
                guard datagrams.count == 0 else { return (.received(datagrams.count), end) }
                let next = min(direction.link.nextArrival ?? end, end)
                return next == deadline ? nil : (.nothing, next)
            }
            switch answer {
            case (.nothing, let next)?: deadline = next
            case let answer?:
                for index in datagrams.indices { arrived?(datagrams.bytes(at: index), clock.now) }
                return answer.outcome
            // The deadline has passed: something has arrived, or nothing in time.
            case nil where clock.now >= end: return .nothing
            case nil: deadline = end
            }
        }
    }

    func close() { incoming.change { $0.isClosed = true } }

    /// Whether nothing is on its way in, and what has arrived was taken.
    var isIdle: Bool { incoming.withLock { $0.link.countInFlight == 0 && !$0.isDelivering } }

    /// The statistics of the link to the other end.
    var linkStatistics: LinkStatistics { outgoing.withLock { $0.link.statistics } }

    var statistics: TransportStatistics {
        var statistics = outgoing.withLock { $0.statistics }
        (statistics.received, statistics.receivedBytes) = incoming.withLock {
            ($0.statistics.received, $0.statistics.receivedBytes)
        }
        return statistics
    }
}

extension LinkTransport.Direction {
    /// Takes what has arrived, as much as there is room for.
    fileprivate mutating func take(
        into datagrams: inout IncomingDatagrams, from source: UDPAddress, at now: MediaTime
    ) {
        while datagrams.count < datagrams.capacity, link.poll(at: now, into: &datagram) != nil {
            statistics.received += 1
            statistics.receivedBytes += datagram.count
            // One that is too long for the call is lost, as on a socket.
            _ = datagrams.append(copying: datagram.span, from: source)
        }
    }
}

/// One direction of an emulated network in real time: a thread delivers the datagrams that have arrived.
///
/// Threads: `rill-link`. Sending is safe on any thread; datagrams are delivered on the link's own thread.
public final class LiveLink: PacketSink, Sendable {
    private let near, far: LinkTransport
    private let thread: NamedThread

    /// Is called with each datagram as it is sent, the time, and its outcome; on the sender's threads.
    public typealias Observer = @Sendable (_ datagram: Span<UInt8>, _ now: MediaTime, RillLink.SendOutcome) -> Void

    /// Creates a link and starts its thread.
    ///
    /// - Parameters:
    ///   - settings: the link's properties.
    ///   - clock: the clock of the link.
    ///   - observer: is called with each datagram as it is sent; `nil` by default.
    ///   - receive: is called with each datagram that arrives, on the link's thread. It must not block for long.
    /// - Throws: ``/RillThreads/ThreadError``.
    public init(
        _ settings: LinkSettings, clock: LiveClock, observer: Observer? = nil,
        receive: @escaping @Sendable (Span<UInt8>, MediaTime) -> Void
    ) throws(ThreadError) {
        let (near, far) = LinkTransport.pair(settings, back: .clean, clock: clock, sent: observer) { _, _, _ in }
        (self.near, self.far) = (near, far)
        thread = try NamedThread("rill-link", timeSlice: .short) {
            var datagrams = IncomingDatagrams(
                capacity: 1, datagramByteCount: UDPSocket.maximumDatagramByteCount, holdsEmpty: true)
            while true {
                switch far.receive(into: &datagrams, within: .seconds(60)) {
                case .received: receive(datagrams.bytes(at: 0), clock.now)
                case .nothing: continue
                case .closed: return
                }
            }
        }
    }

    /// Sends a copy of a datagram over the link, which may lose it according to the settings. `time` is now on the
    /// link's clock.
    public func send(_ packet: Span<UInt8>, at time: MediaTime) { near.send(packet, at: time) }

    /// Whether nothing is in flight.
    public var isIdle: Bool { far.isIdle }

    /// The link's statistics so far.
    public var statistics: LinkStatistics { near.linkStatistics }

    deinit {
        // No thread outlives a link that was not stopped.
        far.close()
    }

    /// Stops the thread; what is still in flight is lost.
    public func stop() {
        far.close()
        thread.join()
    }
}
