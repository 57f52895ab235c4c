import RillCore
import RillReceive
import RillSession

/// A shown layer of a participant: its decoder and its sink.
///
/// Threads: the decoding thread uses the decoder; any thread reads its statistics.
final class ShownLayer: Sendable {
    let rid: StreamLayer.RID
    /// Is called with the events of its stream, on the decoding thread.
    let observer: (@Sendable (ReceiveEvent, MediaTime) -> Void)?
    private let decoder: ExclusiveUse<StreamDecoder>
    private let counts: Monitor<ReceiveStatistics>

    init(
        _ rid: StreamLayer.RID, _ decoder: sending StreamDecoder,
        _ observer: (@Sendable (ReceiveEvent, MediaTime) -> Void)?
    ) {
        (self.rid, self.observer) = (rid, observer)
        counts = Monitor(ReceiveStatistics(decoder))
        self.decoder = ExclusiveUse(decoder)
    }

    /// Runs `body` with the decoder, then updates the statistics.
    func use(_ body: (StreamDecoder) -> Void) {
        let statistics = decoder.use { decoder in
            body(decoder)
            return ReceiveStatistics(decoder)
        }
        counts.withLock { $0 = statistics }
    }

    /// Finishes the sink; returns the error that it throws.
    func finish() -> (any Error)? {
        decoder.use { decoder in
            do { try decoder.finish() } catch { return error }
            return nil
        }
    }

    /// The current statistics: packets count even if no frame results.
    func statistics(of id: ReceivingStreamID, in session: RTPSession) -> ReceiveStatistics {
        var statistics = counts.withLock { $0 }
        statistics.note(session, id)
        return statistics
    }
}

/// A participant shown as one sequence of pictures, from whichever layer.
///
/// Threads: the decoding thread uses the layers; any thread reads their statistics.
final class ParticipantView: Sendable {
    /// One for each layer of the participant, in order.
    let layers: [ShownLayer]
    private let sink: ExclusiveUse<any FrameSink>

    /// - Parameters:
    ///   - layerCount: the number of layers.
    ///   - sink: receives the pictures of all layers.
    ///   - makeLayer: creates the decoder of the layer with that index, for the given sink.
    init(
        layerCount: Int, sink: sending any FrameSink, _ makeLayer: (Int, any FrameSink & Sendable) throws -> ShownLayer
    ) rethrows {
        let shared = ExclusiveUse(sink)
        self.sink = shared
        layers = try (0..<layerCount).map { try makeLayer($0, LayerSink(sink: shared)) }
    }

    /// A layer; `nil` for one that came after the view.
    func layer(_ index: Int) -> ShownLayer? { index < layers.count ? layers[index] : nil }

    /// The sink as one layer sees it. It outlives that layer, so finishing the layer does not finish it.
    private final class LayerSink: FrameSink, Sendable {
        let sink: ExclusiveUse<any FrameSink>

        init(sink: ExclusiveUse<any FrameSink>) { self.sink = sink }

        func consume(_ frame: VideoFrame) throws { try sink.use { try $0.consume(frame) } }
        func finish() {}
    }

    /// Finishes the sink; returns the error that it throws.
    func finish() -> (any Error)? {
        sink.use { sink in
            do { try sink.finish() } catch { return error }
            return nil
        }
    }
}
