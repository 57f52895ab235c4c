public import Rill
public import RillCore
import RillReceive

/// A receiving pipeline in virtual time. Decoding lasts as long as it is told.
public final class VirtualReceiver<Feedback: PacketSink>: TimedStage {
    /// What is received, and how.
    public let pipeline: ReceivePipeline<Feedback>
    private let decodeTime: MediaDuration
    private var working: (frame: ReceivedFrame, end: MediaTime)?

    /// A receiver that has received nothing.
    ///
    /// - Parameter decodeTime: how long the decoder takes for a frame.
    public init(_ pipeline: ReceivePipeline<Feedback>, decodeTime: MediaDuration) {
        self.pipeline = pipeline
        self.decodeTime = decodeTime
    }

    /// Takes a datagram of the stream.
    public func insert(_ datagram: Span<UInt8>, at now: MediaTime) {
        pipeline.insert(datagram, at: now)
    }

    /// When the next frame or report is due.
    public var wakeTime: MediaTime { working?.end ?? pipeline.wakeTime }

    /// Decodes and shows what is due.
    public func wake(at now: MediaTime) throws {
        if let (frame, end) = working {
            guard end <= now else { return }
            try pipeline.finish(frame, decoded: now, at: now)
            working = nil
        }
        if case .decode(let frame) = pipeline.next(at: now) { working = (frame, now + decodeTime) }
    }

    /// Whether nothing is held that could still be shown.
    public var isIdle: Bool { working == nil && pipeline.isIdle }
}
