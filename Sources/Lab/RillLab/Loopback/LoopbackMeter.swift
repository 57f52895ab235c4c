import RillCodec
import RillCore
import RillImage
import RillRTP

/// The end of one layer's path: it matches shown frames with sent ones, measures them, and passes them on.
///
/// Frames arrive with their RTP time as capture time; they are passed on with the source's own. A layer whose size
/// was reduced is scaled back to its size, as a screen would do.
final class LoopbackMeter: FrameSink {
    private let log: SentFrameLog
    private let comparator: ReferenceComparator?
    private let recorder: LayerRecorder?
    private let output: FixedRateOutput?
    private let scaler: LayerScaler
    private(set) var latencies = LatencyMeter()
    /// The first error of the comparison or the output.
    private(set) var failure: (any Error)?

    /// Pictures in use at once: the output keeps one, and one arrives.
    private static let capacity = 2

    init(
        _ layer: LayerSettings, log: SentFrameLog, comparator: ReferenceComparator?, recorder: LayerRecorder?,
        output: FixedRateOutput?
    ) throws(FrameError) {
        self.scaler = try LayerScaler(layer.resolution, aspect: .stretch, capacity: Self.capacity)
        self.log = log
        self.comparator = comparator
        self.recorder = recorder
        self.output = output
    }

    func consume(_ shown: VideoFrame) throws { try keepingFailure { try measure(shown) } }

    private func keepingFailure(_ body: () throws -> Void) throws {
        do { try body() } catch {
            failure = failure ?? error
            throw error
        }
    }

    private func measure(_ shown: VideoFrame) throws {
        let ticks = shown.captureTime.ticks(rate: RTPTimestamp.videoClockRate)
        guard let sent = log.entry(for: RTPTimestamp(UInt32(truncatingIfNeeded: ticks))) else {
            // Sent long ago: it was shown all the same.
            recorder?.shown(shown)
            return
        }
        var frame = shown
        frame.captureTime = sent.captureTime
        frame.timestamps = sent.timestamps.merging(shown.timestamps)
        latencies.add(frame.timestamps)
        recorder?.shown(frame)
        guard comparator != nil || output != nil else { return }
        guard let frame = scaler.fitted(frame) else { preconditionFailure("more pictures are kept than expected") }
        try comparator?.compare(frame, at: sent.captureTime)
        if let start = log.span?.first { try output?.show(frame, from: start) }
    }

    func finish() throws { try keepingFailure { try output?.finish(with: log.span?.last) } }

    var quality: QualityMeter? { comparator?.quality }
}

/// Compares shown pictures with the source frames of the same time, cropped and scaled as the layer does.
///
/// The source is read a second time, so that no picture must be kept for the duration of the transmission.
final class ReferenceComparator {
    private let source: any FrameSource
    private let layer: LayerSettings
    private let scaler: LayerScaler
    private var current: VideoFrame?
    private(set) var quality = QualityMeter()

    /// - Parameters:
    ///   - source: the same pictures as those that are sent, from the start.
    ///   - layer: the settings of the layer.
    init(source: any FrameSource, layer: LayerSettings) throws {
        self.source = source
        self.layer = layer
        self.scaler = try LayerScaler(layer.resolution, aspect: layer.aspect, capacity: 1)
    }

    /// Compares a picture with the source's of `captureTime`. Times must rise from call to call.
    func compare(_ shown: VideoFrame, at captureTime: MediaTime) throws {
        while current.map({ $0.captureTime < captureTime }) ?? true {
            current = nil
            guard case .frame(let next) = try source.next() else { break }
            current = next
        }
        // A shown picture may have no source frame of the same time.
        guard let current, current.captureTime == captureTime, shown.resolution == layer.resolution else { return }
        guard let reference = scaler.fitted(current) else {
            preconditionFailure("the picture compared before is still in use")
        }
        quality.add(PictureDifference(between: shown, and: reference))
    }
}
