import RillCore
import RillReceive
import RillSession

/// A layer of a participant that is shown: its decoder and its sink.
///
/// Threads: the decoding thread uses the decoder; any looks at what has come of it so far.
final class ShownLayer: Sendable {
    let rid: StreamLayer.RID
    private let decoder: ExclusiveUse<StreamDecoder>
    private let counts: Monitor<ReceiveStatistics>

    init(_ rid: StreamLayer.RID, _ decoder: sending StreamDecoder) {
        self.rid = rid
        counts = Monitor(ReceiveStatistics(decoder))
        self.decoder = ExclusiveUse(decoder)
    }

    /// Runs `body` with the decoder, and notes what has come of it.
    func use(_ body: (StreamDecoder) -> Void) {
        let statistics = decoder.use { decoder in
            body(decoder)
            return ReceiveStatistics(decoder)
        }
        counts.withLock { $0 = statistics }
    }

    /// Finishes the sink; what it throws.
    func finish() -> (any Error)? {
        decoder.use { decoder in
            do { try decoder.finish() } catch { return error }
            return nil
        }
    }

    /// As of now: packets count even when no frame comes of them.
    func statistics(of id: ReceivingStreamID, in session: RTPSession) -> ReceiveStatistics {
        var statistics = counts.withLock { $0 }
        statistics.note(session, id)
        return statistics
    }
}
