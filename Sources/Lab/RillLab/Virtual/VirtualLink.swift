public import RillCore
public import RillLink

/// One direction of an emulated network in virtual time: datagrams reach the receiver when the link schedules them.
public final class VirtualLink: TimedStage, PacketSink {
    /// The link itself, with its statistics.
    public let link: EmulatedLink
    private var datagram: [UInt8] = []
    private var receive: (Span<UInt8>, MediaTime) -> Void = { _, _ in }
    private var observer: ((Span<UInt8>, MediaTime, SendOutcome) -> Void)?

    /// Creates an idle link.
    ///
    /// - Parameters:
    ///   - settings: the properties of the link.
    ///   - bottleneck: the bottleneck that it shares with others, for calls that share an access link, instead of the
    ///     settings' own; `nil` by default.
    public init(_ settings: LinkSettings, through bottleneck: Bottleneck? = nil) {
        self.link = EmulatedLink(settings, through: bottleneck)
    }

    /// Sets the receiver of datagrams; before that they are lost.
    public func connect(to receive: @escaping (Span<UInt8>, MediaTime) -> Void) {
        self.receive = receive
    }

    /// Sets the link's observer: it is called with each datagram as it is sent, the time, and its outcome.
    ///
    /// ```swift
    /// link.observe { datagram, now, outcome in
    ///     guard let packet = try? RTPPacket(parsing: datagram) else { return }
    ///     log.append((packet.header.sequenceNumber, now, datagram.count, outcome))
    /// }
    /// ```
    ///
    /// The link knows the outcome at once: such a log contains what the receiver can only guess.
    /// `link.link.lastPassage` is the datagram's wait in the queue.
    public func observe(_ observer: @escaping (_ datagram: Span<UInt8>, _ now: MediaTime, SendOutcome) -> Void) {
        self.observer = observer
    }

    /// Sends a packet over the link.
    public func send(_ packet: Span<UInt8>, at time: MediaTime) {
        let outcome = link.send(packet, at: time)
        observer?(packet, time, outcome)
    }

    /// Whether nothing is in flight.
    public var isIdle: Bool { link.countInFlight == 0 }

    /// When the next datagram arrives.
    public var wakeTime: MediaTime { link.nextArrival ?? .distantFuture }

    /// Delivers the datagrams that have arrived.
    public func wake(at now: MediaTime) {
        while let delivery = link.poll(at: now, into: &datagram) {
            receive(datagram.span, delivery.arrival)
        }
    }
}

/// The direction of a datagram.
public enum LinkDirection: Sendable {
    /// From the sender to the receiver.
    case toReceiver
    /// From the receiver to the sender.
    case toSender
}
