import RillCore
import RillRTP
import RillReceive
import RillSend
import RillSession

/// One end of a call without codecs: a session, encoded layers instead of encoders, and a delay instead of decoders.
///
/// Frames are sent as ``VirtualSender`` would send them if its encoders had just made them, in the same order
/// relative to reports. A decodable frame counts as shown after the decode time, as in ``VirtualReceiver``.
final class CodecFreeEnd<Packets: PacketSink>: TimedStage {
    private let session: RTPSession
    private let packets: Packets
    private let decodeTime: MediaDuration
    private let observer: any CallObserver
    /// The observer of the frames shown here, which are the other end's layers.
    private let shownObserver: any CallObserver
    private var layers: [Layer] = []
    private var streams: [ReceivingStreamID] = []
    private var working: [Work] = []
    private var payload: [UInt8] = []
    private var now = MediaTime.zero
    /// Whether the layers' last frames were sent.
    private(set) var isDone = true

    /// A layer that is sent.
    private struct Layer {
        var coded: CodedLayer
        var stream: SendingStreamID
        var next = 0
        /// The next frame is captured, and is sent when the end is woken again.
        var isCaptured = false
        var isKeyFrameRequested = false

        var captureTime: MediaTime {
            next < coded.count ? coded.description(of: next).captureTime : .distantFuture
        }
    }

    /// A frame that is being decoded.
    private struct Work {
        var frame: ReceivedFrame
        var stream: ReceivingStreamID
        var end: MediaTime
    }

    init(
        _ session: RTPSession, packets: Packets, decodeTime: MediaDuration, observer: any CallObserver,
        shownObserver: any CallObserver
    ) {
        self.session = session
        self.packets = packets
        self.decodeTime = decodeTime
        (self.observer, self.shownObserver) = (observer, shownObserver)
    }

    /// Adds a layer to send.
    func send(_ layer: CodedLayer, as stream: RTPStreamSettings) throws(SessionError) {
        layers.append(Layer(coded: layer, stream: try session.send(stream)))
        isDone = isDone && layer.count == 0
    }

    /// Adds a stream to receive.
    func receive(_ stream: StreamReceiverSettings) throws(SessionError) {
        streams.append(try session.receive(stream, at: .zero))
    }

    /// Inserts a datagram of the call.
    func insert(_ datagram: Span<UInt8>, at now: MediaTime) { session.insert(datagram, at: now) }

    var wakeTime: MediaTime {
        var earliest = session.nextPoll
        for index in layers.indices {
            earliest = min(earliest, layers[index].isCaptured ? now : layers[index].captureTime)
        }
        for work in working { earliest = min(earliest, work.end) }
        return earliest
    }

    func wake(at now: MediaTime) {
        self.now = now
        for index in layers.indices where layers[index].isCaptured { send(layer: index) }
        for index in layers.indices where layers[index].captureTime <= now { layers[index].isCaptured = true }
        while let index = working.firstIndex(where: { $0.end <= now }) { finish(working.remove(at: index)) }
        poll()
        isDone = layers.allSatisfy { $0.next == $0.coded.count }
    }

    private func poll() {
        while true {
            let action = session.pollExceptDatagrams(at: now, into: &payload)
            session.transmit(to: packets)
            switch action {
            case .decode(let stream):
                working.append(Work(frame: session.releasedFrame, stream: stream, end: now + decodeTime))
            case .makeKeyFrame(let stream): requestKeyFrame(stream)
            case .event, .transmit, .payload: break
            case .wait: return
            }
        }
    }

    private func requestKeyFrame(_ stream: SendingStreamID) {
        guard let index = layers.firstIndex(where: { $0.stream == stream }) else { return }
        layers[index].isKeyFrameRequested = true
        observer.keyFrameWasRequested(layer: index, at: now)
    }

    private func finish(_ work: Work) {
        session.finish(
            work.frame, of: work.stream, .decoded, picture: work.frame.isShown ? work.frame.frame.resolution : nil,
            decoded: now, at: now)
        guard work.frame.isShown, let index = streams.firstIndex(of: work.stream) else { return }
        shownObserver.frameWasShown(layer: index, timestamp: work.frame.rtpTimestamp, at: now)
    }

    private func send(layer index: Int) {
        let layer = layers[index]
        var (frame, payload) = (layer.coded.description(of: layer.next), layer.next)
        if layer.isKeyFrameRequested, let key = layer.coded.keyFrame(inPlaceOf: layer.next) { (frame, payload) = key }
        layers[index].isKeyFrameRequested = false
        layers[index].isCaptured = false
        layers[index].next += 1
        frame.timestamps[.captured] = frame.captureTime
        let sent = layer.coded.withPayload(of: payload) {
            session.send(frame, payload: $0, of: layer.stream, at: now)
        }
        session.transmit(to: packets)
        guard let sent else { return }
        observer.frameWasSent(layer: index, timestamp: sent.timestamp, captureTime: frame.captureTime, at: now)
    }

    var isIdle: Bool { working.isEmpty && session.isIdle }

    /// The statistics of each received stream.
    var statistics: [InboundStatistics] { streams.map { session.statistics(of: $0) ?? InboundStatistics() } }
}
