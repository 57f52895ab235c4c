public import RillCore
import RillRTP

/// Decides for each frame which layers encode it, and with what settings and requests. A pure value, independent of
/// the codec.
///
/// Layers are independent. Each has its own rate, size, bitrate, key frames and switch, and a request for one does
/// not change another. Requests take effect with the layer's next frame.
///
/// ```swift
/// var plan = try SimulcastPlan(layers: [.high(.vga, bitrate: .kilobits(800)), .low])
/// try plan.change(layer: 0) { $0.bitrate = .kilobits(500) }
/// let tasks = plan.tasks(at: frame.captureTime)
/// if let task = tasks[0] { … }
/// ```
public struct SimulcastPlan: Sendable {
    private struct Layer: Sendable {
        /// The settings that the app chose.
        var settings: LayerSettings
        /// The current reduction of these.
        var degradation = Degradation.none
        /// The maximum bitrate from its share of a total; `nil` for no limit.
        var limit: Bitrate?
        /// The settings in force.
        var effective: LayerSettings
        var isActive = true
        /// Switched on, and with a share above zero.
        var isSending: Bool { isActive && limit != Bitrate(bitsPerSecond: 0) }
        var decimator: FrameDecimator
        var keyFrame = PendingRequest()
        var restart = PendingRequest()
        var skip = PendingRequest()
        var skippedFrameCount = 0
        /// The bytes that the next frame should have less than its share.
        var excess = 0
        /// The time of the last task.
        var taskTime: MediaTime?
        /// Jobs of frames before this one are outdated.
        var oldestFrame = 0
    }

    private var layers: [Layer]
    /// The burst limit of layers that have none of their own (``/RillCore/EncoderSettings/burstLimit``), from their
    /// next frame on; `nil` for none.
    package var burstLimit: MediaDuration? {
        didSet {
            guard burstLimit != oldValue else { return }
            for index in layers.indices { apply(index) }
        }
    }
    /// The number of frames so far.
    package private(set) var frameCount = 0

    /// Creates a plan for one to three layers with different names.
    ///
    /// - Parameter layers: the settings of the layers.
    /// - Throws: ``CodecError/invalidSettings(_:)``, whose text has the layer and the fault.
    public init(layers: [LayerSettings]) throws(CodecError) {
        guard (1...LayerTasks.capacity).contains(layers.count) else {
            throw .invalidSettings("a simulcast has 1 to \(LayerTasks.capacity) layers, not \(layers.count)")
        }
        guard Set(layers.map(\.rid)).count == layers.count else {
            throw .invalidSettings("two layers have the same RID: \(layers.map(\.rid.description))")
        }
        for layer in layers { try layer.validate() }
        self.layers = layers.map {
            Layer(settings: $0, effective: $0, decimator: FrameDecimator(rate: $0.maximumFrameRate))
        }
    }

    /// The layers' settings as last set, in the order of the initializer.
    public var settings: [LayerSettings] { layers.map(\.settings) }

    /// The number of layers.
    public var layerCount: Int { layers.count }

    /// Returns the layers' tasks for the frame with that timestamp. Call it once for each frame, in order.
    ///
    /// - Parameters:
    ///   - captureTime: the frame's timestamp, which decides which layers take it.
    ///   - content: a number that increases with each frame that differs from the previous one; `nil` if that is
    ///     unknown. It is needed only if ``looksForChanges``.
    ///   - isDiscontinuity: whether the frame does not continue the previous ones
    ///     (``/RillCore/VideoFrame/isDiscontinuity``): then each layer's next frame is a key frame.
    /// - Returns: a task for each layer that takes the frame.
    public mutating func tasks(
        at captureTime: MediaTime, content: Int? = nil, isDiscontinuity: Bool = false
    ) -> LayerTasks {
        defer { frameCount += 1 }
        if isDiscontinuity { for index in layers.indices { requestKeyFrame(layer: index) } }
        var tasks = LayerTasks()
        for index in layers.indices where layers[index].isSending {
            let decimator = layers[index].decimator
            guard layers[index].decimator.wants(captureTime) else { continue }
            if layers[index].skip.take() {
                // The grid point stays: a slow layer takes the source's next frame instead.
                layers[index].decimator = decimator
                layers[index].skippedFrameCount += 1
                continue
            }
            var task = LayerTask(settings: layers[index].effective, frame: frameCount)
            task.isKeyFrameRequested = layers[index].keyFrame.take()
            task.isRestartRequested = layers[index].restart.take()
            task.content = content
            task.byteLimit = takeByteLimit(of: index, at: captureTime)
            tasks[index] = task
        }
        return tasks
    }

    /// Returns the limit of a frame that is to be smaller than its share, at least a quarter of it. Half of the excess
    /// is left to the frames after it, which libvpx encodes smaller too after a coarse one (``BurstLimiter``).
    private mutating func takeByteLimit(of index: Int, at time: MediaTime) -> Int? {
        let (excess, last) = (layers[index].excess, layers[index].taskTime)
        (layers[index].excess, layers[index].taskTime) = (0, time)
        guard excess > 0 else { return nil }
        let effective = layers[index].effective
        let interval = last.map { min(max(time - $0, .milliseconds(1)), .seconds(1)) } ?? effective.frameRate.interval
        let share = Int(Double(effective.bitrate.bitsPerSecond) * interval.seconds / 8)
        return max(share - excess / 2, share / 4, 1)
    }

    /// Starts the frame grid of every layer at `time`, although the first frame arrives later. After two frames, the
    /// layers take the same frames as if the plan had seen all of them since then.
    package mutating func alignGrids(to time: MediaTime) {
        for index in layers.indices { layers[index].decimator.align(to: time) }
    }

    /// Whether a layer skips unchanged frames, so that the caller must detect changes.
    public var looksForChanges: Bool {
        for layer in layers where layer.isSending && layer.settings.isSkippingUnchangedFrames { return true }
        return false
    }
}

// MARK: - Changes at run time

extension SimulcastPlan {
    /// Changes the settings of layer `index` from its next frame on.
    ///
    /// Bitrate, frame rate, size (with a key frame on this layer only), aspect, content, speed and everything else
    /// may change, except the RID, the codec and the temporal pattern, which are part of the packets.
    ///
    /// ```swift
    /// try plan.change(layer: 0) { $0.resolution = Resolution(width: 640, height: 360) }
    /// ```
    ///
    /// - Parameters:
    ///   - index: the layer.
    ///   - body: changes the settings.
    /// - Throws: ``CodecError/invalidSettings(_:)``; the settings are then unchanged.
    public mutating func change(layer index: Int, _ body: (inout LayerSettings) -> Void) throws(CodecError) {
        let old = layers[index].settings
        var new = old
        body(&new)
        guard new.rid == old.rid, new.encoder.codec == old.encoder.codec,
            new.encoder.temporalPattern == old.encoder.temporalPattern
        else {
            throw .invalidSettings(
                "layer \(old.rid): its RID, its codec (\(old.encoder.codec.rawValue)) and its temporal pattern "
                    + "(\(old.encoder.temporalPattern.rawValue)) stay as they are")
        }
        try new.validate()
        layers[index].settings = new
        apply(index)
    }

    /// Sets the reduction of size and rate of layer `index` from its next frame on. ``Degradation/none`` ends it.
    public mutating func degrade(layer index: Int, _ degradation: Degradation) {
        layers[index].degradation = degradation
        apply(index)
    }

    /// Requests a key frame on layer `index`. Repeated requests before its next frame count as one.
    public mutating func requestKeyFrame(layer index: Int) {
        layers[index].keyFrame.make()
    }

    /// Leaves out the next frame that layer `index` would encode, because packets wait to be sent. Requests stay for
    /// the frame after it.
    package mutating func skipNextFrame(layer index: Int) { layers[index].skip.make() }

    /// The frames of layer `index` that were left out on request.
    package func skippedFrameCount(layer index: Int) -> Int { layers[index].skippedFrameCount }

    /// Makes the next frames of layer `index` smaller than their share of the bitrate, by `byteCount` bytes together.
    /// No frame falls below a quarter of its share. It replaces an earlier such request.
    package mutating func reduceNextFrames(layer index: Int, by byteCount: Int) {
        layers[index].excess = max(0, byteCount)
    }

    /// Requests a key frame on layer `index`, and makes the tasks that it was given so far outdated.
    package mutating func requestKeyFrameDiscardingOlder(layer index: Int) {
        layers[index].keyFrame.make()
        layers[index].oldestFrame = frameCount
    }

    /// Whether a task of layer `index` was given before the last ``requestKeyFrameDiscardingOlder(layer:)``.
    package func isOutdated(_ task: LayerTask, layer index: Int) -> Bool { task.frame < layers[index].oldestFrame }

    /// The reduction of layer `index`.
    package func degradation(layer index: Int) -> Degradation { layers[index].degradation }

    /// The settings that layer `index` has now, with its reduction and its share of a total.
    package func effectiveSettings(layer index: Int) -> LayerSettings { layers[index].effective }

    /// Whether layer `index` is switched on, and has a share of the total.
    package func isSending(layer index: Int) -> Bool { layers[index].isSending }

    /// Requests a restart of layer `index`'s codec before its next frame, which is a key frame.
    public mutating func requestRestart(layer index: Int) {
        layers[index].restart.make()
    }

    /// Switches layer `index` on or off. When switched on, it starts with a key frame.
    public mutating func setActive(_ isActive: Bool, layer index: Int) {
        let wasSending = layers[index].isSending
        layers[index].isActive = isActive
        begin(index, unless: wasSending)
    }

    /// Sets the maximum bitrate of layer `index` from a total, from its next frame on; `nil` for no limit. At zero
    /// the layer pauses; afterwards it starts with a key frame.
    public mutating func limit(layer index: Int, to bitrate: Bitrate?) {
        let wasSending = layers[index].isSending
        layers[index].limit = bitrate
        apply(index)
        begin(index, unless: wasSending)
    }

    /// Whether layer `index` is switched on.
    public func isActive(layer index: Int) -> Bool { layers[index].isActive }

    private mutating func begin(_ index: Int, unless wasSending: Bool) {
        guard layers[index].isSending, !wasSending else { return }
        layers[index].keyFrame.make()
        layers[index].decimator = FrameDecimator(rate: layers[index].effective.maximumFrameRate)
    }

    private mutating func apply(_ index: Int) {
        let (settings, degradation) = (layers[index].settings, layers[index].degradation)
        var effective = settings
        effective.resolution = degradation.applied(to: settings.resolution)
        effective.frameRate = degradation.applied(to: settings.frameRate)
        effective.takesEveryFrame = settings.takesEveryFrame && degradation.rateSteps == 0
        if let limit = layers[index].limit {
            effective.bitrate = max(settings.encoder.minimumBitrate, min(limit, settings.bitrate))
        }
        if let burstLimit, settings.encoder.burstLimit == nil, settings.encoder.effort == .realtime {
            effective.encoder.followNetwork(burstLimit)
        }
        layers[index].effective = effective
        layers[index].decimator.rate = effective.maximumFrameRate
    }
}

extension EncoderSettings {
    /// Leaves short queues to the network's bitrate, which already accounts for the queued bytes.
    ///
    /// libvpx's rate control would do it again, by its own model of a buffer. With its usual buffer of a second, VP8
    /// spends half of a bitrate that has just risen while that buffer is low. It then needs two or three seconds
    /// after each scene cut for finer quantizers.
    fileprivate mutating func followNetwork(_ limit: MediaDuration) {
        burstLimit = limit
        guard codec == .vp8 else { return }
        undershootPercentage = 10
        bufferSize = .milliseconds(400)
        (initialBufferLevel, optimalBufferLevel) = (.milliseconds(200), .milliseconds(200))
    }
}

/// A request, for example for a key frame, that stays pending until it is served. Repeated requests count as one.
private struct PendingRequest: Sendable {
    private(set) var isPending = false

    /// Makes the request.
    mutating func make() {
        isPending = true
    }

    /// Returns whether the request is pending, and clears it.
    mutating func take() -> Bool {
        defer { isPending = false }
        return isPending
    }
}

/// One layer's task for one frame: its current settings, and the requests since the previous frame.
public struct LayerTask: Sendable, Equatable {
    /// The frame's index in the source, from 0.
    public var frame: Int
    /// The layer's settings from this frame on.
    public var settings: LayerSettings
    /// Whether it must be a key frame.
    public var isKeyFrameRequested = false
    /// Whether the codec must be restarted before it.
    public var isRestartRequested = false
    /// The most bytes that the frame should have, because packets wait to be sent; `nil` for no limit.
    public var byteLimit: Int?
    /// A number that increases with each frame that differs from the previous one; `nil` if that is unknown.
    public var content: Int?

    /// Creates a task without requests.
    public init(settings: LayerSettings, frame: Int = 0) {
        self.settings = settings
        self.frame = frame
    }

    /// Returns this task with the requests of a dropped earlier task, so that they are not lost with its frame.
    public func merging(_ dropped: LayerTask) -> LayerTask {
        var task = self
        task.isKeyFrameRequested = task.isKeyFrameRequested || dropped.isKeyFrameRequested
        task.isRestartRequested = task.isRestartRequested || dropped.isRestartRequested
        return task
    }
}

/// The tasks of all layers for one frame, in the order of the layers; stored inline.
public struct LayerTasks: Sendable {
    /// The maximum number of layers in a simulcast.
    public static let capacity = 3

    private var tasks = InlineArray<3, LayerTask?>(repeating: nil)

    /// Creates a value without tasks.
    public init() {}

    /// The task of layer `index`; `nil` if the layer skips the frame.
    public subscript(index: Int) -> LayerTask? {
        get { tasks[index] }
        set { tasks[index] = newValue }
    }
}
