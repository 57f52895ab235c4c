import RillCodec
import RillCore
import RillRTP
import RillSend

/// One layer of a sending pipeline: its encoder, and the RTP stream that it goes out on.
///
/// Two threads share it in the live driver: the layer's own, which encodes and sends, and the network's, which brings
/// feedback. The stream's lock is held while packets are made, and not while they are handed out (``PacketBatch``).
package final class SendLayer: Sendable {
    package let settings: LayerSettings
    /// The stream's source identifier.
    package var ssrc: SSRC { streamSettings.ssrc }
    /// How the stream is sent.
    package let streamSettings: RTPStreamSettings
    private let encoder: ExclusiveUse<LayerEncoder>
    private let stream: Monitor<Stream>

    /// What is known of a frame when its last packet has been handed on: its description with the stamp `sent`, and its
    /// RTP timestamp.
    package typealias Observer = @Sendable (EncodedFrame, RTPTimestamp) -> Void

    private struct Stream: ~Copyable {
        var rtp: RTPStreamSender
        var encoder = EncoderStatistics()
        var framesUnchanged = 0
        /// That of the last task.
        var resolution: Resolution
        var batches = PacketBatches()
        var totalEncodeTime = MediaDuration.zero
        var observer: Watcher?
    }

    /// An observer as a value that goes out of the lock as it is: a bare function would be wrapped each time.
    private struct Watcher {
        let tell: Observer
    }

    package init(
        _ layer: LayerSettings, _ settings: SendSettings, using random: inout SeededGenerator
    ) throws(PipelineError) {
        self.settings = layer
        do {
            self.encoder = ExclusiveUse(try LayerEncoder(layer, make: settings.makeEncoder))
        } catch {
            throw .codec(error)
        }
        let stream = settings.stream(of: layer, using: &random)
        self.streamSettings = stream
        do {
            self.stream = Monitor(Stream(rtp: try RTPStreamSender(stream), resolution: layer.resolution))
        } catch {
            throw .stream(error)
        }
    }

    /// What its receiver has to know of its stream.
    package var description: StreamDescription {
        var description = StreamDescription(of: streamSettings, codec: settings.codec)
        description.rid = settings.rid.description
        return description
    }

    /// Encodes a frame; `body` gets the coded frame and its bytes, which hold until it returns.
    package func encode(
        _ frame: VideoFrame, _ task: LayerTask, clock: () -> MediaTime,
        _ body: (EncodedFrame, Span<UInt8>) throws -> Void
    ) throws -> LayerEncoder.Outcome {
        let (outcome, statistics, framesUnchanged) = try encoder.use { encoder in
            let outcome = try encoder.encode(frame, task, clock: { clock() }, body)
            return (outcome, encoder.statistics, encoder.framesUnchanged)
        }
        stream.withLock { stream in
            stream.encoder = statistics
            stream.framesUnchanged = framesUnchanged
            stream.resolution = task.settings.resolution
        }
        return outcome
    }

    /// Cuts a coded frame into packets and sends them, in the order of their numbers; frames come one at a time.
    package func send(
        _ frame: EncodedFrame, _ payload: Span<UInt8>, to packets: some PacketSink, clock: () -> MediaTime
    ) {
        let (batch, timestamp, observer) = stream.withLock { stream in
            let batch = stream.batches.take()
            let sent = stream.rtp.send(frame, payload: payload, at: clock(), to: batch)
            if let start = frame.stamps[.preprocessed], let end = frame.stamps[.encoded] {
                stream.totalEncodeTime += end - start
            }
            return (batch, sent.timestamp, stream.observer)
        }
        handOut(batch, to: packets)
        guard let observer else { return }
        var frame = frame
        frame.stamps[.sent] = clock()
        observer.tell(frame, timestamp)
    }

    /// Takes an RTCP packet, and sends what it asks for again to `packets`, if that is somewhere; `true` when it asks this
    /// layer for a key frame.
    package func receive(_ rtcp: Span<UInt8>, at now: MediaTime, resendingTo packets: (some PacketSink)?) -> Bool {
        var isKeyFrameRequested = false
        let batch = stream.withLock { stream -> PacketBatch? in
            let batch = stream.batches.take()
            stream.rtp.receive(rtcp, at: now, resendingTo: packets == nil ? nil : batch) { feedback in
                if feedback == .keyFrameRequested { isKeyFrameRequested = true }
            }
            // Most datagrams ask for nothing again.
            if !batch.isEmpty { return batch }
            stream.batches.giveBack(batch)
            return nil
        }
        if let packets, let batch { handOut(batch, to: packets) }
        return isKeyFrameRequested
    }

    /// Sends a sender report if one is due.
    package func sendReport(at now: MediaTime, to packets: some PacketSink) {
        let batch = stream.withLock { stream -> PacketBatch? in
            guard stream.rtp.poll(at: now) == .reportDue else { return nil }
            let batch = stream.batches.take()
            batch.append(byteCount: stream.rtp.reportByteCount, as: .rtcp, at: now) { output in
                stream.rtp.writeReport(at: now, into: &output)
            }
            return batch
        }
        if let batch { handOut(batch, to: packets) }
    }

    /// Gives the packets to their sink, which may do with this layer whatever it likes.
    private func handOut(_ batch: PacketBatch, to packets: some PacketSink) {
        batch.handOut(to: packets)
        stream.withLock { $0.batches.giveBack(batch) }
    }

    package func nextReportTime(at now: MediaTime) -> MediaTime {
        stream.withLock { stream in
            switch stream.rtp.poll(at: now) {
            case .reportDue: now
            case .idle(let time): time
            }
        }
    }

    /// Has `observer` called for each frame that was sent, on the thread that sent it.
    package func observe(_ observer: @escaping Observer) {
        stream.withLock { $0.observer = Watcher(tell: observer) }
    }

    package var statistics: SendStatistics {
        stream.withLock { stream in
            SendStatistics(
                rid: settings.rid, ssrc: ssrc, encoder: stream.encoder, framesUnchanged: stream.framesUnchanged,
                resolution: stream.resolution, stream: stream.rtp.statistics, totalEncodeTime: stream.totalEncodeTime)
        }
    }
}
