import RillCore
import RillImage
import RillRTP

/// The end of one layer's way: joins what is shown with what was sent, measures it, and passes it on.
///
/// Frames come with their RTP time as capture time; on they go with the source's own.
final class LoopbackMeter: FrameSink {
    private let log: SentFrameLog
    private let comparator: ReferenceComparator?
    private let output: SteadyOutput?
    private(set) var latencies = LatencyMeter()

    init(log: SentFrameLog, comparator: ReferenceComparator?, output: SteadyOutput?) {
        self.log = log
        self.comparator = comparator
        self.output = output
    }

    func consume(_ shown: VideoFrame) throws {
        let ticks = shown.captureTime.ticks(rate: RTPTimestamp.videoClockRate)
        guard let sent = log.entry(for: RTPTimestamp(UInt32(truncatingIfNeeded: ticks))) else { return }
        var frame = shown
        frame.captureTime = sent.captureTime
        frame.stamps = sent.stamps.merging(shown.stamps)
        latencies.add(frame.stamps)
        try comparator?.compare(frame, at: sent.captureTime)
        if let start = log.span?.first { try output?.show(frame, from: start) }
    }

    func finish() throws {
        try output?.finish(with: log.span?.last)
    }

    var quality: QualityMeter? { comparator?.quality }
}
