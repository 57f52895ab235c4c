public import RillCore

/// What receivers have to say, until it can be said: packets for their senders, and events for those who watch. It is
/// filled while a receiver's state is being changed and handed out afterwards, so whoever hears of it may call back.
///
/// One owner.
public final class ReceiveOutput {
    /// Takes the packets.
    let packets = PacketBatch()
    private var events: [Event] = []

    /// An output with nothing in it.
    public init() {}

    typealias Observer = @Sendable (ReceiveEvent, MediaTime) -> Void

    private struct Event {
        var observer: Observer
        var event: ReceiveEvent
        var time: MediaTime
    }

    /// Whether there is nothing to hand out.
    public var isEmpty: Bool { events.isEmpty && packets.isEmpty }

    /// Keeps an event for its observer, if there is one.
    func note(_ event: ReceiveEvent, at time: MediaTime, for observer: Observer?) {
        guard let observer else { return }
        events.append(Event(observer: observer, event: event, time: time))
    }

    /// Tells all events, then sends all packets, each in their order; then there is nothing left. Nothing may be added
    /// meanwhile.
    public func deliver(to feedback: some PacketSink) {
        guard !isEmpty else { return }
        for event in events { event.observer(event.event, event.time) }
        events.removeAll(keepingCapacity: true)
        packets.deliver(to: feedback)
    }
}
