import RillCore
import RillReceive
import RillSession

/// The pending output of a decoding thread's streams: datagrams for their senders, and events for observers. It is
/// filled under the group's lock and delivered after the lock is released, so the receiver of an event may call back.
///
/// One owner. Its memory grows to the most that it ever held, and is reused.
final class GroupOutput {
    private var datagrams: [DatagramQueue] = []
    private var spare: [DatagramQueue] = []
    private var events: [Event] = []
    /// Why sessions have ended, by errors of ours.
    private var failures: [any Error] = []

    typealias Observer = @Sendable (ReceiveEvent, MediaTime) -> Void

    private struct Event {
        var observer: Observer
        var event: ReceiveEvent
        var time: MediaTime
    }

    /// Whether nothing is pending.
    var isEmpty: Bool { events.isEmpty && datagrams.isEmpty }

    /// Does what is due in a session of one stream, and returns its next frame to decode.
    ///
    /// - Parameters:
    ///   - session: the stream's session.
    ///   - now: the current time.
    ///   - payload: receives the bytes of the frame.
    ///   - observer: the stream's observer.
    ///   - isInterrupted: is set if the stream was muted or unmuted.
    /// - Returns: the frame; `nil` if none is due.
    func poll(
        _ session: RTPSession, at now: MediaTime, into payload: inout [UInt8], for observer: Observer?,
        isInterrupted: inout Bool
    ) -> ReceivedFrame? {
        defer { take(from: session) }
        while true {
            switch session.pollExceptDatagrams(at: now, into: &payload) {
            case .decode:
                let frame = session.releasedFrame
                note(.released(frame), at: now, for: observer)
                return frame
            case .event(.packetsRequested(_, let count)): note(.packetsRequested(count: count), at: now, for: observer)
            case .event(.keyFrameRequested): note(.keyFrameRequested, at: now, for: observer)
            case .event(.muted), .event(.unmuted): isInterrupted = true
            case .event(.failed(let error)): failures.append(PipelineError(error))
            case .event, .makeKeyFrame, .transmit: break
            case .wait: return nil
            }
        }
    }

    /// Takes why sessions have ended since the last call.
    func takeFailures() -> [any Error] {
        defer { failures.removeAll() }
        return failures
    }

    private func note(_ event: ReceiveEvent, at time: MediaTime, for observer: Observer?) {
        guard let observer else { return }
        events.append(Event(observer: observer, event: event, time: time))
    }

    private func take(from session: RTPSession) {
        var queue = spare.popLast() ?? DatagramQueue()
        session.exchangeDatagrams(&queue)
        if queue.isEmpty { spare.append(queue) } else { datagrams.append(queue) }
    }

    /// Delivers all events, then all datagrams, each in order. Nothing may be added meanwhile.
    func deliver(to feedback: some PacketSink) {
        guard !isEmpty else { return }
        for event in events { event.observer(event.event, event.time) }
        events.removeAll(keepingCapacity: true)
        for queue in datagrams {
            queue.deliver(to: feedback)
            spare.append(queue)
        }
        datagrams.removeAll(keepingCapacity: true)
    }
}
