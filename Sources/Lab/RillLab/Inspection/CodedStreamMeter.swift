import RillCore
import RillRTP

/// Collects what is known of a sequence of encoded frames without decoding them.
struct CodedStreamMeter {
    private let codec: VideoCodec
    private(set) var count = 0
    private(set) var keyFrames = 0
    /// Frames that do not start like frames of the codec. They count as frames, but not as key frames.
    private(set) var malformedCount = 0
    private var resolution: String?
    private var span = MediaSpan()
    private var byteCount = 0
    private var smallest = Int.max
    private var largest = 0

    init(codec: VideoCodec) {
        self.codec = codec
    }

    /// Adds the next frame.
    mutating func add(_ payload: Span<UInt8>, at time: MediaTime) {
        count += 1
        span.add(time)
        byteCount += payload.count
        smallest = min(smallest, payload.count)
        largest = max(largest, payload.count)
        do throws(BitstreamError) {
            guard let size = try codec.keyFrameSize(of: payload) else { return }
            keyFrames += 1
            resolution = resolution ?? size.description
        } catch {
            malformedCount += 1
        }
    }

    /// The result.
    var stream: FileInspection.Stream {
        var stream = FileInspection.Stream(codec: codec.rawValue, resolution: resolution, frames: count)
        stream.keyFrames = keyFrames
        let seconds = span.duration.seconds
        stream.duration = seconds
        if seconds > 0 {
            stream.frameRate = Double(count) / seconds
            stream.bitrate = Double(8 * byteCount) / seconds
        }
        if count > 0 {
            stream.frameBytes = FileInspection.Sizes(
                minimum: smallest, mean: Double(byteCount) / Double(count), maximum: largest)
        }
        return stream
    }
}
