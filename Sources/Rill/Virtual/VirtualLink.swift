public import RillCore
public import RillNetwork

/// One direction of an emulated network in virtual time: what is sent arrives at `receive` when the link says so.
public final class VirtualLink: TimedStage, PacketSink {
    /// The link itself, with its statistics.
    public let link: EmulatedLink
    private var datagram: [UInt8] = []
    private var receive: (Span<UInt8>, MediaTime) -> Void = { _, _ in }

    /// A link on which nothing is yet.
    public init(_ settings: LinkSettings) {
        self.link = EmulatedLink(settings)
    }

    /// Sets where datagrams arrive; before that they are lost.
    public func connect(to receive: @escaping (Span<UInt8>, MediaTime) -> Void) {
        self.receive = receive
    }

    /// Puts a packet on the link.
    public func send(_ packet: Span<UInt8>, at time: MediaTime) {
        link.send(packet, at: time)
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
