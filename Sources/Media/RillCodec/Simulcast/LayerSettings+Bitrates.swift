import Glibc
public import RillCore
public import RillRTP

extension Bitrate {
    /// Returns a default bitrate for real time, for pictures of that size at 30 frames per second.
    ///
    /// With VP8: 800 kbit/s at 640x480, 1500 kbit/s at 1280x720, and other sizes by the number of pixels to the power
    /// of 0.57. With VP9: three quarters of that. Rounded to whole kbit/s, and at least 30 kbit/s.
    public static func suggested(for resolution: Resolution, codec: VideoCodec = .vp8) -> Bitrate {
        // The exponent matches both given sizes: log(1500/800) / log(3) = 0.572.
        let ratio = Double(resolution.pixelCount) / Double(640 * 480)
        let share = codec == .vp9 ? 0.75 : 1
        return .kilobits(max(30, Int((800 * share * pow(ratio, 0.5722)).rounded())))
    }
}

extension BitrateAllocator.Layer {
    /// Creates the bitrates of a layer from its settings: at least a quarter of its bitrate, at most all of it.
    public init(_ settings: LayerSettings) {
        let quarter = Bitrate(bitsPerSecond: max(1, settings.bitrate.bitsPerSecond / 4))
        self.init(settings.rid, minimum: quarter, target: settings.bitrate, maximum: settings.bitrate)
    }
}

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
