public import RillCore

/// Says for each frame which layers want it, and with what settings and requests. A pure value: it knows no codec.
///
/// Layers are independent: each has its own rate, size, bitrate, key frames and switch, and nothing asked of one
/// changes another. What is asked takes effect with the layer's next frame.
///
///     var plan = try SimulcastPlan(layers: [.high(.vga, bitrate: .kilobits(800)), .low])
///     try plan.change(layer: 0) { $0.bitrate = .kilobits(500) }
///     let tasks = plan.tasks(at: frame.captureTime)
///     if let task = tasks[0] { … }
public struct SimulcastPlan: Sendable {
    private struct Layer: Sendable {
        /// As the app wants it.
        var settings: LayerSettings
        /// What is given up of that at present.
        var degradation = Degradation.none
        /// The most that its share of a total allows; `nil` for no limit.
        var limit: Bitrate?
        /// What is in force.
        var effective: LayerSettings
        var isActive = true
        /// Switched on, and not without a share.
        var isSending: Bool { isActive && limit != Bitrate(bitsPerSecond: 0) }
        var decimator: FrameDecimator
        var keyFrame = PendingRequest()
        var restart = PendingRequest()
    }

    private var layers: [Layer]
    /// Frames that were asked about.
    package private(set) var frameCount = 0

    /// A plan for one to three layers with different names.
    ///
    /// - Throws: ``CodecError/invalidSettings(_:)``, which says what is wrong with which layer.
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

    /// The layers' settings as they were last set, in the order of the initialiser.
    public var settings: [LayerSettings] { layers.map(\.settings) }

    /// How many layers there are.
    public var layerCount: Int { layers.count }

    /// What each layer is to do with the frame of that stamp. Ask once for each frame, in order.
    ///
    /// - Parameter content: rises with each frame that differs from the one before; `nil` where nobody looked, which
    ///   only ``looksForChanges`` makes necessary.
    /// - Parameter isDiscontinuity: whether nothing before leads to the frame (``RillCore/VideoFrame/isDiscontinuity``): then each
    ///   layer's next frame is a key frame.
    public mutating func tasks(
        at captureTime: MediaTime, content: Int? = nil, isDiscontinuity: Bool = false
    ) -> LayerTasks {
        defer { frameCount += 1 }
        if isDiscontinuity { for index in layers.indices { requestKeyFrame(layer: index) } }
        var tasks = LayerTasks()
        for index in layers.indices where layers[index].isSending {
            guard layers[index].decimator.wants(captureTime) else { continue }
            var task = LayerTask(settings: layers[index].effective, frame: frameCount)
            task.isKeyFrameRequested = layers[index].keyFrame.take()
            task.isRestartRequested = layers[index].restart.take()
            task.content = content
            tasks[index] = task
        }
        return tasks
    }

    /// Has every layer count its frames on a grid that begins at `time`, though the first frame that it is asked of comes
    /// later: after two frames it takes those that a plan would take that has seen all frames since then.
    package mutating func alignGrids(to time: MediaTime) {
        for index in layers.indices { layers[index].decimator.align(to: time) }
    }

    /// Whether a layer would leave out frames that are the same as the one before, so that somebody has to look.
    public var looksForChanges: Bool {
        for layer in layers where layer.isSending && layer.settings.isSkippingUnchangedFrames { return true }
        return false
    }
}

// MARK: - Changes at run time

extension SimulcastPlan {
    /// Changes the settings of layer `index` from its next frame on: bitrate, frame rate, size (with a key frame on this
    /// layer alone), aspect, content, speed and all else but its RID, its codec and its temporal pattern, which the
    /// packets bear.
    ///
    ///     try plan.change(layer: 0) { $0.resolution = Resolution(width: 640, height: 360) }
    ///
    /// - Throws: ``CodecError/invalidSettings(_:)``; the settings then stay as they were.
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

    /// Sets what layer `index` gives up of its size and rate from its next frame on; ``Degradation/none`` gives it back.
    public mutating func degrade(layer index: Int, _ degradation: Degradation) {
        layers[index].degradation = degradation
        apply(index)
    }

    /// Asks for a key frame on layer `index`; any number of requests before its next frame are one.
    public mutating func requestKeyFrame(layer index: Int) {
        layers[index].keyFrame.make()
    }

    /// Has the codec of layer `index` started anew before its next frame, which is a key frame.
    public mutating func requestRestart(layer index: Int) {
        layers[index].restart.make()
    }

    /// Switches layer `index` on or off. Switched on, it starts with a key frame.
    public mutating func setActive(_ isActive: Bool, layer index: Int) {
        let wasSending = layers[index].isSending
        layers[index].isActive = isActive
        begin(index, unless: wasSending)
    }

    /// Sets the most that layer `index` may take of a total, from its next frame on; `nil` for no limit. Without a share
    /// it rests; with one again, it starts with a key frame.
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
        layers[index].effective = effective
        layers[index].decimator.rate = effective.maximumFrameRate
    }
}
