public import RillCore

extension LayerSettings {
    /// The least bitrate that any pictures of this size can be coded at, so many a second: what a picture takes that stands
    /// still, at the coarsest quantizer. Real pictures take more: a webcam's in real time ten times as much.
    ///
    /// Of a codec that is not Rill's a byte a frame is reckoned with. A frame takes 16 bytes and one for each 48 macroblocks in VP8, 14 in VP9, whatever is in it: measured with black
    /// pictures from 160x120 to 1920x1080 in two passes, which took 20 to 196 bytes in VP8 and 15 to 20 in VP9. A still
    /// screen is coded once a second.
    ///
    /// - Parameter sourceRate: how many frames a second there are to be coded; no more than ``frameRate`` are.
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
