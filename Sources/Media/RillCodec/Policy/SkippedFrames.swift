public import RillCore
import RillRTP

/// Reduces a stream of frames to a lower rate, by their timestamps alone.
///
/// The target rate defines a grid of times; the frame nearest to each grid point is kept. So the mean rate is exact
/// for any source rate, even a variable one, and a camera's jitter does not add up. A source slower than the target
/// passes unchanged.
///
/// ```swift
/// var decimator = FrameDecimator(rate: 5)
/// if decimator.wants(frame.captureTime) { encode(frame) }
/// ```
public struct FrameDecimator: Sendable {
    /// The maximum frame rate; `nil` keeps every frame.
    public var rate: FrameRate? {
        didSet { if rate != oldValue { due = nil } }
    }
    private var due: MediaTime?
    private var previous: MediaTime?
    /// The start of the grid, if it is not the first frame.
    private var origin: MediaTime?

    /// Creates a decimator. It keeps the first frame, where its grid starts.
    public init(rate: FrameRate?) {
        self.rate = rate
    }

    /// Starts the grid at `time`, before the first frame: for a source that starts in the middle of a clip.
    package mutating func align(to time: MediaTime) { origin = time }

    /// Returns whether to keep the frame with that timestamp. Call it once for each frame, in order.
    public mutating func wants(_ time: MediaTime) -> Bool {
        defer { previous = time }
        guard let interval = rate?.interval else { return true }
        guard let due, let previous, time > previous else {
            if previous == nil, let origin, origin < time {
                // It is unknown which frames took the grid points so far; the later ones are certain.
                self.due = origin + interval * Int((time - origin).nanoseconds / interval.nanoseconds + 1)
                return false
            }
            // The first frame, or the first after the source's clock was set back: the grid starts here.
            self.due = time + interval
            return true
        }
        // The nearest frame to a grid point is less than half a source interval before it, or is after it.
        guard time + (time - previous) / 2 >= due else { return false }
        // After a pause, missed grid points are skipped. A frame late by less than an interval does not skip the next
        // one.
        let missed = max(0, (time - due).nanoseconds / interval.nanoseconds)
        self.due = due + interval * Int(missed + 1)
        return true
    }
}

/// Decides which frames of an unchanged picture need no coding, such as an idle screen.
///
/// The first frames of an unchanged picture are coded until their quantizer is so fine that more bits would not be
/// visible. From then on one frame per second is coded. It serves receivers that lost something, and shows that the
/// stream is alive.
struct UnchangedFramePolicy: Sendable {
    /// The longest time between two coded frames.
    static let longestPause = MediaDuration.seconds(1)

    /// The tolerance of timestamps: thirty intervals of 33.333 ms are a second.
    private static let rounding = MediaDuration.milliseconds(1)

    /// The content number of the last coded frame.
    private var codedContent: Int?
    private var codedTime = MediaTime.zero
    private var isFine = false
    private var previousTime: MediaTime?

    /// Returns whether the frame may be skipped. Call it once for each frame of the layer, in order.
    ///
    /// - Parameters:
    ///   - content: a number that increases when the picture differs from the previous one; `nil` if that is unknown.
    ///   - time: the frame's capture time.
    mutating func canSkip(_ content: Int?, at time: MediaTime) -> Bool {
        defer { previousTime = time }
        guard let content, content == codedContent, isFine, time >= codedTime else { return false }
        // The next frame may arrive an interval later. If that is too late, this one is coded.
        let interval = max(.zero, time - (previousTime ?? time))
        return time - codedTime + interval <= Self.longestPause + Self.rounding
    }

    /// Records a frame that was coded with that quantizer index.
    mutating func coded(_ content: Int?, at time: MediaTime, quantizer: Int?, by codec: VideoCodec) {
        codedContent = content
        codedTime = time
        // A codec with an unknown quantizer scale codes every frame.
        isFine = if let quantizer, let fine = Self.fineQuantizer(of: codec) { quantizer <= fine } else { false }
    }

    /// Returns the quantizer index at or below which an unchanged picture is good enough: libwebrtc's thresholds.
    private static func fineQuantizer(of codec: VideoCodec) -> Int? {
        switch codec {
        case .vp8: 15
        case .vp9: 32
        default: nil
        }
    }
}
