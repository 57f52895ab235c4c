import RillCore
import RillNetwork

/// One direction of an emulated network in virtual time: what is sent arrives at `receive` when the link says so.
final class VirtualLink: TimedStage, PacketSink {
    let link: EmulatedLink
    private var datagram: [UInt8] = []
    private var receive: (Span<UInt8>, MediaTime) -> Void = { _, _ in }

    init(_ settings: LinkSettings) {
        self.link = EmulatedLink(settings)
    }

    /// Sets where datagrams arrive; before that they are lost.
    func connect(to receive: @escaping (Span<UInt8>, MediaTime) -> Void) {
        self.receive = receive
    }

    func send(_ packet: Span<UInt8>, at time: MediaTime) {
        link.send(packet, at: time)
    }

    /// Whether nothing is on its way.
    var isIdle: Bool { link.countOnTheWay == 0 }

    var wakeTime: MediaTime { link.nextArrival ?? .distantFuture }

    func wake(at now: MediaTime) {
        while let delivery = link.poll(at: now, into: &datagram) {
            receive(datagram.span, delivery.arrival)
        }
    }
}
