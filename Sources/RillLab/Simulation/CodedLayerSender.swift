import RillCore
import RillRTP
import RillSend

/// Sends the frames of coded layers as ``VirtualSender`` would send them had its encoders just made them, and in the same
/// order with its reports. Encoding takes no time.
final class CodedLayerSender<Packets: PacketSink>: TimedStage {
    private let layers: [CodedLayer]
    private let packets: Packets
    private let observer: any CallObserver
    private var streams: [Stream]
    private var report: [UInt8] = []
    private var now = MediaTime.zero
    /// The layers' last frames have been sent.
    private(set) var isDone: Bool

    /// The sender of one layer, behind a reference: it cannot be copied, and arrays hold only what can.
    private final class Stream {
        var rtp: RTPStreamSender
        var next = 0
        /// The next frame is captured and will be sent when the sender is woken again.
        var isCaptured = false
        var isKeyFrameRequested = false

        init(_ settings: RTPStreamSettings) throws(SendError) {
            rtp = try RTPStreamSender(settings)
        }
    }

    init(
        _ layers: [CodedLayer], streams settings: [RTPStreamSettings], packets: Packets, observer: any CallObserver
    ) throws(SendError) {
        self.layers = layers
        self.packets = packets
        self.observer = observer
        var streams: [Stream] = []
        for settings in settings { streams.append(try Stream(settings)) }
        self.streams = streams
        isDone = layers.allSatisfy { $0.count == 0 }
    }

    var wakeTime: MediaTime {
        var earliest = MediaTime.distantFuture
        for index in streams.indices {
            earliest = min(earliest, streams[index].isCaptured ? now : captureTime(layer: index))
            guard !isDone else { continue }
            switch streams[index].rtp.poll(at: now) {
            case .reportDue: earliest = min(earliest, now)
            case .idle(let time): earliest = min(earliest, time)
            }
        }
        return earliest
    }

    func wake(at now: MediaTime) {
        self.now = now
        for index in streams.indices where streams[index].isCaptured { send(layer: index) }
        for index in streams.indices where captureTime(layer: index) <= now { streams[index].isCaptured = true }
        for stream in streams where stream.rtp.poll(at: now) == .reportDue { sendReport(of: stream) }
        isDone = streams.indices.allSatisfy { streams[$0].next == layers[$0].count }
    }

    /// Takes an RTCP packet of the receiver.
    func receive(_ rtcp: Span<UInt8>, at now: MediaTime) {
        for index in streams.indices {
            let stream = streams[index]
            stream.rtp.receive(rtcp, at: now, resendingTo: packets) { feedback in
                guard feedback == .keyFrameRequested else { return }
                stream.isKeyFrameRequested = true
                observer.keyFrameWasRequested(layer: index, at: now)
            }
        }
    }

    private func captureTime(layer index: Int) -> MediaTime {
        let next = streams[index].next
        return next < layers[index].count ? layers[index].description(of: next).captureTime : .distantFuture
    }

    private func send(layer index: Int) {
        let (stream, layer) = (streams[index], layers[index])
        var (frame, payload) = (layer.description(of: stream.next), stream.next)
        if stream.isKeyFrameRequested, let key = layer.keyFrame(inPlaceOf: stream.next) { (frame, payload) = key }
        stream.isKeyFrameRequested = false
        stream.isCaptured = false
        stream.next += 1
        frame.stamps[.captured] = frame.captureTime
        let sent = layer.withPayload(of: payload) { stream.rtp.send(frame, payload: $0, at: now, to: packets) }
        observer.frameWasSent(layer: index, timestamp: sent.timestamp, captureTime: frame.captureTime, at: now)
    }

    private func sendReport(of stream: Stream) {
        let now = now
        report.removeAll(keepingCapacity: true)
        report.append(addingCapacity: stream.rtp.reportByteCount) { stream.rtp.writeReport(at: now, into: &$0) }
        let written = report  // shared, not copied: it lives no longer than this call
        packets.send(written.span, at: now)
    }
}
