public import RillCodec
public import RillCore
import RillRTP
import RillSession
import RillThreads

/// A live sender: it runs the source on one thread, and each layer's encoder on its own thread.
///
/// ```swift
/// let sender = LiveSender(pipeline, source: scene, packets: socket)
/// …
/// try sender.stop()
/// ```
///
/// Frames that arrive while a layer encodes wait in a queue of two. A single frame that takes three times its share
/// (a scene change, a stalled machine) thus drops no frame. If the queue is full, the oldest frame is dropped and
/// counted; what was requested of the encoder with it is requested with its successor. A source that delivers faster
/// than real time (a clip, a scene) is paced by its timestamps, from its first frame; its frames count as captured
/// when they are due. Frames of a camera are passed on as they arrive, and count as captured at the camera's own
/// time.
///
/// The sender sends until its source ends or ``stop()`` is called. Releasing it ends nothing.
///
/// Threads: `rill-capture`, and `rill-` with the layer's name. Sinks are called on these threads with no lock held.
/// The packet sink is called from several of them, and receives a layer's packets in the order of their sequence
/// numbers. ``receive(_:)`` sends retransmissions on the thread that called it, concurrently. With congestion control
/// (``SendSettings/congestion``) packets leave at the times of its pacer, and one thread more, `rill-pace`, calls the
/// packet sink with all of them; what waits when the source ends still leaves. The threads ask the
/// system for shorter time slices than decoders do, so that decoding does not delay a frame that waits to be sent. A
/// frame whose processor is asleep waits until it wakes: see ``WakeLatencyRequest``.
public final class LiveSender: Sendable {
    /// The clock that timestamps frames and packets.
    public let clock: LiveClock
    /// The pipeline: change bitrates, switch layers and request key frames here.
    public let pipeline: SendPipeline

    private let packets: any PacketSink & Sendable
    private let handoffs: [LatestValues<LayerJob>]
    private let placement: ThreadPlacement
    /// The session if it has a pacer: then one thread lets all packets leave.
    private let paced: SharedSession?
    private let state = Monitor(State())

    private struct State: ~Copyable {
        var isStopping = false
        var runningThreads = 0
        /// All threads that were started.
        var threads: [NamedThread] = []
        var isFinished = false
        /// Tasks that wait for the end.
        var waiters: [CheckedContinuation<(any Error)?, Never>] = []
        var framesCaptured = 0
        var span = MediaSpan()
        var failure: (any Error)?
        var sourceFailure: (any Error)?
    }

    /// Creates a sender and starts sending.
    ///
    /// - Parameters:
    ///   - pipeline: the pipeline to run.
    ///   - source: the frames to send; it belongs to the capture thread from now on.
    ///   - packets: receives the packets; called from each layer's thread.
    ///   - clock: the session's clock, if it already has one.
    ///   - placement: where the threads run.
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
        paced = pipeline.settings.congestion == nil ? nil : pipeline.session
        start(source)
    }

    /// Creates pipeline and sender in one, and starts sending the layers of a source.
    ///
    /// ```swift
    /// let layers: [LayerSettings] = [.high(.vga, bitrate: .kilobits(800)), .low]
    /// let sender = try LiveSender(source: scene, layers: layers) { packet, time in
    ///     socket.send(packet)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - source: the frames to send; it belongs to the capture thread from now on.
    ///   - layers: the layers to send, one to three.
    ///   - send: is called with each packet and its time, from the layers' threads.
    /// - Throws: ``PipelineError``.
    public convenience init(
        source: sending any FrameSource, layers: [LayerSettings],
        send: @escaping @Sendable (Span<UInt8>, MediaTime) -> Void
    ) throws(PipelineError) {
        let settings = SendSettings(layers: layers, seed: .random(in: 0 ... .max))
        self.init(try SendPipeline(settings), source: source, packets: ConcurrentPacketTap(send))
    }

    /// Takes an RTCP packet of the receiver, on any thread. Packets that it NACKs are retransmitted from that thread.
    public func receive(_ rtcp: Span<UInt8>) {
        resend(rtcp, to: packets)
    }

    private func resend(_ rtcp: Span<UInt8>, to packets: some PacketSink) {
        pipeline.receive(rtcp, at: clock.now, retransmittingTo: packets)
    }

    /// Stops after the current frame, and waits until all threads have ended. A sink or a tap of this sender must not
    /// call it: its thread would wait for itself. A tap that throws ends the session.
    ///
    /// - Throws: the error of an encoder or a tap that ended the session before, if any.
    public func stop() throws {
        state.change { $0.isStopping = true }
        try waitUntilFinished()
    }

    /// Waits until the source has delivered its last frame and all packets are sent. ``stop()`` ends an endless
    /// source.
    ///
    /// - Throws: the error of an encoder or a tap that ended the session, if any.
    public func waitUntilFinished() throws {
        // Traps instead of hanging: a hang would explain nothing.
        if state.withLock({ $0.threads }).contains(where: \.isCurrent) {
            fatalError("a sender's own thread waits for its end: a sink or tap must not")
        }
        let failure: (any Error)?? = state.wait { $0.isFinished ? .some($0.failure) : nil }
        if let failure = failure ?? nil { throw failure }
    }

    /// Does the same as ``waitUntilFinished()`` for a task: it suspends, and blocks no thread.
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

    /// The error that ended the source early, if any. Earlier frames were sent.
    public var sourceFailure: (any Error)? { state.withLock { $0.sourceFailure } }

    /// Whether all frames are sent, or the session has failed.
    public var isFinished: Bool { state.withLock { $0.isFinished } }

    /// The number of frames that the source has delivered.
    public var framesCaptured: Int { state.withLock { $0.framesCaptured } }

    /// The duration of what the source has delivered.
    public var duration: MediaDuration { state.withLock { $0.span.duration } }

    /// Frames replaced by a newer one because the layer's encoder was busy, in the order of the layers.
    public var framesDropped: [Int] { handoffs.map(\.dropped) }
}

// MARK: - The threads

extension LiveSender {
    private func start(_ source: sending any FrameSource) {
        state.withLock { $0.runningThreads = 1 + handoffs.count + (paced == nil ? 0 : 1) }
        if let paced { pace(paced) }
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

    /// Runs a thread's work; the first error ends the session.
    private func run(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            state.change { state in
                state.failure = state.failure ?? error
                state.isStopping = true
            }
        }
        let (runningCount, isStopping) = state.withLock { state in
            state.runningThreads -= 1
            return (state.runningThreads, state.isStopping)
        }
        // Only the pacing thread is left, and nothing more comes for it.
        if runningCount == 1 { paced?.endDriving(draining: !isStopping) }
        guard runningCount == 0 else { return }
        let failure = Result { try pipeline.finish() }.failure
        let (waiters, outcome) = state.change { state in
            state.failure = state.failure ?? failure
            state.isFinished = true
            return (state.waiters, state.failure)
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    /// Starts the thread that lets packets leave.
    private func pace(_ session: SharedSession) {
        // Before any packet: in order from the first one on.
        session.beginDriving()
        let thread = NamedThread("rill-pace", timeSlice: .short, affinity: placement.affinity(isLargestEncoder: false))
        {
            self.run { session.drive(self.clock, sendingTo: self.packets) }
        }
        state.withLock { $0.threads.append(thread) }
    }

    /// Sends the reports that are due, unless the pacing thread does.
    private func sendReports() { if paced == nil { pipeline.sendReports(at: clock.now, to: packets) } }

    private func capture(_ source: any FrameSource) throws {
        var lag: MediaDuration?
        while !state.withLock({ $0.isStopping }) {
            let output: SourceOutput
            do { output = try source.next() } catch {
                // Earlier frames are still sent.
                state.withLock { $0.sourceFailure = error }
                return
            }
            switch output {
            case .frame(var frame) where source.format.isLive:
                frame.timestamps[.captured] = clock.time(monotonic: frame.captureTime)
                try pass(frame, due: nil)
            case .frame(var frame):
                // The first frame is due at once, wherever the source's clock starts.
                lag = lag ?? clock.now - frame.captureTime
                let due = frame.captureTime + (lag ?? .zero)
                // A camera would have captured it then, however late this thread wakes.
                frame.timestamps[.captured] = due
                try pass(frame, due: due)
            // All buffers are in use downstream: give the encoders a moment.
            case .noBuffer: LiveClock.pause()
            // The source has waited: the session may be stopped here, and sends its reports.
            case .pending: sendReports()
            case .end: return
            }
        }
    }

    private func pass(_ frame: VideoFrame, due: MediaTime?) throws {
        sendReports()
        // Stopping the session ends the wait for the frame's time: frames may be far apart.
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
