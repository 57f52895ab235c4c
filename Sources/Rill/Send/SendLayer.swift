import RillCodec
import RillCore
import RillRTP
import RillReceive
import RillSend

/// One layer of a sending pipeline: its encoder, and the RTP stream that it goes out on.
///
/// Two threads share it in the live driver: the layer's own, which encodes and sends, and the network's, which brings
/// feedback. Encoding takes long, so the stream has a lock of its own.
final class SendLayer: Sendable {
    let settings: LayerSettings
    /// The stream's source identifier.
    var ssrc: SSRC { streamSettings.ssrc }
    /// How the stream is sent.
    let streamSettings: RTPStreamSettings
    private let encoder: Monitor<LayerEncoder>
    private let stream: Monitor<Stream>

    /// What is known of a frame when its last packet has been handed on: its description with the stamp `sent`, and its
    /// RTP timestamp.
    typealias Observer = @Sendable (EncodedFrame, RTPTimestamp) -> Void

    private struct Stream: ~Copyable {
        var rtp: RTPStreamSender
        var encoder = VPXEncoder.Statistics()
        var framesUnchanged = 0
        /// That of the last task.
        var resolution: Resolution
        var report: [UInt8] = []
        var totalEncodeTime = MediaDuration.zero
        var observer: Observer?
    }

    init(
        _ layer: LayerSettings, _ settings: SendSettings, using random: inout SeededGenerator
    ) throws(PipelineError) {
        self.settings = layer
        do { self.encoder = Monitor(try LayerEncoder(layer)) } catch { throw .codec(error) }
        let stream = settings.stream(of: layer, using: &random)
        self.streamSettings = stream
        do {
            self.stream = Monitor(Stream(rtp: try RTPStreamSender(stream), resolution: layer.resolution))
        } catch {
            throw .stream(error)
        }
    }

    /// What its receiver has to know of its repair.
    var repair: RepairSettings { RepairSettings(of: streamSettings) }

    /// Encodes a frame; `body` gets the coded frame and its bytes, which hold until it returns.
    func encode(
        _ frame: VideoFrame, _ task: LayerTask, clock: () -> MediaTime,
        _ body: (EncodedFrame, Span<UInt8>) throws -> Void
    ) throws -> LayerEncoder.Outcome {
        let (outcome, statistics, framesUnchanged) = try encoder.withLock { encoder in
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

    /// Cuts a coded frame into packets and sends them.
    func send(_ frame: EncodedFrame, _ payload: Span<UInt8>, to packets: some PacketSink, clock: () -> MediaTime) {
        stream.withLock { stream in
            let sent = stream.rtp.send(frame, payload: payload, at: clock(), to: packets)
            if let start = frame.stamps[.preprocessed], let end = frame.stamps[.encoded] {
                stream.totalEncodeTime += end - start
            }
            guard let observer = stream.observer else { return }
            var frame = frame
            frame.stamps[.sent] = clock()
            observer(frame, sent.timestamp)
        }
    }

    /// Takes an RTCP packet, and sends what it asks for again to `packets`, if that is somewhere; `true` when it asks this
    /// layer for a key frame.
    func receive(_ rtcp: Span<UInt8>, at now: MediaTime, resendingTo packets: (some PacketSink)?) -> Bool {
        stream.withLock { stream in
            var isKeyFrameRequested = false
            stream.rtp.receive(rtcp, at: now, resendingTo: packets) { feedback in
                if feedback == .keyFrameRequested { isKeyFrameRequested = true }
            }
            return isKeyFrameRequested
        }
    }

    /// Sends a sender report if one is due.
    func sendReport(at now: MediaTime, to packets: some PacketSink) {
        stream.withLock { stream in
            guard stream.rtp.poll(at: now) == .reportDue else { return }
            stream.report.removeAll(keepingCapacity: true)
            stream.report.append(addingCapacity: stream.rtp.reportByteCount) { output in
                stream.rtp.writeReport(at: now, into: &output)
            }
            packets.send(stream.report.span, at: now)
        }
    }

    func nextReportTime(at now: MediaTime) -> MediaTime {
        stream.withLock { stream in
            switch stream.rtp.poll(at: now) {
            case .reportDue: now
            case .idle(let time): time
            }
        }
    }

    /// Has `observer` called for each frame that was sent, on the thread that sent it.
    func observe(_ observer: @escaping Observer) {
        stream.withLock { $0.observer = observer }
    }

    var statistics: SendStatistics {
        stream.withLock { stream in
            SendStatistics(
                rid: settings.rid, ssrc: ssrc, encoder: stream.encoder, framesUnchanged: stream.framesUnchanged,
                resolution: stream.resolution, stream: stream.rtp.statistics, totalEncodeTime: stream.totalEncodeTime)
        }
    }
}
