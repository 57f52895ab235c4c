public import RillCore
import RillImage

/// A simulcast plan with its encoders: takes a frame and outputs the coded frames of all layers.
///
/// ```swift
/// let encoder = try SimulcastEncoder(layers: [.high(.vga, bitrate: .kilobits(800)), .low])
/// try encoder.encode(frame) { coded, bytes in … }
/// ```
///
/// It measures nothing and reads no clock: the same frames, timestamps and requests produce the same bytes. One
/// owner, one thread at a time. The live driver runs the same plan, with each ``LayerEncoder`` on its own thread.
public final class SimulcastEncoder {
    /// The plan. Request key frames, bitrates and switches here.
    public var plan: SimulcastPlan
    /// The layers' encoders, in the order of the plan.
    public let layers: [LayerEncoder]
    private var changes = PictureChangeCounter()

    /// Creates an encoder with one to three layers.
    public init(layers settings: [LayerSettings]) throws(CodecError) {
        self.plan = try SimulcastPlan(layers: settings)
        var layers: [LayerEncoder] = []
        for layer in settings { layers.append(try LayerEncoder(layer)) }
        self.layers = layers
    }

    /// Encodes an I420 frame with every layer that takes it.
    ///
    /// - Parameters:
    ///   - frame: the frame.
    ///   - body: receives each coded frame and its bytes, in the order of the layers. The bytes are valid until it
    ///     returns.
    /// - Throws: ``CodecError``, or an error of `body`.
    public func encode(_ frame: VideoFrame, _ body: (EncodedFrame, Span<UInt8>) throws -> Void) throws {
        let content = plan.looksForChanges ? changes.add(frame) : nil
        let tasks = plan.tasks(at: frame.captureTime, content: content, isDiscontinuity: frame.isDiscontinuity)
        for index in layers.indices {
            guard let task = tasks[index] else { continue }
            try layers[index].encode(frame, task, body)
        }
    }
}
