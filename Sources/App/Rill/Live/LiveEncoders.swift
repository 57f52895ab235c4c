import RillCodec
package import RillCore
import RillThreads

/// A source and the encoders of its layers, each on a thread of its own: what a call sends comes from here.
///
/// Frames that arrive while a layer encodes wait in a queue of two. A single frame that takes three times its share
/// (a scene change, a stalled machine) thus drops no frame. If the queue is full, the oldest frame is dropped and
/// counted; what was requested of the encoder with it is requested with its successor. A source that delivers faster
/// than real time (a clip, a scene) is paced by its timestamps, from its first frame; its frames count as captured
/// when they are due. Frames of a camera are passed on as they arrive, and count as captured at the camera's own
/// time.
///
/// It runs until its source ends or ``stop()`` is called. Releasing it ends nothing.
///
/// Threads: `rill-capture`, and `rill-` with the layer's name. The pipeline's taps and outputs are called on these
/// threads with no lock held. The threads ask the system for shorter time slices than decoders do, so that decoding
/// does not delay a frame that waits to be sent. A frame whose processor is asleep waits until it wakes: see
/// ``WakeLatencyRequest``.
package final class LiveEncoders: Sendable {
    /// The clock that timestamps frames.
    package let clock: LiveClock
    /// What encodes.
    package let pipeline: SendPipeline

    private let handoffs: [LatestValues<LayerJob>]
    private let placement: ThreadPlacement
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

    /// Starts encoding.
    ///
    /// - Parameters:
    ///   - pipeline: the pipeline to run.
    ///   - source: the frames; it belongs to the capture thread from now on.
    ///   - clock: the call's clock.
    ///   - placement: where the threads run.
    /// - Throws: ``ThreadError``. Then no thread of it runs.
    package init(
        _ pipeline: SendPipeline, source: sending any FrameSource, clock: LiveClock = LiveClock(),
        placement: ThreadPlacement = .system
    ) throws(ThreadError) {
        (self.pipeline, self.clock, self.placement) = (pipeline, clock, placement)
        self.handoffs = pipeline.layers.map { _ in LatestValues<LayerJob>(capacity: LayerJob.waitingLimit) }
        do throws(ThreadError) { try start(source) } catch {
            for handoff in handoffs { handoff.close() }
            for thread in state.withLock({ $0.threads }) { thread.join() }
            throw error
        }
    }

    /// Stops after the current frame, and waits until all threads have ended. A tap of the pipeline must not call it:
    /// its thread would wait for itself.
    ///
    /// - Throws: the error of an encoder or a tap that ended it before, if any.
    package func stop() throws {
        state.change { $0.isStopping = true }
        try waitUntilFinished()
    }

    /// Waits until the source has delivered its last frame and all frames are encoded. ``stop()`` ends an endless
    /// source.
    ///
    /// - Throws: the error of an encoder or a tap that ended it, if any.
    package func waitUntilFinished() throws {
        // Traps instead of hanging: a hang would explain nothing.
        if state.withLock({ $0.threads }).contains(where: \.isCurrent) {
            fatalError("an encoder's own thread waits for its end: a tap must not")
        }
        let failure: (any Error)?? = state.wait { $0.isFinished ? .some($0.failure) : nil }
        if let failure = failure ?? nil { throw failure }
    }

    /// Does the same as ``waitUntilFinished()`` for a task: it suspends, and blocks no thread.
    package func finished() async throws {
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

    /// The error that ended the source early, if any. Earlier frames were encoded.
    package var sourceFailure: (any Error)? { state.withLock { $0.sourceFailure } }

    /// Whether all frames are encoded, or an encoder or tap has failed.
    package var isFinished: Bool { state.withLock { $0.isFinished } }

    /// The number of frames that the source has delivered.
    package var framesCaptured: Int { state.withLock { $0.framesCaptured } }

    /// The duration of what the source has delivered.
    package var duration: MediaDuration { state.withLock { $0.span.duration } }

    /// Frames replaced by a newer one because the layer's encoder was busy, in the order of the layers.
    package var framesDropped: [Int] { handoffs.map(\.dropped) }
}

// MARK: - The threads

extension LiveEncoders {
    private func start(_ source: sending any FrameSource) throws(ThreadError) {
        state.withLock { $0.runningThreads = 1 + handoffs.count }
        let layers = pipeline.settings.layers
        let largest = pipeline.settings.indexOfLargestLayer
        for index in handoffs.indices {
            let affinity = placement.affinity(isLargestEncoder: index == largest)
            let thread = try NamedThread(
                "rill-\(layers[index].rid)", timeSlice: index == largest ? .short : .medium, affinity: affinity
            ) {
                self.run { try self.encode(layer: index) }
            }
            state.withLock { $0.threads.append(thread) }
        }
        // The source is handed over to the capture thread, which alone uses it.
        let handedOver = Monitor(Optional(source))
        let thread = try NamedThread(
            "rill-capture", timeSlice: .short, affinity: placement.affinity(isLargestEncoder: false)
        ) {
            self.run {
                defer { for handoff in self.handoffs { handoff.close() } }
                if let source = handedOver.withLock({ $0.take() }) { try self.capture(source) }
            }
        }
        state.withLock { $0.threads.append(thread) }
    }

    /// Runs a thread's work; the first error ends all.
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
                // Earlier frames are still encoded.
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
            // The source has waited: this may be stopped meanwhile.
            case .pending: continue
            case .end: return
            }
        }
    }

    private func pass(_ frame: VideoFrame, due: MediaTime?) throws {
        // Stopping ends the wait for the frame's time: frames may be far apart.
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
            try pipeline.carryOut(job, layer: index) {
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

/// Where the threads of a live session run.
public enum ThreadPlacement: Sendable {
    /// Where the system puts them: right for most sessions.
    case system
    /// The encoder of the largest layer on the last hardware thread that the process may use, all other threads on
    /// the rest. With one hardware thread it is the same as ``system``.
    ///
    /// For a machine whose main work is the session, and a single-threaded encoder. If the system puts small threads
    /// on the hardware thread that an encoder occupies for most of a frame's time, they wait for it. The gain depends
    /// on the system: measure it with `Scripts/bench latency`.
    case encoderApart
}

extension ThreadPlacement {
    /// The CPU affinity of a thread.
    func affinity(isLargestEncoder: Bool) -> NamedThread.CPUAffinity {
        switch self {
        case .system: .any
        case .encoderApart: isLargestEncoder ? .last : .allButLast
        }
    }
}
