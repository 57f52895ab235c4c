package import RillCore
package import RillPeer
package import RillSession

/// A session that several threads share: encoders that send on it, and the threads that read the network and keep the
/// time.
///
/// The thread that changes the session drains it: it takes the pending output out under the lock, and delivers it
/// after the lock is released. So the receiver of an event may call back, and two sessions that send to each other do
/// not deadlock. A packet is copied once, from its stream's history into a batch, and batches are reused: sending
/// allocates nothing.
///
/// Order: a thread delivers the results of its own changes, in order. Changes that two threads make at the same time
/// may be delivered in either order. A layer's packets come from one encoder, in sequence number order, with
/// retransmissions interleaved.
///
/// A session with a pacer has output at times when no thread changes it: who polls it delivers that.
package final class SharedSession: Sendable {
    fileprivate let state: Monitor<State>
    private let keyFrames = Monitor<KeyFrameHandler?>(nil)

    fileprivate struct State: ~Copyable {
        var media: PeerMedia
        var session: RTPSession { media.session }
        /// Free batches: one for each thread, and one more for each sink that called back.
        var spare: [Batch] = []
    }

    private struct KeyFrameHandler {
        let request: @Sendable (SendingStreamID) -> Void
    }

    /// Pending output.
    fileprivate final class Batch {
        var datagrams = DatagramQueue()
        var keyFrames: [SendingStreamID] = []
        var events: [SessionEvent] = []
        var isEmpty: Bool { datagrams.isEmpty && keyFrames.isEmpty && events.isEmpty }
    }

    /// What the polling caller does next.
    package enum Step {
        /// Decode this frame, whose bytes are in the array, and report the outcome.
        case decode(ReceivedFrame, of: ReceivingStreamID)
        /// Nothing until that time or the next datagram.
        case wait(until: MediaTime)
    }

    /// A session whose packets are not protected, and that has no streams yet.
    package convenience init(_ settings: RTPSessionSettings) { self.init(PeerMedia(unprotected: settings)) }

    /// The media of a peer.
    package init(_ media: consuming sending PeerMedia) { state = Monitor(State(media: media)) }

    /// Has `request` called for each key frame that the remote side requests, on the thread that received the
    /// request.
    package func listen(_ request: @escaping @Sendable (SendingStreamID) -> Void) {
        keyFrames.withLock { $0 = KeyFrameHandler(request: request) }
    }

    /// Reads the session, or makes a change that has no output.
    package func look<Result, Failure: Error>(
        _ body: (RTPSession) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try state.withLock { (state) throws(Failure) in try body(state.session) }
    }

    /// Reads keys and streams, or makes a change of them that has no output.
    package func withMedia<Result, Failure: Error>(
        _ body: (inout PeerMedia) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try state.withLock { (state) throws(Failure) in try body(&state.media) }
    }

    /// Appends a packet of ours as it leaves: nothing before there are keys.
    func protect(_ packet: Span<UInt8>, into datagram: inout OutputSpan<UInt8>) {
        state.withLock { state in _ = state.media.protect(packet, into: &datagram) }
    }

    /// Changes the session, and sends the pending datagrams by `send`, which takes all at once. Events wait for the
    /// next poll.
    package func change<Result>(delivering send: (DatagramQueue) -> Void, _ body: (RTPSession) -> Result) -> Result {
        changeMedia(delivering: send) { media in body(media.session) }
    }

    /// Does the same with packets, streams and keys.
    package func changeMedia<Result>(
        delivering send: (DatagramQueue) -> Void, _ body: (inout PeerMedia) -> Result
    ) -> Result {
        let (result, batch) = state.withLock { state -> (Result, Batch?) in
            let result = body(&state.media)
            let batch = state.spare.popLast() ?? Batch()
            state.session.exchangeDatagrams(&batch.datagrams)
            state.session.takeKeyFrameRequests(into: &batch.keyFrames)
            while let stream = state.media.takeKeyFrameRequest() { batch.keyFrames.append(stream) }
            return (result, state.keep(batch))
        }
        if let batch { say(batch, by: send) { _ in } }
        return result
    }

    /// Does what is due, delivers the output, and returns the next frame to decode.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - bytes: receives the bytes of the frame.
    ///   - send: takes all datagrams at once.
    ///   - handle: is called with each event, after the lock is released.
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

    /// Delivers the content of a batch, and gives it back.
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
    /// Returns the batch if it has content; otherwise keeps it for reuse.
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
        case .transmit, .decode, .payload, .wait: break
        }
    }
}

extension RTPSession {
    /// Polls, leaving the datagrams, until there is a frame to decode or nothing to do.
    fileprivate func poll(
        at now: MediaTime, into bytes: inout [UInt8], _ note: (SessionAction) -> Void
    ) -> SharedSession.Step {
        while true {
            switch pollExceptDatagrams(at: now, into: &bytes) {
            case .decode(let stream): return .decode(releasedFrame, of: stream)
            case .wait(let time): return .wait(until: time)
            case let action: note(action)
            }
        }
    }
}
