import RillCodec
import RillCore
import RillRTP
import RillSend
package import RillSession
import RillThreads

/// One layer of a sending pipeline: its encoder, and the streams that carry it.
///
/// Threads: its own thread encodes and sends; any thread reads it.
package final class SendLayer: Sendable {
    package let settings: LayerSettings
    /// The pipeline's own stream of the layer; `nil` in a call, where each participant has their own streams.
    private let own: LayerStream?
    private let encoder: ExclusiveUse<LayerEncoder>
    private let counts: Monitor<Counts>
    /// The feedback that the bitrate follows; `nil` if it does not follow the network.
    private let expectedFeedback: StreamDescription.CongestionFeedback?

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

    package init(
        _ layer: LayerSettings, _ settings: SendSettings, on session: SharedSession?,
        using random: inout SeededGenerator
    ) throws(PipelineError) {
        self.settings = layer
        expectedFeedback = settings.congestion?.feedback
        self.counts = Monitor(Counts(resolution: layer.resolution))
        do throws(CodecError) {
            self.encoder = ExclusiveUse(try LayerEncoder(layer, make: settings.makeEncoder))
        } catch {
            throw .codec(error)
        }
        let stream = settings.stream(of: layer, using: &random)
        own = if let session { try LayerStream(stream, on: session) } else { nil }
    }

    private var ownStream: LayerStream {
        guard let own else { preconditionFailure("in a call, streams belong to the participants, not to the layer") }
        return own
    }

    /// The session's identifier of the stream.
    package var id: SendingStreamID { ownStream.id }

    /// The stream's current settings.
    package var streamSettings: RTPStreamSettings { ownStream.settings }

    /// The stream's current SSRC.
    package var ssrc: SSRC { streamSettings.ssrc }

    /// The description of the stream for its receiver.
    package var description: StreamDescription {
        var description = StreamDescription(of: streamSettings, codec: settings.codec)
        description.rid = settings.rid.description
        if let expectedFeedback { description.allow(expectedFeedback) }
        return description
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

    /// Packetizes an encoded frame and sends the packets in sequence number order. Frames must be sent one at a time.
    package func send(
        _ frame: EncodedFrame, _ payload: Span<UInt8>, to packets: some PacketSink, clock: () -> MediaTime
    ) {
        let now = clock()
        let sent = own.flatMap { own in
            own.session.change(sendingTo: packets) { $0.send(frame, payload: payload, of: own.id, at: now) }
        }
        let observer = counts.withLock { counts in
            if let start = frame.timestamps[.preprocessed], let end = frame.timestamps[.encoded] {
                counts.totalEncodeTime += end - start
            }
            return counts.observer
        }
        guard let observer, let sent else { return }
        var frame = frame
        frame.timestamps[.sent] = clock()
        observer.tell(frame, sent.timestamp)
    }

    /// Has `observer` called for each sent frame, on the thread that sent it.
    package func observe(_ observer: @escaping Observer) {
        counts.withLock { $0.observer = Watcher(tell: observer) }
    }

    package var statistics: SendStatistics {
        let stream = own?.statistics ?? RTPStreamStatistics()
        let ssrc = own?.settings.ssrc ?? SSRC(0)
        return counts.withLock { counts in
            SendStatistics(
                rid: settings.rid, ssrc: ssrc, encoder: counts.encoder, framesUnchanged: counts.framesUnchanged,
                resolution: counts.resolution, stream: stream, totalEncodeTime: counts.totalEncodeTime)
        }
    }
}
