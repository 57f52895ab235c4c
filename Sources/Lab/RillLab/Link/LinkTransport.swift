import RillCore
import RillLink
import RillThreads
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
        for index in 0..<datagrams.count {
            let now = clock.now
            let outcome = outgoing.change { direction in
                direction.statistics.sent += 1
                direction.statistics.sentBytes += datagrams.bytes(at: index).count
                return direction.link.send(datagrams.bytes(at: index), at: now)
            }
            sent?(datagrams.bytes(at: index), now, outcome)
        }
        datagrams.removeAll()
        return .sent
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
