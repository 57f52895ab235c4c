import RillBeauty
import RillCodec
public import RillCore
import RillImage
import RillRTP
package import RillSession
import RillThreads

/// The first half of the sending side: a frame in, the encoded frames of every layer out.
///
/// ```swift
/// let pipeline = try SendPipeline(settings, taps: SendTaps(encoded: recording))
/// try pipeline.encode(frame, at: now)
/// ```
///
/// A full range frame is converted to limited range. It is rotated upright if necessary, and faces are filtered if
/// that is switched on. It passes the taps and the ``/RillCodec/SimulcastPlan``, and is encoded by each layer that
/// needs it. Encoded frames go to the tap for them, and to a ``PacketSender`` or each participant of a ``VideoCall``,
/// which packetize them. The pipeline owns no session and no thread, and reads no clock. A call runs each layer on its
/// own thread; ``encode(_:at:)`` runs them one after the other, with the same resulting bytes.
///
/// Threads: every method may be called from any thread, and by whatever the pipeline calls: no lock is held while a
/// sink, a tap or an observer is called. Frames must be passed in order, by one thread at a time.
public final class SendPipeline: Sendable {
    /// The settings that the pipeline was created with.
    public let settings: SendSettings
    package let layers: [SendLayer]
    private let outputs: Monitor<Outputs>
    /// What may be sent; `nil` for anything.
    let budget = Monitor<Budget?>(nil)
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

    /// Creates a pipeline.
    ///
    /// - Parameters:
    ///   - settings: what is encoded. The settings of packets and streams are for those who packetize.
    ///   - taps: sinks that see the frames on their way; none by default.
    /// - Throws: ``PipelineError``.
    public init(_ settings: SendSettings, taps: sending SendTaps = SendTaps()) throws(PipelineError) {
        self.settings = settings
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
        do {
            layers = try settings.layers.map { layer throws(CodecError) in try SendLayer(layer, settings.makeEncoder) }
        } catch {
            throw .codec(error)
        }
    }

    /// Encodes one frame on every layer that needs it.
    ///
    /// - Parameters:
    ///   - frame: the frame.
    ///   - now: the timestamp of all stages.
    /// - Throws: ``/RillCodec/CodecError``, or what a tap throws.
    public func encode(_ frame: VideoFrame, at now: MediaTime) throws {
        try encode(frame, at: now) { _, _, _ in nil }
    }

    /// Does the same for a caller that sends the encoded frames of each layer, and returns their RTP timestamps.
    func encode(
        _ frame: VideoFrame, at now: MediaTime, _ send: (Int, EncodedFrame, Span<UInt8>) -> RTPTimestamp?
    ) throws {
        let (frame, tasks) = try admit(frame) { now }
        for index in layers.indices {
            guard let task = tasks[index] else { continue }
            try encode(frame, task, layer: index) {
                now
            } send: {
                send(index, $0, $1)
            }
        }
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

    /// The second half, for one layer: encodes the frame, and hands it to `send` and the outputs.
    @discardableResult
    func encode(
        _ frame: VideoFrame, _ task: LayerTask, layer index: Int, clock: () -> MediaTime,
        send: (EncodedFrame, Span<UInt8>) -> RTPTimestamp?
    ) throws -> LayerEncoder.Outcome {
        try record(.frame(captureTime: frame.captureTime, task: task), layer: index)
        var last: EncodedFrame?
        let outcome = try layers[index].encode(frame, task, clock: clock) { coded, payload in
            var coded = coded
            last = coded
            coded.timestamps[.encoded] = clock()
            try encodedTap.use { try $0?.consume(coded, payload: payload) }
            let timestamp = protected(coded, payload) { coded, payload in
                var timestamp = send(coded, payload)
                for output in outputs.withLock({ $0.take(layer: index) }) {
                    let sent = output.send(coded, payload, of: index, at: clock())
                    timestamp = timestamp ?? sent
                }
                return timestamp
            }
            layers[index].note(coded, sentAs: timestamp, clock)
        }
        if let last, case .coded(let quantizer) = outcome {
            state.withLock { $0.decisions.note(last, quantizer: quantizer, layer: index) }
        }
        return outcome
    }

    /// Hands the frame to `send` as it is to leave: encrypted once for all, if it is to be. One that cannot be is not
    /// sent.
    private func protected(
        _ coded: EncodedFrame, _ payload: Span<UInt8>, _ send: (EncodedFrame, Span<UInt8>) -> RTPTimestamp?
    ) -> RTPTimestamp? {
        guard let encryption = settings.encryption else { return send(coded, payload) }
        let sent = encryption.seal(payload, .picture) { sealed in
            var coded = coded
            coded.byteCount = sealed.count
            return send(coded, sealed)
        }
        return sent ?? nil
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

    // What a congestion control says to the encoders.

    /// Why a frame is left out before it is encoded.
    public enum SkipReason: Sendable, Equatable {
        /// More waits in the pacer than it may hold.
        case queueFull
        /// More is in flight than the path needs.
        case windowFull
    }

    /// Sets what a network carries of the layers' encoded frames together, from their next frames on; `nil` ends it.
    ///
    /// Unlike ``setTotalBitrate(_:)``, which only splits a bitrate, this makes layers follow it in every way:
    ///
    /// - The smallest layer is kept alive first. A layer that got no share returns with a key frame once the bitrate
    ///   has sufficed for two seconds.
    /// - A layer whose pictures would become too coarse gives up size or rate
    ///   (``/RillCodec/AdaptationSettings/preference``), within a second of a deep cut, and gets them back slowly.
    ///   Without ``SendSettings/adaptation`` it keeps both.
    /// - Encoders limit single frames (``/RillCore/EncoderSettings/burstLimit``, 120 ms): key frames, the first of a
    ///   scene, and those after a cut of the bitrate.
    ///
    /// The same bitrate again costs nothing. Call it with every new estimate, less everything else on the path
    /// (`RateBudget` of RillCongestion). While it is set, the total of ``setTotalBitrate(_:)`` has no effect.
    ///
    /// - Parameters:
    ///   - bitrate: the bitrate of all encoded frames together, in the mean, without headers.
    ///   - next: the bitrate of the next frames, if packets wait that have to leave first. It makes frames smaller,
    ///     those of the largest layer first, to 30 % at least; it switches no layer off and changes no size.
    public func setNetworkBitrate(_ bitrate: Bitrate?, next: Bitrate? = nil) {
        state.withLock { $0.decisions.setNetwork(bitrate, next: next) }
    }

    /// Leaves out the next frame that a layer would encode, because packets wait to be sent. It is counted in
    /// ``SendStatistics/framesSkipped``.
    ///
    /// Requests stay for the frame after it. A layer slower than its source takes the source's next frame instead, so
    /// that it keeps its rate. To leave out several frames, call it before each.
    ///
    /// - Parameters:
    ///   - rid: the layer.
    ///   - reason: the reason to count.
    public func skipNextFrame(_ rid: StreamLayer.RID, because reason: SkipReason) {
        state.withLock { $0.decisions.skipNextFrame(layer: index(of: rid), because: reason) }
    }

    /// Makes the next frames of the layer with the highest bitrate smaller than their share, by coding them more
    /// coarsely: the first by half of the bytes, and the four after it by about as much together. A frame keeps at
    /// least a quarter of its share. The request replaces an earlier one that was not served yet.
    ///
    /// - Parameter byteCount: how many bytes too much wait to be sent; zero takes the request back.
    public func reduceNextFrames(by byteCount: Int) {
        state.withLock { $0.decisions.reduceNextFrames(by: byteCount) }
    }

    /// Requests a key frame on one layer, as ``requestKeyFrame(_:)`` does, and leaves out the frames that still wait
    /// for the layer's encoder: what was sent before the key frame is not needed any more.
    ///
    /// - Parameters:
    ///   - rid: the layer.
    ///   - isDiscardingOlder: whether to leave out older frames. They are counted in ``SendStatistics/framesSkipped``.
    public func requestKeyFrame(_ rid: StreamLayer.RID, discardingOlder isDiscardingOlder: Bool) {
        state.withLock { state in
            if isDiscardingOlder {
                state.decisions.requestKeyFrameDiscardingOlder(layer: index(of: rid))
            } else {
                state.decisions.requestKeyFrame(layer: index(of: rid))
            }
        }
    }
}

/// Says what a pipeline may send at present: a session with congestion control, or those of a call.
package protocol SendingBudget: AnyObject, Sendable {
    /// What may be sent now; `nil` for anything.
    func allowance(at now: MediaTime) -> SendingAllowance?
}

extension SendPipeline {
    /// Fits frames to what may be sent, from the next one on. The budget is not kept alive.
    func follow(_ budget: any SendingBudget) { self.budget.withLock { $0 = Budget(budget: budget) } }

    /// Fits the next frames to what may be sent: before each frame, so that encoders follow within one.
    func followBudget(at now: MediaTime) {
        guard let allowance = budget.withLock({ $0 })?.budget?.allowance(at: now) else { return }
        state.withLock { state in
            state.decisions.follow(allowance)
        }
    }
}
