public import RillCodec
public import RillCore
import RillRTP
import RillSession
import RillThreads

/// A sending pipeline live: the source on one thread, each layer's encoder on a thread of its own.
///
///     let sender = try LiveSender(pipeline, source: scene, packets: socket)
///     …
///     sender.stop()
///
/// Nothing waits for long: frames that come while a layer is still encoding one wait in a hand-off of two places, so that
/// a single frame that takes three times its time (a scene that changes, a machine that stands still) loses none. Where
/// there is no place the oldest gives way; it is counted, and what was asked of the encoder with it is asked again with its
/// successor. A source that delivers faster than real time (a clip, a scene) is paced by its stamps, from its first
/// frame on, and its frames count as captured when they are due; those of a camera go on as they come, and count as
/// captured when the camera says.
///
/// It sends until its source ends or ``stop()`` is called; to let go of it ends nothing.
///
/// Threads: `rill-capture`, and `rill-` with the layer's name. Sinks are called on these, with no lock held; the packet sink
/// is called from several of them, and gets a layer's packets in the order of their numbers. What ``receive(_:)`` is asked
/// for is retransmitted on the thread that called it, beside them. They ask the system for turns shorter than a decoder's, so that its work does not hold up a frame that
/// waits to be sent. A frame that finds its processor asleep waits for that: see ``WakeLatencyRequest``.
public final class LiveSender: Sendable {
    /// The clock that frames and packets are stamped with.
    public let clock: LiveClock
    /// What is being sent; change bitrates, switch layers and ask for key frames here.
    public let pipeline: SendPipeline

    private let packets: any PacketSink & Sendable
    private let handoffs: [LatestValues<LayerJob>]
    private let placement: ThreadPlacement
    private let state = Monitor(State())

    private struct State: ~Copyable {
        var isStopping = false
        var runningThreads = 0
        /// All that were started.
        var threads: [NamedThread] = []
        var isFinished = false
        /// Tasks that wait for the end.
        var waiters: [CheckedContinuation<(any Error)?, Never>] = []
        var framesCaptured = 0
        var span = MediaSpan()
        var failure: (any Error)?
        var sourceFailure: (any Error)?
    }

    /// Starts sending.
    ///
    /// - Parameters:
    ///   - source: where frames come from; it belongs to the capture thread from now on.
    ///   - packets: where packets go; called from each layer's thread.
    ///   - clock: the session's clock, if it has one already.
    ///   - placement: where its threads run.
    public init(
        _ pipeline: SendPipeline, source: sending any FrameSource, packets: any PacketSink & Sendable,
        clock: LiveClock = LiveClock(), placement: ThreadPlacement = .system
    ) {
        self.pipeline = pipeline
        self.packets = packets
        self.clock = clock
        self.placement = placement
        let zero = NTPTimestamp.unixEpoch.advanced(byNanoseconds: clock.wallClockAtZero)
        pipeline.session?.look { $0.setWallClock(atZero: zero) }
        self.handoffs = pipeline.layers.map { _ in LatestValues<LayerJob>(capacity: LayerJob.waitingLimit) }
        start(source)
    }

    /// Starts sending the layers of a source: pipeline and driver in one.
    ///
    ///     let sender = try LiveSender(source: scene, layers: [.high(.vga, bitrate: .kilobits(800)), .low]) { packet, time in
    ///         socket.send(packet)
    ///     }
    ///
    /// - Parameter send: is called with each packet, from the layers' threads.
    public convenience init(
        source: sending any FrameSource, layers: [LayerSettings],
        send: @escaping @Sendable (Span<UInt8>, MediaTime) -> Void
    ) throws(PipelineError) {
        let settings = SendSettings(layers: layers, seed: .random(in: 0 ... .max))
        self.init(try SendPipeline(settings), source: source, packets: ConcurrentPacketTap(send))
    }

    /// Takes an RTCP packet of the receiver, on any thread. Packets that it misses are sent again from there.
    public func receive(_ rtcp: Span<UInt8>) {
        resend(rtcp, to: packets)
    }

    private func resend(_ rtcp: Span<UInt8>, to packets: some PacketSink) {
        pipeline.receive(rtcp, at: clock.now, retransmittingTo: packets)
    }

    /// Stops after the frame in work, and waits until all threads are done. Not for a sink or a tap of this sender, whose
    /// thread would wait for itself; a tap that throws ends the session.
    ///
    /// - Throws: what ended the session before, if something did: an error of an encoder or a tap.
    public func stop() throws {
        state.change { $0.isStopping = true }
        try waitUntilFinished()
    }

    /// Waits until the source has given its last frame and all packets are sent. An endless source is stopped by
    /// ``stop()``.
    ///
    /// - Throws: what ended the session, if it was an error of an encoder or a tap.
    public func waitUntilFinished() throws {
        // Found out, and not waited for: a hang would say nothing.
        if state.withLock({ $0.threads }).contains(where: \.isCurrent) {
            fatalError("a sender's own thread waits for its end: a sink or tap must not")
        }
        let failure: (any Error)?? = state.wait { $0.isFinished ? .some($0.failure) : nil }
        if let failure = failure ?? nil { throw failure }
    }

    /// The same as ``waitUntilFinished()`` for a task: it is suspended, and blocks no thread.
    public func finished() async throws {
        let failure: (any Error)? = await withCheckedContinuation { continuation in
            let result: (any Error)?? = state.withLock { state in
                guard !state.isFinished else { return .some(state.failure) }
                state.waiters.append(continuation)
                return nil
            }
            if let result { continuation.resume(returning: result) }
        }
        if let failure { throw failure }
    }

    /// Why the source ended before its end, if it did. What came before was sent.
    public var sourceFailure: (any Error)? { state.withLock { $0.sourceFailure } }

    /// Whether all frames are sent, or the session has failed.
    public var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Frames that the source has given.
    public var framesCaptured: Int { state.withLock { $0.framesCaptured } }

    /// The length of what the source has given.
    public var duration: MediaDuration { state.withLock { $0.span.duration } }

    /// Frames that gave way to a newer one because the layer's encoder was busy, in the order of the layers.
    public var framesDropped: [Int] { handoffs.map(\.dropped) }
}

// MARK: - The threads

extension LiveSender {
    private func start(_ source: sending any FrameSource) {
        state.withLock { $0.runningThreads = 1 + handoffs.count }
        let layers = pipeline.settings.layers
        let largest = pipeline.settings.indexOfLargestLayer
        for index in handoffs.indices {
            let affinity = placement.affinity(isLargestEncoder: index == largest)
            let thread = NamedThread(
                "rill-\(layers[index].rid)", timeSlice: index == largest ? .short : .medium, affinity: affinity
            ) {
                self.run { try self.encode(layer: index) }
            }
            state.withLock { $0.threads.append(thread) }
        }
        // The source is handed over to the capture thread, which alone uses it.
        let handedOver = Monitor(Optional(source))
        let thread = NamedThread(
            "rill-capture", timeSlice: .short, affinity: placement.affinity(isLargestEncoder: false)
        ) {
            self.run {
                defer { for handoff in self.handoffs { handoff.close() } }
                if let source = handedOver.withLock({ $0.take() }) { try self.capture(source) }
            }
        }
        state.withLock { $0.threads.append(thread) }
    }

    /// A thread's work; the first error ends the session.
    private func run(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            state.change { state in
                state.failure = state.failure ?? error
                state.isStopping = true
            }
        }
        let isLast = state.withLock { state in
            state.runningThreads -= 1
            return state.runningThreads == 0
        }
        guard isLast else { return }
        let failure = Result { try pipeline.finish() }.failure
        let (waiters, outcome) = state.change { state in
            state.failure = state.failure ?? failure
            state.isFinished = true
            return (state.waiters, state.failure)
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    private func capture(_ source: any FrameSource) throws {
        var lag: MediaDuration?
        while !state.withLock({ $0.isStopping }) {
            let output: SourceOutput
            do { output = try source.next() } catch {
                // What came before is still sent.
                state.withLock { $0.sourceFailure = error }
                return
            }
            switch output {
            case .frame(var frame) where source.format.isLive:
                frame.stamps[.captured] = clock.time(monotonic: frame.captureTime)
                try pass(frame, due: nil)
            case .frame(var frame):
                // The first frame is due at once: where the source's clock begins is the source's business.
                lag = lag ?? clock.now - frame.captureTime
                let due = frame.captureTime + (lag ?? .zero)
                // A camera would have taken it then, however late this thread wakes.
                frame.stamps[.captured] = due
                try pass(frame, due: due)
            // Everything is in use downstream: give the encoders a moment.
            case .noBuffer: LiveClock.pause()
            // The source has waited, and gives the session a chance to be stopped and to report.
            case .pending: pipeline.sendReports(at: clock.now, to: packets)
            case .end: return
            }
        }
    }

    private func pass(_ frame: VideoFrame, due: MediaTime?) throws {
        pipeline.sendReports(at: clock.now, to: packets)
        // The wait for the frame's time ends when the session is stopped: frames may lie far apart.
        if let due { _ = state.wait(untilMonotonic: clock.monotonic(due)) { $0.isStopping ? () : nil } }
        guard !state.withLock({ $0.isStopping }) else { return }
        state.withLock { state in
            state.framesCaptured += 1
            state.span.add(frame.captureTime)
        }
        try pipeline.admit(frame) {
            clock.now
        } put: { index, job in
            handoffs[index].put(job) { $0.merging($1) }
        }
    }

    private func encode(layer index: Int) throws {
        while let job = handoffs[index].take() {
            let start = clock.now
            try pipeline.carryOut(job, layer: index, to: packets) {
                clock.now
            } duration: {
                clock.now - start
            }
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
