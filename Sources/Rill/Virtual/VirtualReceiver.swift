import RillCore
import RillReceive

/// A receiving pipeline in virtual time. Decoding lasts as long as it is told.
final class VirtualReceiver<Feedback: PacketSink>: TimedStage {
    let pipeline: ReceivePipeline<Feedback>
    private let decodeTime: MediaDuration
    private var working: (frame: ReceivedFrame, end: MediaTime)?

    init(_ pipeline: ReceivePipeline<Feedback>, decodeTime: MediaDuration) {
        self.pipeline = pipeline
        self.decodeTime = decodeTime
    }

    /// Takes a datagram of the stream.
    func insert(_ datagram: Span<UInt8>, at now: MediaTime) {
        pipeline.insert(datagram, at: now)
    }

    var wakeTime: MediaTime { working?.end ?? pipeline.wakeTime }

    func wake(at now: MediaTime) throws {
        if let (frame, end) = working {
            guard end <= now else { return }
            try pipeline.finish(frame, decoded: now, at: now)
            working = nil
        }
        if case .decode(let frame) = pipeline.next(at: now) { working = (frame, now + decodeTime) }
    }

    /// Whether nothing is held that could still be shown.
    var isIdle: Bool { working == nil && pipeline.isIdle }
}
