import RillCore

/// Says which frames of a picture that stands still need no coding: a screen that nobody touches.
///
/// The first frames of a still picture are coded, until their quantizer has become so fine that more bits would show
/// nothing; from then on one a second is, so that a receiver that lost something is served and nobody takes the
/// stream for dead.
struct UnchangedFramePolicy: Sendable {
    /// The longest time from one coded frame to the next.
    static let longestPause = MediaDuration.seconds(1)

    /// What stamps may be off by: thirty intervals of 33.333 ms are a second.
    private static let rounding = MediaDuration.milliseconds(1)

    /// The number of the content that was coded last.
    private var codedContent: Int?
    private var codedTime = MediaTime.zero
    private var isFine = false
    private var previousTime: MediaTime?

    /// Whether the frame may be left out. Ask once for each frame that the layer wants, in order.
    ///
    /// - Parameter content: a number that rises when the picture differs from the one before; `nil` where nobody looked.
    mutating func canSkip(_ content: Int?, at time: MediaTime) -> Bool {
        defer { previousTime = time }
        guard let content, content == codedContent, isFine, time >= codedTime else { return false }
        // The next frame may come an interval later: this one is coded if that would be too late.
        let interval = max(.zero, time - (previousTime ?? time))
        return time - codedTime + interval <= Self.longestPause + Self.rounding
    }

    /// Takes note of a frame that was coded with that quantizer index.
    mutating func coded(_ content: Int?, at time: MediaTime, quantizer: Int?, by codec: VideoCodec) {
        codedContent = content
        codedTime = time
        // Of a codec with a scale of its own nobody knows what is fine: it codes every frame.
        isFine = if let quantizer, let fine = Self.fineQuantizer(of: codec) { quantizer <= fine } else { false }
    }

    /// The quantizer index from which down a still picture is as good as it needs to be: libwebrtc's thresholds.
    private static func fineQuantizer(of codec: VideoCodec) -> Int? {
        switch codec {
        case .vp8: 15
        case .vp9: 32
        default: nil
        }
    }
}
