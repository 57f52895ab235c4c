package import RillCore
package import RillSession
import RillThreads

/// A session that several threads share: encoders that send on it, and whoever reads the network and keeps the time.
///
/// Who changes it drains it: what waits to be said then is taken out, and said when the lock is free again. So whoever hears of it
/// may call back, and two that send to each other do not wait for each other. A packet is copied once on its way, from its stream's
/// history into a batch, and batches are used again: sending allocates nothing.
///
/// Order: what one thread has changed is said by that thread, in its order. Of what two threads change at the same time either may
/// be said first: a layer's packets come from one encoder, in the order of their numbers, and retransmissions beside them.
package final class SharedSession: Sendable {
    private let state: Monitor<State>
    private let keyFrames = Monitor<KeyFrameHandler?>(nil)

    fileprivate struct State: ~Copyable {
        let session: RTPSession
        /// Batches that nobody has at present: one for each thread, and one more for each sink that called back.
        var spare: [Batch] = []
    }

    private struct KeyFrameHandler {
        let request: @Sendable (SendingStreamID) -> Void
    }

    /// What is to be said.
    fileprivate final class Batch {
        var datagrams = DatagramQueue()
        var keyFrames: [SendingStreamID] = []
        var events: [SessionEvent] = []
        var isEmpty: Bool { datagrams.isEmpty && keyFrames.isEmpty && events.isEmpty }
    }

    /// What is to be done by the one who polls.
    package enum Step {
        /// Decode this frame, whose bytes are in the array, and say what came of it.
        case decode(ReceivedFrame, of: ReceivingStreamID)
        /// Nothing before that time or the next datagram.
        case wait(until: MediaTime)
    }

    package init(_ settings: RTPSessionSettings) {
        state = Monitor(State(session: RTPSession(settings)))
    }

    /// Has `request` called for each key frame that the other side wants, by the thread that heard of it.
    package func listen(_ request: @escaping @Sendable (SendingStreamID) -> Void) {
        keyFrames.withLock { $0 = KeyFrameHandler(request: request) }
    }

    /// Looks into the session, or changes what leads to nothing that is to be said.
    package func look<Result, Failure: Error>(
        _ body: (RTPSession) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try state.withLock { (state) throws(Failure) in try body(state.session) }
    }

    /// Changes the session, and sends what waits then. Events wait for who polls.
    package func change<Result>(sendingTo packets: some PacketSink, _ body: (RTPSession) -> Result) -> Result {
        change(delivering: { $0.deliver(to: packets) }, body)
    }

    /// The same for who takes all datagrams at once.
    package func change<Result>(delivering send: (DatagramQueue) -> Void, _ body: (RTPSession) -> Result) -> Result {
        let (result, batch) = state.withLock { state in
            let result = body(state.session)
            let batch = state.spare.popLast() ?? Batch()
            state.session.exchangeDatagrams(&batch.datagrams)
            state.session.takeKeyFrameRequests(into: &batch.keyFrames)
            return (result, state.keep(batch))
        }
        if let batch { say(batch, by: send) { _ in } }
        return result
    }

    /// Does what is due, says what is to be said, and gives the next frame to decode.
    ///
    /// - Parameter handle: is told what happened, when the lock is free.
    package func poll(
        at now: MediaTime, into bytes: inout [UInt8], sendingTo packets: some PacketSink,
        _ handle: (SessionEvent) -> Void
    ) -> Step {
        poll(at: now, into: &bytes, delivering: { $0.deliver(to: packets) }, handle)
    }

    /// The same for who takes all datagrams at once.
    package func poll(
        at now: MediaTime, into bytes: inout [UInt8], delivering send: (DatagramQueue) -> Void,
        _ handle: (SessionEvent) -> Void
    ) -> Step {
        let (step, batch) = state.withLock { state in
            let batch = state.spare.popLast() ?? Batch()
            let step = state.session.poll(at: now, into: &bytes, batch.note)
            state.session.exchangeDatagrams(&batch.datagrams)
            return (step, state.keep(batch))
        }
        if let batch { say(batch, by: send, handle) }
        return step
    }

    /// Says what is in a batch, and gives it back.
    private func say(_ batch: Batch, by send: (DatagramQueue) -> Void, _ handle: (SessionEvent) -> Void) {
        if !batch.datagrams.isEmpty { send(batch.datagrams) }
        if !batch.keyFrames.isEmpty {
            let handler = keyFrames.withLock { $0 }
            for stream in batch.keyFrames { handler?.request(stream) }
            batch.keyFrames.removeAll(keepingCapacity: true)
        }
        for event in batch.events { handle(event) }
        batch.events.removeAll(keepingCapacity: true)
        state.withLock { $0.spare.append(batch) }
    }
}

extension SharedSession.State {
    /// The batch, if there is something in it; else it is kept for the next.
    mutating func keep(_ batch: SharedSession.Batch) -> SharedSession.Batch? {
        if !batch.isEmpty { return batch }
        spare.append(batch)
        return nil
    }
}

extension SharedSession.Batch {
    func note(_ action: SessionAction) {
        switch action {
        case .makeKeyFrame(let stream): keyFrames.append(stream)
        case .event(let event): events.append(event)
        case .transmit, .decode, .wait: break
        }
    }
}

extension RTPSession {
    /// Polls beside datagrams until there is a frame to decode, or nothing to do.
    fileprivate func poll(
        at now: MediaTime, into bytes: inout [UInt8], _ note: (SessionAction) -> Void
    ) -> SharedSession.Step {
        while true {
            switch pollBesideDatagrams(at: now, into: &bytes) {
            case .decode(let stream): return .decode(releasedFrame, of: stream)
            case .wait(let time): return .wait(until: time)
            case let action: note(action)
            }
        }
    }
}
