import RillCore
import RillPeer
import RillRTP
import RillReceive
import RillSession
import RillThreads

/// Sends the congestion feedback of a live receiver: one for all of its streams.
///
/// Each stream has a session of its own, but the numbers of transport-wide feedback are shared by all packets of a
/// transport: a session that saw one stream only would report those of the others as lost. So this notes the packets of
/// all streams, in a session without streams.
///
/// Threads: `rill-feedback`, which begins with the first stream whose sender expects feedback, sends it. Packets are
/// noted on any thread.
final class ArrivalReporter: Sendable {
    private let clock: LiveClock
    private let feedback: any PacketSink & Sendable
    private let state = Monitor(State())

    private struct State: ~Copyable {
        /// `nil` while no sender expects feedback.
        var session: RTPSession?
        var thread: NamedThread?
        /// When the thread wakes, while it sleeps.
        var deadline = MediaTime.distantFuture
        var isStopping = false
    }

    init(clock: LiveClock, feedback: any PacketSink & Sendable) { (self.clock, self.feedback) = (clock, feedback) }

    /// Reports the packets of the transport from now on, as the sender of a stream expects it.
    ///
    /// - Returns: whether packets are to be noted.
    func add(_ stream: StreamReceiverSettings) -> Bool {
        guard let kind = stream.congestionFeedback, let media = stream.jitterBuffer.ssrc else { return false }
        return state.withLock { state in
            guard !state.isStopping else { return false }
            let session = state.session ?? PeerMedia(unprotected: RTPSessionSettings(receiving: stream)).session
            session.reportArrivals(kind, stream.jitterBuffer.headerExtensions, about: media)
            state.session = session
            if state.thread == nil { state.thread = NamedThread("rill-feedback", timeSlice: .medium) { self.run() } }
            return true
        }
    }

    /// Takes note of an RTP packet that arrived.
    ///
    /// - Parameters:
    ///   - datagram: the packet.
    ///   - isReceived: whether it belongs to a stream of the receiver.
    ///   - now: the current time.
    func note(_ datagram: Span<UInt8>, isReceived: Bool, at now: MediaTime) {
        state.changeWaking { state in
            guard let session = state.session else { return false }
            session.noteArrival(of: datagram, isReceived: isReceived, at: now)
            return session.nextPoll < state.deadline
        }
    }

    /// Ends the thread. The feedback sink is not called any more when this returns.
    func stop() {
        let thread = state.change { state in
            state.isStopping = true
            return state.thread.take()
        }
        thread?.join()
    }

    /// Ends the thread without waiting for it.
    func stopLater() { state.change { $0.isStopping = true } }

    // MARK: The thread

    private enum Step {
        case send
        case wait(until: MediaTime)
        case stop
    }

    private func run() {
        var datagrams = DatagramQueue()
        var deadline = MediaTime.distantFuture
        while true {
            let step: Step? = state.wait(untilMonotonic: clock.monotonic(deadline)) { state in
                guard !state.isStopping, let session = state.session else { return .stop }
                poll(session)
                session.exchangeDatagrams(&datagrams)
                guard datagrams.isEmpty else { return .send }
                state.deadline = session.nextPoll
                return state.deadline == deadline ? nil : .wait(until: state.deadline)
            }
            switch step {
            case .send: datagrams.deliver(to: feedback)
            case .wait(let time): deadline = time
            case .stop: return
            // The deadline has passed and nothing was due: look again.
            case nil: deadline = .distantFuture
            }
        }
    }

    private func poll(_ session: RTPSession) {
        // A session without streams has no frames to decode.
        var nothing: [UInt8] = []
        let now = clock.now
        while true {
            if case .wait = session.pollExceptDatagrams(at: now, into: &nothing) { return }
        }
    }
}
