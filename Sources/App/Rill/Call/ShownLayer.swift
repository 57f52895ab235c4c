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
