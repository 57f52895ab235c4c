public import Rill
public import RillCore
import RillReceive
import RillSession

/// A receiving pipeline in virtual time.
///
/// Decoding takes a fixed time; streams are decoded in parallel.
public final class VirtualReceiver<Feedback: PacketSink>: TimedStage {
    /// The receiving pipeline.
    public let pipeline: ReceivePipeline<Feedback>
    private let decodeTime: MediaDuration
    private var working: [Work] = []

    /// A frame that is being decoded.
    private struct Work {
        var frame: ReceivedFrame
        var stream: ReceivingStreamID
        var end: MediaTime
    }

    /// Creates a receiver.
    ///
    /// - Parameters:
    ///   - pipeline: the receiving pipeline.
    ///   - decodeTime: the time that a decoder takes per frame.
    public init(_ pipeline: ReceivePipeline<Feedback>, decodeTime: MediaDuration) {
        self.pipeline = pipeline
        self.decodeTime = decodeTime
    }

    /// Inserts a datagram of the call.
    public func insert(_ datagram: Span<UInt8>, at now: MediaTime) {
        pipeline.insert(datagram, at: now)
    }

    /// When the next frame or report is due.
    public var wakeTime: MediaTime {
        var earliest = pipeline.wakeTime
        for work in working { earliest = min(earliest, work.end) }
        return earliest
    }

    /// Decodes and shows what is due.
    public func wake(at now: MediaTime) throws {
        // A loop: `firstIndex(where:)` allocates here (Swift 6.3).
        var index = 0
        while index < working.count {
            guard working[index].end <= now else {
                index += 1
                continue
            }
            let work = working.remove(at: index)
            try pipeline.finish(work.frame, of: work.stream, decoded: now, at: now)
            index = 0
        }
        while case .decode(let frame, let stream) = pipeline.next(at: now) {
            working.append(Work(frame: frame, stream: stream, end: now + decodeTime))
        }
    }

    /// Whether nothing is held that could still be shown.
    public var isIdle: Bool { working.isEmpty && pipeline.isIdle }
}
