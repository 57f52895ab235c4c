import RillBeauty
import RillCodec
public import RillCore
import RillImage
import RillSession
import RillThreads

/// The sending side: a frame in, the packets of every layer out.
///
///     let pipeline = try SendPipeline(SendSettings(layers: [.high(.vga, bitrate: .kilobits(800)), .low], seed: 7))
///     try pipeline.send(frame, at: now, to: socket)
///
/// A frame in full range is brought to limited range. It is turned upright if it has to be, made beautiful where that is
/// switched on, passes the taps and the ``SimulcastPlan``, is encoded by each layer that wants it, and cut into packets. The
/// pipeline owns no thread and reads no clock: ``LiveSender`` runs each layer on a thread of its own, ``send(_:at:to:)`` one
/// after the other, with the same bytes.
///
/// Threading: every method may be called from any thread, and by whatever the pipeline calls: no lock is held while a sink,
/// a tap or an observer is called. Frames are given by one at a time, in their order, and a layer's packets leave in the
/// order of their numbers. What is retransmitted leaves on the thread that brought the request, beside them.
public final class SendPipeline: Sendable {
    /// What is sent.
    public let settings: SendSettings
    package let layers: [SendLayer]
    /// The call that the layers are streams of; `nil` where they go to outputs alone.
    package let session: SharedSession?
    private let outputs: Monitor<Outputs>
    /// What is decided, and what is known: the one lock. Beside it stand what one thread at a time works with, and sinks of
    /// others.
    let state: Monitor<State>
    private let preparation: ExclusiveUse<FramePreparation>
    private let encodedTap: ExclusiveUse<(any EncodedFrameSink)?>
    private let traceTap: ExclusiveUse<TraceTap>

    struct State: Sendable {
        var decisions: SendDecisions
        /// What the app wants done to faces.
        var beauty: BeautyOptions
        var counts = FramePreparation.Counts()
    }

    private struct Outputs: ~Copyable {
        var all: [any LayerOutput] = []
        /// What each layer's last frame went to. Held until its next frame: who changes the list then always makes a new one, and the
        /// old one ends under the lock, where the thread sanitizer sees it.
        var taken: [[any LayerOutput]]

        mutating func take(layer index: Int) -> [any LayerOutput] {
            taken[index] = all
            return all
        }
    }

    private struct TraceTap {
        var sink: (any SendTraceSink)?
        var hasBegun = false
        /// What was told last of faces.
        var beauty: (options: BeautyOptions, level: BeautyLevel)?

        mutating func begin(_ layers: [SendLayer]) throws {
            guard !hasBegun else { return }
            try sink?.begin(layers.map(\.settings.rid))
            hasBegun = true
        }
    }

    /// A pipeline that has sent nothing.
    public convenience init(_ settings: SendSettings, taps: sending SendTaps = SendTaps()) throws(PipelineError) {
        var session = RTPSessionSettings(canonicalName: settings.canonicalName, seed: ~settings.seed)
        // Who only sends has nothing to say before it does.
        session.announcesItself = false
        // Its encoders work for whoever listens.
        session.acceptsPauseRequests = false
        try self.init(settings, on: SharedSession(session), taps: taps)
    }

    /// A pipeline that sends in a call which has other parts too: whoever polls the session hears of what is asked of this one.
    package init(
        _ settings: SendSettings, on session: SharedSession?, taps: sending SendTaps = SendTaps()
    ) throws(PipelineError) {
        self.settings = settings
        self.session = session
        outputs = Monitor(Outputs(taken: Array(repeating: [], count: settings.layers.count)))
        do {
            let decisions = try SendDecisions(settings.layers, settings.adaptation)
            self.state = Monitor(State(decisions: decisions, beauty: settings.beauty))
        } catch {
            throw .codec(error)
        }
        // Apart: a slow recording of coded frames must not hold up the camera.
        // The pipeline alone has the sinks from here on, and each is called by one thread at a time.
        nonisolated(unsafe) let preparation = FramePreparation(
            settings, captured: taps.captured, preprocessed: taps.preprocessed)
        nonisolated(unsafe) let encoded = taps.encoded
        nonisolated(unsafe) let trace = TraceTap(sink: taps.trace)
        self.preparation = unsafe ExclusiveUse(preparation)
        self.encodedTap = unsafe ExclusiveUse(encoded)
        self.traceTap = unsafe ExclusiveUse(trace)
        var random = SeededGenerator(seed: settings.seed)
        var layers: [SendLayer] = []
        for layer in settings.layers {
            layers.append(try SendLayer(layer, settings, on: session, using: &random))
        }
        self.layers = layers
        session?.listen { [state, ids = layers.map(\.id)] stream in
            guard let index = ids.firstIndex(of: stream) else { return }
            state.withLock { $0.decisions.requestKeyFrame(layer: index) }
        }
    }

    /// Sends one frame on every layer that wants it, and the sender reports that are due; their packets are with
    /// `packets` when this returns.
    ///
    /// - Parameter now: the time that the stages are stamped with.
    /// - Throws: ``CodecError``, or what a tap throws.
    public func send(_ frame: VideoFrame, at now: MediaTime, to packets: some PacketSink) throws {
        let (frame, tasks) = try admit(frame) { now }
        for index in layers.indices {
            guard let task = tasks[index] else { continue }
            try encode(frame, task, layer: index, to: packets) { now }
        }
        sendReports(at: now, to: packets)
    }

    /// The first half of the way: stamps the frame, brings it to limited range, turns it, makes it beautiful, shows it to
    /// the taps and says what each layer is to do with it. A frame for which there is no buffer to become another one goes no
    /// further: no layer has anything to do with it.
    package func admit(
        _ captured: VideoFrame, clock: () -> MediaTime
    ) throws -> (frame: VideoFrame, tasks: LayerTasks) {
        var frame = captured
        if frame.stamps[.captured] == nil { frame.stamps[.captured] = clock() }
        let (beauty, looksForChanges) = state.withLock { ($0.beauty, $0.decisions.plan.looksForChanges) }
        let (output, counts) = try preparation.use { preparation in
            let output = try preparation.prepare(frame, beauty, looksForChanges: looksForChanges, clock: clock)
            return (output, preparation.counts)
        }
        guard let output else {
            state.withLock { $0.counts = counts }
            return (frame, LayerTasks())
        }
        try record(output.beauty.options, output.beauty.level)
        let tasks = state.withLock { state in
            state.counts = counts
            return state.decisions.tasks(output.frame, content: output.content)
        }
        return (output.frame, tasks)
    }

    /// Tells the trace what is done to faces, where it differs from what it was.
    private func record(_ options: BeautyOptions, _ level: BeautyLevel) throws {
        try traceTap.use { tap in
            let last = tap.beauty ?? (.off, .full)
            guard tap.sink != nil, options != last.options || level != last.level else { return }
            try tap.begin(layers)
            // What the filter began with is where its first change starts from.
            if tap.beauty == nil { try tap.sink?.record(beauty: settings.beauty, at: .full, fromFrame: 0) }
            let frame = state.withLock { $0.decisions.plan.frameCount }
            try tap.sink?.record(beauty: options, at: level, fromFrame: frame)
            tap.beauty = (options, level)
        }
    }

    /// The second half, for one layer: encodes the frame and sends its packets.
    @discardableResult
    func encode(
        _ frame: VideoFrame, _ task: LayerTask, layer index: Int, to packets: some PacketSink, clock: () -> MediaTime
    ) throws -> LayerEncoder.Outcome {
        try record(.frame(captureTime: frame.captureTime, task: task), layer: index)
        return try layers[index].encode(frame, task, clock: clock) { coded, payload in
            var coded = coded
            coded.stamps[.encoded] = clock()
            try encodedTap.use { try $0?.consume(coded, payload: payload) }
            layers[index].send(coded, payload, to: packets, clock: clock)
            for output in outputs.withLock({ $0.take(layer: index) }) {
                output.send(coded, payload, of: index, at: clock())
            }
        }
    }

    /// Gives all coded frames to `output` too, from the next one on.
    package func add(_ output: any LayerOutput) { outputs.withLock { $0.all.append(output) } }

    /// Gives it no more of them; one that is being given may still come.
    package func remove(_ output: any LayerOutput) { outputs.withLock { $0.all.removeAll { $0 === output } } }

    /// A frame of layer `index` gave way to a newer one.
    func drop(_ task: LayerTask, layer index: Int, at now: MediaTime) throws {
        try record(.dropped(frame: task.frame), layer: index)
        try adapt(.dropped, layer: index, at: now)
    }

    /// Takes note of what the encoder of layer `index` did with a frame, and adapts the layer where that is called for.
    func note(
        _ outcome: LayerEncoder.Outcome, after duration: MediaDuration, layer index: Int, at now: MediaTime
    ) throws {
        switch outcome {
        case .coded(let quantizer): try adapt(.encoded(in: duration, quantizer: quantizer), layer: index, at: now)
        case .dropped: try adapt(.dropped, layer: index, at: now)
        // It says nothing about what a picture costs.
        case .unchanged, .held: break
        }
    }

    private func adapt(_ frame: AdaptationController.Frame, layer index: Int, at now: MediaTime) throws {
        guard let step = state.withLock({ $0.decisions.adapt(layer: index, frame, at: now) }) else { return }
        try record(.adapted(step), layer: index)
    }

    private func record(_ event: SendTraceEvent, layer index: Int) throws {
        try traceTap.use { tap in
            try tap.begin(layers)
            try tap.sink?.record(event, of: layers[index].settings.rid)
        }
    }

    /// No frame will follow: the taps' sinks write what is still to be written. All of them do, whatever happens to one;
    /// the first error is thrown.
    public func finish() throws {
        let results = [
            Result { try preparation.use { try $0.finish() } },
            Result { try encodedTap.use { try $0?.finish() } },
            Result { try traceTap.use { try $0.sink?.finish() } },
        ]
        for result in results { try result.get() }
    }
}
