import RillCore

/// What a participant is shown as: one sequence of pictures, by whichever layer they come.
///
/// Threads: the decoding thread uses the layers; any looks at what has come of them.
final class ParticipantView: Sendable {
    /// One for each layer of theirs, in their order.
    let layers: [ShownLayer]
    private let sink: ExclusiveUse<any FrameSink>

    /// - Parameter makeLayer: makes what decodes a layer, for the sink that it is given.
    init(
        layerCount: Int, sink: sending any FrameSink, _ makeLayer: (Int, any FrameSink & Sendable) throws -> ShownLayer
    ) rethrows {
        let shared = ExclusiveUse(sink)
        self.sink = shared
        layers = try (0..<layerCount).map { try makeLayer($0, LayerSink(sink: shared)) }
    }

    /// The sink, for one of the layers: it lives longer than that.
    private final class LayerSink: FrameSink, Sendable {
        let sink: ExclusiveUse<any FrameSink>

        init(sink: ExclusiveUse<any FrameSink>) { self.sink = sink }

        func consume(_ frame: VideoFrame) throws { try sink.use { try $0.consume(frame) } }
        func finish() {}
    }

    /// Finishes the sink; what it throws.
    func finish() -> (any Error)? {
        sink.use { sink in
            do { try sink.finish() } catch { return error }
            return nil
        }
    }
}
