import RillCodec
package import RillCore
package import RillRTP
import RillSend
import RillThreads

/// One layer of a sending pipeline: its encoder.
///
/// Threads: its own thread encodes; any thread reads it.
package final class SendLayer: Sendable {
    package let settings: LayerSettings
    private let encoder: ExclusiveUse<LayerEncoder>
    private let counts: Monitor<Counts>
    /// Receives a frame's description with the timestamp `sent`, and its RTP timestamp, after its last packet was
    /// passed on.
    package typealias Observer = @Sendable (EncodedFrame, RTPTimestamp) -> Void

    private struct Counts: ~Copyable {
        var encoder = EncoderStatistics()
        var framesUnchanged = 0
        /// As of the last task.
        var resolution: Resolution
        var totalEncodeTime = MediaDuration.zero
        var observer: Watcher?
    }

    /// Wraps an observer, so that it leaves the lock unchanged: a bare function would be wrapped each time.
    private struct Watcher {
        let tell: Observer
    }

    init(_ layer: LayerSettings, _ makeEncoder: VideoEncoderFactory?) throws(CodecError) {
        self.settings = layer
        self.counts = Monitor(Counts(resolution: layer.resolution))
        self.encoder = ExclusiveUse(try LayerEncoder(layer, make: makeEncoder))
    }

    /// Encodes a frame; `body` receives the encoded frame and its bytes, which are valid until it returns.
    package func encode(
        _ frame: VideoFrame, _ task: LayerTask, clock: () -> MediaTime,
        _ body: (EncodedFrame, Span<UInt8>) throws -> Void
    ) throws -> LayerEncoder.Outcome {
        let (outcome, statistics, framesUnchanged) = try encoder.use { encoder in
            let outcome = try encoder.encode(frame, task, clock: { clock() }, body)
            return (outcome, encoder.statistics, encoder.framesUnchanged)
        }
        counts.withLock { counts in
            counts.encoder = statistics
            counts.framesUnchanged = framesUnchanged
            counts.resolution = task.settings.resolution
        }
        return outcome
    }

    /// Counts an encoded frame, and reports it to the observer if it was sent.
    func note(_ frame: EncodedFrame, sentAs timestamp: RTPTimestamp?, _ clock: () -> MediaTime) {
        let observer = counts.withLock { counts in
            if let start = frame.timestamps[.preprocessed], let end = frame.timestamps[.encoded] {
                counts.totalEncodeTime += end - start
            }
            return counts.observer
        }
        guard let observer, let timestamp else { return }
        var frame = frame
        frame.timestamps[.sent] = clock()
        observer.tell(frame, timestamp)
    }

    /// Has `observer` called for each sent frame, on the thread that sent it.
    package func observe(_ observer: @escaping Observer) {
        counts.withLock { $0.observer = Watcher(tell: observer) }
    }

    package var statistics: SendStatistics {
        counts.withLock { counts in
            SendStatistics(
                rid: settings.rid, ssrc: SSRC(0), encoder: counts.encoder, framesUnchanged: counts.framesUnchanged,
                resolution: counts.resolution, stream: RTPStreamStatistics(), totalEncodeTime: counts.totalEncodeTime)
        }
    }
}
