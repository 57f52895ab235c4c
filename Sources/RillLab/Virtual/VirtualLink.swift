public import RillCore
public import RillLink

/// One direction of an emulated network in virtual time: what is sent arrives at `receive` when the link says so.
public final class VirtualLink: TimedStage, PacketSink {
    /// The link itself, with its statistics.
    public let link: EmulatedLink
    private var datagram: [UInt8] = []
    private var receive: (Span<UInt8>, MediaTime) -> Void = { _, _ in }
    private var observer: ((Span<UInt8>, MediaTime, SendOutcome) -> Void)?

    /// A link on which nothing is yet.
    public init(_ settings: LinkSettings) {
        self.link = EmulatedLink(settings)
    }

    /// Sets where datagrams arrive; before that they are lost.
    public func connect(to receive: @escaping (Span<UInt8>, MediaTime) -> Void) {
        self.receive = receive
    }

    /// Sets who keeps the link's log: called with each datagram as it is sent, when that is, and what will become of it.
    ///
    ///     way.observe { datagram, now, outcome in
    ///         guard let packet = try? RTPPacket(parsing: datagram) else { return }
    ///         log.append((packet.header.sequenceNumber, now, datagram.count, outcome))
    ///     }
    ///
    /// The link knows all of it at once: the log tells what the receiver can only guess at.
    public func observe(_ observer: @escaping (_ datagram: Span<UInt8>, _ now: MediaTime, SendOutcome) -> Void) {
        self.observer = observer
    }

    /// Puts a packet on the link.
    public func send(_ packet: Span<UInt8>, at time: MediaTime) {
        let outcome = link.send(packet, at: time)
        observer?(packet, time, outcome)
    }

    /// Whether nothing is on its way.
    public var isIdle: Bool { link.countOnTheWay == 0 }

    /// When the next datagram arrives.
    public var wakeTime: MediaTime { link.nextArrival ?? .distantFuture }

    /// Delivers what has arrived.
    public func wake(at now: MediaTime) {
        while let delivery = link.poll(at: now, into: &datagram) {
            receive(datagram.span, delivery.arrival)
        }
    }
}
