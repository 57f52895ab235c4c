public import RillCore
import RillRTP

extension LayerSettings {
    /// Returns the lowest bitrate at which pictures of this size can be encoded at that rate.
    ///
    /// It is what an unchanged picture takes at the coarsest quantizer. Real pictures take more: a webcam's in real
    /// time ten times as much.
    ///
    /// A frame takes at least 16 bytes plus one per 48 macroblocks in VP8, and 14 in VP9, whatever its content. This
    /// was measured with black pictures from 160x120 to 1920x1080 in two passes, which took 20 to 196 bytes in VP8
    /// and 15 to 20 in VP9. For other codecs one byte per frame is assumed. An unchanged screen is encoded once per
    /// second.
    ///
    /// - Parameter sourceRate: the frame rate of the source. At most ``frameRate`` counts.
    public func minimumBitrate(at sourceRate: FrameRate) -> Bitrate {
        var frames = FrameRate.slower(frameRate, sourceRate).framesPerSecond
        if isSkippingUnchangedFrames { frames = min(frames, 1) }
        let macroblocks = ((resolution.width + 15) / 16) * ((resolution.height + 15) / 16)
        let bytes =
            switch encoder.codec {
            case .vp8: 16 + macroblocks / 48
            case .vp9: 14
            default: 1
            }
        return Bitrate(bitsPerSecond: Int((Double(bytes * 8) * frames).rounded(.up)))
    }
}
