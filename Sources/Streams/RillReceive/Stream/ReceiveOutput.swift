public import RillCore

/// The pending output of receivers: packets for their senders, and events for observers.
///
/// It is filled while a receiver's state changes and delivered afterwards, so the receiver of an event may call back.
///
/// One owner.
public final class ReceiveOutput {
    /// Collects the packets.
    let packets = PacketBatch()
    private var events: [Event] = []

    /// Creates an empty output.
    public init() {}

    typealias Observer = @Sendable (ReceiveEvent, MediaTime) -> Void

    private struct Event {
        var observer: Observer
        var event: ReceiveEvent
        var time: MediaTime
    }

    /// Whether nothing is pending.
    public var isEmpty: Bool { events.isEmpty && packets.isEmpty }

    /// Keeps an event for its observer, if there is one.
    func note(_ event: ReceiveEvent, at time: MediaTime, for observer: Observer?) {
        guard let observer else { return }
        events.append(Event(observer: observer, event: event, time: time))
    }

    /// Delivers all events, then all packets, each in order. Nothing may be added meanwhile.
    ///
    /// - Parameter feedback: receives the packets.
    public func deliver(to feedback: some PacketSink) {
        guard !isEmpty else { return }
        for event in events { event.observer(event.event, event.time) }
        events.removeAll(keepingCapacity: true)
        packets.deliver(to: feedback)
    }
}

/// An event on the receiving side of a stream.
public enum ReceiveEvent: Sendable {
    /// A frame left the jitter buffer for the decoder.
    case released(ReceivedFrame)
    /// That many packets were NACKed; repetitions within a round trip are not reported.
    case packetsRequested(count: Int)
    /// A key frame was requested (PLI).
    case keyFrameRequested
}

/// The outcome of an encoded frame that was released to a decoder.
public enum DecodeOutcome: Equatable, Sendable {
    /// The frame was decoded, whether or not its picture was shown.
    case decoded
    /// The decoder rejected the frame: the reference chain is broken here.
    case refused
    /// The frame was skipped: the decoder waits for a key frame.
    case skipped
    /// The frame could not be decrypted (end-to-end encryption), and was not decoded. No key frame is requested: it
    /// could not be decrypted either. When frames can be decrypted again, report those that refer to this one as
    /// `skipped`.
    case unopened
}
