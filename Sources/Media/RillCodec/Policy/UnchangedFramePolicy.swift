import RillCore
import RillRTP

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
