import RillBeauty
import RillCodec
public import RillCore
import RillFaces
import RillImage
import RillSession
import RillThreads

/// The sending side: a frame in, the packets of every layer out.
///
/// ```swift
/// let pipeline = try SendPipeline(SendSettings(layers: [.high(.vga, bitrate: .kilobits(800)), .low], seed: 7))
/// try pipeline.send(frame, at: now, to: socket)
/// ```
///
/// A full range frame is converted to limited range. It is rotated upright if necessary, and faces are filtered if
/// that is switched on. It passes the taps and the ``/RillCodec/SimulcastPlan``, is encoded by each layer that needs
/// it, and is packetized. The pipeline owns no thread and reads no clock. ``LiveSender`` runs each layer on its own
/// thread; ``send(_:at:to:)`` runs them one after the other, with the same resulting bytes.
///
/// Threads: every method may be called from any thread, and by whatever the pipeline calls: no lock is held while a
/// sink, a tap or an observer is called. Frames must be passed in order, by one thread at a time. A layer's packets
/// are sent in sequence number order. Retransmissions are sent on the thread that brought the request, concurrently.
public final class SendPipeline: Sendable {
    /// The settings that the pipeline was created with.
    public let settings: SendSettings
    package let layers: [SendLayer]
    /// The session that carries the layers' streams; `nil` if they only go to outputs.
    package let session: SharedSession?
    private let outputs: Monitor<Outputs>
    /// What may be sent; `nil` for anything.
    let budget: Monitor<Budget?>
    /// The decisions and the counters, under the one lock. Outside it are the parts that one thread at a time works
    /// with, and foreign sinks.
    let state: Monitor<State>
    private let preparation: ExclusiveUse<FramePreparation>
    private let encodedTap: ExclusiveUse<(any EncodedFrameSink)?>
    private let traceTap: ExclusiveUse<TraceTap>
    let faceObserver = Monitor<FaceObserver?>(nil)

    /// Weak: a call's budget holds the pipeline.
    struct Budget: Sendable {
        weak var budget: (any SendingBudget)?
    }

    struct State: Sendable {
        var decisions: SendDecisions
        /// The face processing that the app asked for.
        var beauty: BeautyOptions
        /// The cascade, or why there is none; `nil` until it is needed.
        var faces: Result<FaceCascade?, FaceCascadeError>?
        /// The faces that the app gave last, until a frame takes them, and the time of their frame.
        var given: [FaceRegion]?
        var givenTime: MediaTime?
        var counts = FramePreparation.Counts()
    }

    private struct Outputs: ~Copyable {
        var all: [any LayerOutput] = []
        /// What each layer's last frame went to, held until its next frame. Whoever changes the list then always
        /// creates a new one, and the old one ends under the lock, where the thread sanitizer sees it.
        var taken: [[any LayerOutput]]

        mutating func take(layer index: Int) -> [any LayerOutput] {
            taken[index] = all
            return all
        }
    }

    private struct TraceTap {
        var sink: (any SendTraceSink)?
        var hasBegun = false
        /// The face processing that was last recorded.
        var beauty: (options: BeautyOptions, level: BeautyLevel)?

        mutating func begin(_ layers: [SendLayer]) throws {
            guard !hasBegun else { return }
            try sink?.begin(layers.map(\.settings.rid))
            hasBegun = true
        }
    }

    /// Creates a pipeline with its own session.
    ///
    /// - Parameters:
    ///   - settings: what is sent.
    ///   - taps: sinks that see the frames on their way; none by default.
    /// - Throws: ``PipelineError``.
    public convenience init(_ settings: SendSettings, taps: sending SendTaps = SendTaps()) throws(PipelineError) {
        var session = RTPSessionSettings(canonicalName: settings.canonicalName, seed: ~settings.seed)
        // An endpoint that only sends has nothing to report before it does.
        session.announcesItself = false
        // Its encoders work for any receiver.
        session.acceptsPauseRequests = false
        session.congestion = settings.congestion
        var settings = settings
        settings.addTransportNumbers()
        try self.init(settings, on: SharedSession(session), taps: taps)
    }

    /// Creates a pipeline that sends on a session with other users. The owner that polls the session receives the
    /// requests for this pipeline.
    package init(
        _ settings: SendSettings, on session: SharedSession?, taps: sending SendTaps = SendTaps()
    ) throws(PipelineError) {
        self.settings = settings
        self.session = session
        budget = Monitor(settings.congestion == nil ? nil : Budget(budget: session))
        outputs = Monitor(Outputs(taken: Array(repeating: [], count: settings.layers.count)))
        do {
            let decisions = try SendDecisions(settings.layers, settings.adaptation)
            let faces = settings.beauty.isOff ? nil : settings.faces.outcome
            self.state = Monitor(State(decisions: decisions, beauty: settings.beauty, faces: faces))
        } catch {
            throw .codec(error)
        }
        // Separate: a slow recording of encoded frames must not delay the camera. The pipeline alone has the sinks
        // from here on, and calls each from one thread at a time.
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

    /// Sends one frame on every layer that needs it, and the sender reports that are due. All packets have reached
    /// `packets` when it returns.
    ///
    /// - Parameters:
    ///   - frame: the frame.
    ///   - now: the timestamp of all stages.
    ///   - packets: receives the packets.
    /// - Throws: ``/RillCodec/CodecError``, or what a tap throws.
    public func send(_ frame: VideoFrame, at now: MediaTime, to packets: some PacketSink) throws {
        let (frame, tasks) = try admit(frame) { now }
        for index in layers.indices {
            guard let task = tasks[index] else { continue }
            try encode(frame, task, layer: index, to: packets) { now }
        }
        sendReports(at: now, to: packets)
    }

    /// The first half: timestamps the frame, converts it to limited range, rotates it, filters faces, shows it to the
    /// taps, and returns each layer's task. If there is no buffer for the processed frame, no layer has a task.
    package func admit(
        _ captured: VideoFrame, clock: () -> MediaTime
    ) throws -> (frame: VideoFrame, tasks: LayerTasks) {
        var frame = captured
        if frame.timestamps[.captured] == nil { frame.timestamps[.captured] = clock() }
        followBudget(at: clock())
        let (request, looksForChanges) = state.withLock { state in
            (state.takeRequest(at: frame.captureTime), state.decisions.plan.looksForChanges)
        }
        let (output, counts) = try preparation.use { preparation in
            let output = try preparation.prepare(frame, request, looksForChanges: looksForChanges, clock: clock)
            return (output, preparation.counts)
        }
        guard let output else {
            state.withLock { $0.counts = counts }
            return (frame, LayerTasks())
        }
        try record(output.beauty.options, output.beauty.level)
        try record(given: output.given)
        let (tasks, isFacesChange) = state.withLock { state in
            defer { state.counts = counts }
            let isFacesChange = state.counts.faces != counts.faces
            return (state.decisions.tasks(output.frame, content: output.content), isFacesChange)
        }
        if isFacesChange { report(.found(counts.faces)) }
        return (output.frame, tasks)
    }

    /// Records the face processing in the trace if it changed.
    private func record(_ options: BeautyOptions, _ level: BeautyLevel) throws {
        try traceTap.use { tap in
            let last = tap.beauty ?? (.off, .full)
            guard tap.sink != nil, options != last.options || level != last.level else { return }
            try tap.begin(layers)
            // The first change starts from the filter's initial state.
            if tap.beauty == nil {
                try tap.sink?.record(cascade: cascade)
                try tap.sink?.record(beauty: settings.beauty, at: .full, fromFrame: 0)
            }
            let frame = state.withLock { $0.decisions.plan.frameCount }
            try tap.sink?.record(beauty: options, at: level, fromFrame: frame)
            tap.beauty = (options, level)
        }
    }

    /// Records faces that the app gave for the frame that was just processed.
    private func record(given faces: [FaceRegion]?) throws {
        guard let faces else { return }
        let frame = state.withLock { $0.decisions.plan.frameCount }
        try traceTap.use { tap in
            guard tap.sink != nil else { return }
            try tap.begin(layers)
            try tap.sink?.record(givenFaces: faces, fromFrame: frame)
        }
    }

    /// The second half, for one layer: encodes the frame and sends its packets.
    @discardableResult
    func encode(
        _ frame: VideoFrame, _ task: LayerTask, layer index: Int, to packets: some PacketSink, clock: () -> MediaTime
    ) throws -> LayerEncoder.Outcome {
        try record(.frame(captureTime: frame.captureTime, task: task), layer: index)
        var last: EncodedFrame?
        let outcome = try layers[index].encode(frame, task, clock: clock) { coded, payload in
            var coded = coded
            last = coded
            coded.timestamps[.encoded] = clock()
            try encodedTap.use { try $0?.consume(coded, payload: payload) }
            layers[index].send(coded, payload, to: packets, clock: clock)
            for output in outputs.withLock({ $0.take(layer: index) }) {
                output.send(coded, payload, of: index, at: clock())
            }
        }
        if let last, case .coded(let quantizer) = outcome {
            state.withLock { $0.decisions.note(last, quantizer: quantizer, layer: index) }
        }
        return outcome
    }

    /// Whether a task is older than a key frame that replaces it; see ``requestKeyFrame(_:discardingOlder:)``.
    func discardIfOutdated(_ task: LayerTask, layer index: Int) throws -> Bool {
        guard state.withLock({ $0.decisions.discardIfOutdated(task, layer: index) }) else { return false }
        try record(.dropped(frame: task.frame), layer: index)
        return true
    }

    /// Also passes all encoded frames to `output`, from the next one on.
    package func add(_ output: any LayerOutput) { outputs.withLock { $0.all.append(output) } }

    /// Stops passing frames to `output`; one that is in progress may still arrive.
    package func remove(_ output: any LayerOutput) { outputs.withLock { $0.all.removeAll { $0 === output } } }

    /// Notes that a frame of layer `index` was dropped for a newer one.
    func drop(_ task: LayerTask, layer index: Int, at now: MediaTime) throws {
        try record(.dropped(frame: task.frame), layer: index)
        try adapt(.dropped, layer: index, at: now)
    }

    /// Notes the outcome of a frame of layer `index`, and adapts the layer if necessary.
    func note(
        _ outcome: LayerEncoder.Outcome, after duration: MediaDuration, layer index: Int, at now: MediaTime
    ) throws {
        switch outcome {
        case .coded(let quantizer): try adapt(.encoded(in: duration, quantizer: quantizer), layer: index, at: now)
        case .dropped: try adapt(.dropped, layer: index, at: now)
        // It reveals nothing about the cost of a picture.
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

    /// Finishes the taps' sinks: no frame follows, and they write what is pending. All of them are finished, even if
    /// one fails; the first error is thrown.
    public func finish() throws {
        let results = [
            Result { try preparation.use { try $0.finish() } },
            Result { try encodedTap.use { try $0?.finish() } },
            Result { try traceTap.use { try $0.sink?.finish() } },
        ]
        for result in results { try result.get() }
    }
}
