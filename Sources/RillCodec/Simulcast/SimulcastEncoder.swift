public import RillCore
import RillImage

/// Plan and encoders in one call: a frame in, the coded frames of all layers out.
///
///     let encoder = try SimulcastEncoder(layers: [.high(.vga, bitrate: .kilobits(800)), .low])
///     try encoder.encode(frame) { coded, bytes in … }
///
/// Nothing is measured and no clock is read: the same frames, stamps and requests give the same bytes. One owner, one
/// thread at a time; the live driver runs the same plan and ``LayerEncoder``s on a thread each.
public final class SimulcastEncoder {
    /// What to do when; ask for key frames, bitrates and switches here.
    public var plan: SimulcastPlan
    /// The layers' encoders, in the order of the plan.
    public let layers: [LayerEncoder]
    private var changes = PictureChangeCounter()

    /// An encoder of one to three layers.
    public init(layers settings: [LayerSettings]) throws(CodecError) {
        self.plan = try SimulcastPlan(layers: settings)
        var layers: [LayerEncoder] = []
        for layer in settings { layers.append(try LayerEncoder(layer)) }
        self.layers = layers
    }

    /// Encodes an I420 frame with every layer that wants it, and calls `body` with each coded frame and its bytes, in the
    /// order of the layers. The bytes hold until `body` returns.
    ///
    /// - Throws: ``CodecError``, or what `body` throws.
    public func encode(_ frame: VideoFrame, _ body: (EncodedFrame, Span<UInt8>) throws -> Void) throws {
        let content = plan.looksForChanges ? changes.add(frame) : nil
        let tasks = plan.tasks(at: frame.captureTime, content: content, isDiscontinuity: frame.isDiscontinuity)
        for index in layers.indices {
            guard let task = tasks[index] else { continue }
            try layers[index].encode(frame, task, body)
        }
    }
}
