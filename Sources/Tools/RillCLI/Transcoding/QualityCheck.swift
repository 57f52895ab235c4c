import Rill
import RillCodec
import RillCore
import RillImage
import RillTranscode

/// Measures the quality of an encoded file against the original clip: both are read again, picture by picture.
enum QualityCheck {
    /// PSNR of luma, in decibels; `nil` if there is no picture.
    static func psnr(
        of path: String, _ layer: LayerSettings, against clip: ReopenableClip, _ options: ClipOptions
    ) throws -> Double? {
        let (coded, original) = (I420Source(try options.open(path)), I420Source(try clip.open(nil)))
        let scaler = try LayerScaler(layer.resolution, aspect: layer.aspect, capacity: 2)
        var meter = QualityMeter()
        var (current, following) = (try frame(of: original), try frame(of: original))
        // The first picture is always encoded. Times in a file count from its first picture.
        var shift: MediaDuration?
        while let shown = try frame(of: coded), let first = current {
            let offset = shift ?? first.captureTime - shown.captureTime
            shift = offset
            let time = shown.captureTime + offset
            while let now = current, let next = following,
                abs((next.captureTime - time).nanoseconds) < abs((now.captureTime - time).nanoseconds)
            {
                (current, following) = (next, try frame(of: original))
            }
            guard let picture = current.flatMap({ scaler.fitted($0) }) else { break }
            meter.add(PictureDifference(between: shown, and: picture))
        }
        return meter.psnr?.y
    }

    private static func frame(of source: any FrameSource) throws -> VideoFrame? {
        while true {
            switch try source.next() {
            case .frame(let frame): return frame
            case .pending: continue
            case .noBuffer, .end: return nil
            }
        }
    }
}
