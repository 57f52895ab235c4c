import RillCodec
import RillCore
import RillSession

/// All decisions of the sending side, in one value: the layer plan, the adaptation of each layer, and the split of a
/// total bitrate.
///
/// It knows no encoder, no thread and no clock; ``SendPipeline`` keeps it under one lock.
struct SendDecisions: Sendable {
    private(set) var plan: SimulcastPlan
    private let adaptation: AdaptationSettings?
    private var limitations: [Limitation]
    private var allocator: BitrateAllocator?
    private var total: Bitrate?
    /// What follows from the bitrate that a network carries; `nil` if nothing was said of one.
    private var network: NetworkAdaptation?
    private var lastFrame: MediaTime?

    /// How far one layer is reduced, and what was left out.
    struct Limitation: Sendable {
        fileprivate var controller: AdaptationController?
        /// The reason of the controller's reductions.
        fileprivate var controllerReason = QualityLimitationReason.none
        var reason = QualityLimitationReason.none
        var durations = SendStatistics.LimitationDurations()
        var resolutionChanges = 0
        var skipped = SendStatistics.SkippedFrames()
        fileprivate var skipReason = SendPipeline.SkipReason.queueFull
        /// The plan's count of skipped frames that is in `skipped`.
        fileprivate var skipCount = 0
    }

    init(_ layers: [LayerSettings], _ adaptation: AdaptationSettings?) throws(CodecError) {
        plan = try SimulcastPlan(layers: layers)
        self.adaptation = adaptation
        limitations = layers.map { Limitation(controller: AdaptationController(adaptation, $0)) }
    }

    /// Returns each layer's task for the frame.
    mutating func tasks(_ frame: VideoFrame, content: Int?) -> LayerTasks {
        countTime(until: frame.captureTime)
        followNetwork(at: frame.captureTime)
        let tasks = plan.tasks(at: frame.captureTime, content: content, isDiscontinuity: frame.isDiscontinuity)
        for index in limitations.indices { countSkipped(layer: index) }
        return tasks
    }

    /// Notes the outcome of a frame; returns the adaptation step that follows from it, if any.
    mutating func adapt(
        layer index: Int, _ frame: AdaptationController.Frame, at now: MediaTime
    ) -> AdaptationController.Step? {
        var frame = frame
        if network != nil, case .encoded(let time, _) = frame {
            // The network's bitrate decides what fits; the quantizer would decide it again, and later.
            frame = .encoded(in: time, quantizer: nil)
        }
        guard let step = limitations[index].controller?.add(frame, at: now) else { return nil }
        switch step.reason {
        case .encodeTime, .drops: limitations[index].controllerReason = .cpu
        case .quantizer: limitations[index].controllerReason = .bandwidth
        case .recovered: if step.degradation == .none { limitations[index].controllerReason = .none }
        }
        degrade(index)
        return step
    }

    /// Notes a frame that a layer encoded.
    mutating func note(_ frame: EncodedFrame, quantizer: Int?, layer index: Int) {
        guard !frame.isKey else { return }
        network?.add(frame, quantizer: quantizer, layer: index)
    }

    func limitation(layer index: Int) -> Limitation { limitations[index] }

    /// The target bitrate of a layer; zero while it is not sent.
    func targetBitrate(layer index: Int) -> Bitrate {
        plan.isSending(layer: index) ? plan.effectiveSettings(layer: index).bitrate : Bitrate(bitsPerSecond: 0)
    }

    mutating func requestKeyFrame(layer index: Int) { plan.requestKeyFrame(layer: index) }

    mutating func requestRestart(layer index: Int) { plan.requestRestart(layer: index) }

    mutating func change(layer index: Int, _ body: (inout LayerSettings) -> Void) throws(CodecError) {
        let old = plan.settings[index]
        try plan.change(layer: index, body)
        let new = plan.settings[index]
        if new.resolution != old.resolution || new.frameRate != old.frameRate {
            // Measurements of the old size do not apply to the new one.
            limitations[index].controller = AdaptationController(adaptation, new)
            limitations[index].controllerReason = .none
            network?.reset(index, in: plan.settings, adaptation)
            let count = limitations[index].resolutionChanges
            degrade(index)
            // The app changed the size, not the adaptation.
            limitations[index].resolutionChanges = count
        }
        if new.bitrate != old.bitrate { share() }
    }

    mutating func setActive(_ isActive: Bool, layer index: Int) {
        plan.setActive(isActive, layer: index)
        share()
    }

    /// Splits `total` among the active layers; `nil` removes the limit.
    mutating func setTotal(_ total: Bitrate?) {
        self.total = total
        share()
    }

    private mutating func share() {
        guard network != nil || total != nil else {
            allocator = nil
            for index in 0..<plan.layerCount { plan.limit(layer: index, to: nil) }
            return
        }
        let settings = plan.settings
        let active = settings.indices.filter { plan.isActive(layer: $0) }
        guard !active.isEmpty else { return }
        let split = split(among: active, of: settings)
        for (place, index) in active.enumerated() { plan.limit(layer: index, to: split[place]) }
    }

    private mutating func split(among active: [Int], of settings: [LayerSettings]) -> [Bitrate] {
        if let rates = network?.split(among: active, of: settings, &allocator) { return rates }
        let layers = active.map { BitrateAllocator.Layer(settings[$0]) }
        var allocator = BitrateAllocator(layers: layers, keepingActive: self.allocator)
        defer { self.allocator = allocator }
        let split = allocator.split(total ?? Bitrate(bitsPerSecond: 0))
        return active.indices.map { split[$0] }
    }

    /// Applies the reductions of a layer: by its controller, and by the network.
    private mutating func degrade(_ index: Int) {
        let before = plan.degradation(layer: index)
        let own = limitations[index].controller?.degradation ?? .none
        let degradation = own.combined(with: network?.degradation(of: index) ?? .none)
        plan.degrade(layer: index, degradation)
        if degradation.sizeSteps != before.sizeSteps { limitations[index].resolutionChanges += 1 }
        updateReason(index)
    }

    private mutating func updateReason(_ index: Int) {
        let isLimited = network.map { $0.degradation(of: index) != .none } ?? false
        let isPaused = plan.isActive(layer: index) && !plan.isSending(layer: index)
        let own = limitations[index].controllerReason
        limitations[index].reason = own == .none && (isLimited || isPaused) ? .bandwidth : own
    }
}

// MARK: - The network

extension SendDecisions {
    /// Sets what encoders may produce together, from their next frames on; `nil` if no network limits them.
    mutating func setNetwork(_ total: Bitrate?, next: Bitrate? = nil, isObstructed: Bool = false) {
        guard let total else {
            guard network != nil else { return }
            network = nil
            plan.burstLimit = nil
            share()
            for index in limitations.indices { degrade(index) }
            return
        }
        let reserved = next.map { max(total, $0).bitsPerSecond - $0.bitsPerSecond } ?? 0
        network?.isObstructed = isObstructed
        guard network?.total != total || network?.reserved != reserved else { return }
        if network == nil {
            network = NetworkAdaptation(total, of: plan.settings, adaptation)
            plan.burstLimit = NetworkAdaptation.burstLimit
        }
        network?.total = total
        network?.reserved = reserved
        share()
    }

    /// Fits each layer to its share, at the time of a frame.
    private mutating func followNetwork(at now: MediaTime) {
        guard let mayChange = network?.advance(to: now) else { return }
        if mayChange { share() }
        for index in limitations.indices {
            if plan.isSending(layer: index),
                network?.fit(index, at: now) != nil
            {
                degrade(index)
            } else {
                updateReason(index)
            }
        }
    }

    /// Counts the time since the last frame to what limited each layer meanwhile.
    private mutating func countTime(until time: MediaTime) {
        defer { lastFrame = max(lastFrame ?? time, time) }
        guard let lastFrame, time > lastFrame else { return }
        // Longer without a frame, and the source was at rest.
        let elapsed = min(time - lastFrame, .seconds(10))
        for index in limitations.indices where plan.isActive(layer: index) {
            limitations[index].durations.add(elapsed, to: limitations[index].reason)
        }
    }

    // MARK: Frames that are left out

    /// Fits the next frames to what may be sent.
    mutating func follow(_ allowance: SendingAllowance) {
        setNetwork(
            allowance.frameBitrate, next: allowance.nextFrameBitrate, isObstructed: allowance.obstacle != nil)
        guard let obstacle = allowance.obstacle else { return }
        skipNextFrames(because: obstacle == .queueFull ? .queueFull : .windowFull)
    }

    mutating func skipNextFrame(layer index: Int, because reason: SendPipeline.SkipReason) {
        limitations[index].skipReason = reason
        plan.skipNextFrame(layer: index)
    }

    /// Leaves out the next frame of each layer, except the smallest one's if there are others: its few packets keep the
    /// call alive.
    mutating func skipNextFrames(because reason: SendPipeline.SkipReason) {
        let sending = limitations.indices.filter { plan.isSending(layer: $0) }
        // In a dip the share of a large layer may be the smaller one.
        let settings = plan.settings
        let smallest = sending.min { settings[$0].bitrate < settings[$1].bitrate }
        for index in sending where sending.count == 1 || index != smallest {
            skipNextFrame(layer: index, because: reason)
        }
    }

    private mutating func countSkipped(layer index: Int) {
        let count = plan.skippedFrameCount(layer: index)
        guard count != limitations[index].skipCount else { return }
        limitations[index].skipCount = count
        switch limitations[index].skipReason {
        case .queueFull: limitations[index].skipped.queueFull += 1
        case .windowFull: limitations[index].skipped.windowFull += 1
        }
    }

    /// Makes the next frames of the layer with the highest bitrate smaller.
    mutating func reduceNextFrames(by byteCount: Int) {
        let sending = limitations.indices.filter { plan.isSending(layer: $0) }
        let largest = sending.max {
            plan.effectiveSettings(layer: $0).bitrate < plan.effectiveSettings(layer: $1).bitrate
        }
        guard let largest else { return }
        plan.reduceNextFrames(layer: largest, by: byteCount)
    }

    mutating func requestKeyFrameDiscardingOlder(layer index: Int) { plan.requestKeyFrameDiscardingOlder(layer: index) }

    /// Whether a task is older than a key frame that replaces it. Its requests are kept for the next task.
    mutating func discardIfOutdated(_ task: LayerTask, layer index: Int) -> Bool {
        guard plan.isOutdated(task, layer: index) else { return false }
        if task.isRestartRequested { plan.requestRestart(layer: index) }
        limitations[index].skipped.outdated += 1
        return true
    }
}

extension AdaptationController {
    /// Creates a controller for the layer; `nil` if nothing is to be adapted.
    fileprivate init?(_ settings: AdaptationSettings?, _ layer: LayerSettings) {
        guard let settings else { return nil }
        self.init(
            settings, codec: layer.encoder.codec, resolution: layer.resolution, frameRate: layer.frameRate)
    }
}
