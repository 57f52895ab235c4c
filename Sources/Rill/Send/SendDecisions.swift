import RillCodec
import RillCore

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

    /// How far one layer is reduced by adaptation.
    struct Limitation: Sendable {
        fileprivate var controller: AdaptationController?
        var reason = QualityLimitationReason.none
        var resolutionChanges = 0
    }

    init(_ layers: [LayerSettings], _ adaptation: AdaptationSettings?) throws(CodecError) {
        plan = try SimulcastPlan(layers: layers)
        self.adaptation = adaptation
        limitations = layers.map { Limitation(controller: AdaptationController(adaptation, $0)) }
    }

    /// Returns each layer's task for the frame.
    mutating func tasks(_ frame: VideoFrame, content: Int?) -> LayerTasks {
        plan.tasks(at: frame.captureTime, content: content, isDiscontinuity: frame.isDiscontinuity)
    }

    /// Notes the outcome of a frame; returns the adaptation step that follows from it, if any.
    mutating func adapt(
        layer index: Int, _ frame: AdaptationController.Frame, at now: MediaTime
    ) -> AdaptationController.Step? {
        let before = limitations[index].controller?.degradation
        guard let step = limitations[index].controller?.add(frame, at: now) else { return nil }
        plan.degrade(layer: index, step.degradation)
        if step.degradation.sizeSteps != before?.sizeSteps { limitations[index].resolutionChanges += 1 }
        switch step.reason {
        case .encodeTime, .drops: limitations[index].reason = .cpu
        case .quantizer: limitations[index].reason = .bandwidth
        case .recovered: if step.degradation == .none { limitations[index].reason = .none }
        }
        return step
    }

    func limitation(layer index: Int) -> Limitation { limitations[index] }

    mutating func requestKeyFrame(layer index: Int) { plan.requestKeyFrame(layer: index) }

    mutating func requestRestart(layer index: Int) { plan.requestRestart(layer: index) }

    mutating func change(layer index: Int, _ body: (inout LayerSettings) -> Void) throws(CodecError) {
        let old = plan.settings[index]
        try plan.change(layer: index, body)
        let new = plan.settings[index]
        if new.resolution != old.resolution || new.frameRate != old.frameRate {
            // Measurements of the old size do not apply to the new one.
            limitations[index].controller = AdaptationController(adaptation, new)
            limitations[index].reason = .none
            plan.degrade(layer: index, .none)
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
        guard let total else {
            allocator = nil
            for index in 0..<plan.layerCount { plan.limit(layer: index, to: nil) }
            return
        }
        let settings = plan.settings
        let active = settings.indices.filter { plan.isActive(layer: $0) }
        guard !active.isEmpty else { return }
        let layers = active.map { BitrateAllocator.Layer(settings[$0]) }
        var allocator = BitrateAllocator(layers: layers, keepingActive: self.allocator)
        let split = allocator.split(total)
        self.allocator = allocator
        for (place, index) in active.enumerated() { plan.limit(layer: index, to: split[place]) }
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
