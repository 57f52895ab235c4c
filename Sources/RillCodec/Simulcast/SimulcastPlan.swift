public import RillCore
import RillImage

/// Says for each frame which layers want it, which part of it, and with what request. A pure value: it knows no codec.
///
/// Layers are independent: each has its own rate, size, bitrate, key frames and switch, and nothing asked of one
/// changes another. What is asked (a key frame, a bitrate) takes effect with the layer's next frame.
///
///     var plan = try SimulcastPlan(layers: [.high(.vga, bitrate: .kilobits(800)), .low])
///     let tasks = plan.tasks(for: frame.resolution, at: frame.captureTime)
///     if let task = tasks[0] { … }
public struct SimulcastPlan: Sendable {
    private struct Layer: Sendable {
        var settings: LayerSettings
        var isActive = true
        var decimator: FrameDecimator
        var keyFrame = KeyFramePolicy()
    }

    private var layers: [Layer]

    /// A plan for one to three layers with different names.
    public init(layers: [LayerSettings]) throws(CodecError) {
        guard (1...LayerTasks.capacity).contains(layers.count) else {
            throw .invalidSettings("a simulcast has 1 to \(LayerTasks.capacity) layers, not \(layers.count)")
        }
        guard Set(layers.map(\.rid)).count == layers.count else {
            throw .invalidSettings("two layers have the same RID: \(layers.map(\.rid.description))")
        }
        self.layers = layers.map { Layer(settings: $0, decimator: FrameDecimator(rate: $0.frameRate)) }
    }

    /// The layers' settings as they are now, in the order of the initialiser.
    public var settings: [LayerSettings] { layers.map(\.settings) }

    /// How many layers there are.
    public var layerCount: Int { layers.count }

    /// What each layer is to do with the frame of that size and stamp. Ask once for each frame, in order.
    public mutating func tasks(for resolution: Resolution, at captureTime: MediaTime) -> LayerTasks {
        var tasks = LayerTasks()
        for index in layers.indices where layers[index].isActive {
            guard layers[index].decimator.wants(captureTime) else { continue }
            let settings = layers[index].settings
            tasks[index] = LayerTask(
                crop: CropRegion(centredIn: resolution, withAspectOf: settings.resolution),
                isKeyFrameRequested: layers[index].keyFrame.take(), bitrate: settings.bitrate)
        }
        return tasks
    }

    /// Asks for a key frame on layer `index`; any number of requests before its next frame are one.
    public mutating func requestKeyFrame(layer index: Int) {
        layers[index].keyFrame.request()
    }

    /// Sets the rate control's target of layer `index` from its next frame on, 1 kbit/s to 1 Gbit/s.
    ///
    /// - Throws: ``CodecError/invalidSettings(_:)``; the target then stays as it was.
    public mutating func setBitrate(_ bitrate: Bitrate, layer index: Int) throws(CodecError) {
        try VPXEncoder.validate(bitrate)
        layers[index].settings.bitrate = bitrate
    }

    /// Switches layer `index` on or off. Switched on, it starts with a key frame.
    public mutating func setActive(_ isActive: Bool, layer index: Int) {
        guard layers[index].isActive != isActive else { return }
        layers[index].isActive = isActive
        guard isActive else { return }
        layers[index].keyFrame.request()
        layers[index].decimator = FrameDecimator(rate: layers[index].settings.frameRate)
    }

    /// Whether layer `index` is switched on.
    public func isActive(layer index: Int) -> Bool { layers[index].isActive }
}
