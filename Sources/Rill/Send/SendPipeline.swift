import RillBeauty
import RillCodec
public import RillCore
import RillImage

/// The sending side: a frame in, the packets of every layer out.
///
///     let pipeline = try SendPipeline(SendSettings(layers: [.high(.vga, bitrate: .kilobits(800)), .low], seed: 7))
///     try pipeline.send(frame, at: now, to: socket)
///
/// A frame is turned upright if it has to be, made beautiful where that is switched on, passes the taps and the
/// ``SimulcastPlan``, is encoded by each layer that wants it, and cut into packets. The pipeline owns no thread and reads no clock: ``LiveSender`` runs each layer on a
/// thread of its own, ``send(_:at:to:)`` one after the other, with the same bytes.
///
/// Threading: every method may be called from any thread. Frames are given by one at a time, in their order.
public final class SendPipeline: Sendable {
    /// What is sent.
    public let settings: SendSettings
    let layers: [SendLayer]
    let decisions: Monitor<SendDecisions>
    private let frameTaps: Monitor<FrameTaps>
    private let changes = Monitor(PictureChangeCounter())
    let turner: Monitor<UprightTurner>
    /// What the app wants; beside the stage, so that whoever changes it does not wait for a picture.
    let wantedBeauty: Monitor<BeautyOptions>
    let beautyStage: Monitor<BeautyStage>
    private let encodedTap: Monitor<(any EncodedFrameSink)?>
    private let traceTap: Monitor<TraceTap>

    private struct FrameTaps {
        var captured: (any FrameSink)?
        var preprocessed: (any FrameSink)?
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
    public init(_ settings: SendSettings, taps: sending SendTaps = SendTaps()) throws(PipelineError) {
        self.settings = settings
        do {
            self.decisions = Monitor(try SendDecisions(settings.layers, settings.adaptation))
        } catch {
            throw .codec(error)
        }
        self.turner = Monitor(UprightTurner(layerCount: settings.layers.count))
        self.wantedBeauty = Monitor(settings.beauty)
        self.beautyStage = Monitor(
            BeautyStage(
                settings.beauty, budget: settings.beautyBudget, modelledCost: settings.modelledBeautyCost,
                capacity: UprightTurner.capacity(layerCount: settings.layers.count)))
        // Locked apart: a slow recording of coded frames must not hold up the camera.
        // The pipeline alone has the sinks from here on, and calls each under one of the locks only.
        nonisolated(unsafe) let frames = FrameTaps(captured: taps.captured, preprocessed: taps.preprocessed)
        nonisolated(unsafe) let encoded = taps.encoded
        nonisolated(unsafe) let trace = TraceTap(sink: taps.trace)
        self.frameTaps = unsafe Monitor(frames)
        self.encodedTap = unsafe Monitor(encoded)
        self.traceTap = unsafe Monitor(trace)
        var random = SeededGenerator(seed: settings.seed)
        var layers: [SendLayer] = []
        for layer in settings.layers { layers.append(try SendLayer(layer, settings, using: &random)) }
        self.layers = layers
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

    /// The first half of the way: stamps the frame, turns it, makes it beautiful, shows it to the taps and says what each
    /// layer is to do with it. A frame for which there is no buffer to become another one goes no further: no layer has
    /// anything to do with it.
    func admit(
        _ captured: VideoFrame, clock: () -> MediaTime
    ) throws -> (frame: VideoFrame, tasks: LayerTasks) {
        var frame = captured
        if frame.stamps[.captured] == nil { frame.stamps[.captured] = clock() }
        try frameTaps.withLock { try $0.captured?.consume(frame) }
        if settings.orientation == .applied, frame.rotation != .none {
            guard let upright = try turner.withLock({ try $0.upright(frame) }) else { return (frame, LayerTasks()) }
            frame = upright
        }
        guard let beautiful = try beautify(frame, clock: clock) else { return (frame, LayerTasks()) }
        frame = beautiful
        frame.stamps[.preprocessed] = clock()
        try frameTaps.withLock { try $0.preprocessed?.consume(frame) }
        let content = decisions.withLock({ $0.plan.looksForChanges }) ? changes.withLock { $0.add(frame) } : nil
        let tasks = decisions.withLock { $0.tasks(frame, content: content) }
        return (frame, tasks)
    }

    private func beautify(_ frame: VideoFrame, clock: () -> MediaTime) throws -> VideoFrame? {
        let options = wantedBeauty.withLock { $0 }
        let (beautiful, level) = try beautyStage.withLock { stage in
            let level = stage.level
            return (try stage.apply(options, to: frame, clock: clock), level)
        }
        if beautiful != nil { try record(options, level) }
        return beautiful
    }

    /// Tells the trace what is done to faces, where it differs from what it was.
    private func record(_ options: BeautyOptions, _ level: BeautyLevel) throws {
        try traceTap.withLock { tap in
            let last = tap.beauty ?? (.off, .full)
            guard tap.sink != nil, options != last.options || level != last.level else { return }
            try tap.begin(layers)
            // What the filter began with is where its first change starts from.
            if tap.beauty == nil { try tap.sink?.record(beauty: settings.beauty, at: .full, fromFrame: 0) }
            let frame = decisions.withLock { $0.plan.frameCount }
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
            try encodedTap.withLock { try $0?.consume(coded, payload: payload) }
            layers[index].send(coded, payload, to: packets, clock: clock)
        }
    }

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
        guard let step = decisions.withLock({ $0.adapt(layer: index, frame, at: now) }) else { return }
        try record(.adapted(step), layer: index)
    }

    private func record(_ event: SendTraceEvent, layer index: Int) throws {
        try traceTap.withLock { tap in
            try tap.begin(layers)
            try tap.sink?.record(event, of: layers[index].settings.rid)
        }
    }

    /// No frame will follow: the taps' sinks write what is still to be written. All of them do, whatever happens to one;
    /// the first error is thrown.
    public func finish() throws {
        let results = [
            Result { try frameTaps.withLock { try $0.captured?.finish() } },
            Result { try frameTaps.withLock { try $0.preprocessed?.finish() } },
            Result { try encodedTap.withLock { try $0?.finish() } },
            Result { try traceTap.withLock { try $0.sink?.finish() } },
        ]
        for result in results { try result.get() }
    }
}
