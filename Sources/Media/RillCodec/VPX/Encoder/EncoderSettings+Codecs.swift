public import RillCore
public import RillRTP

extension EncoderSettings {
    /// Creates the settings for a call with that codec.
    public init(_ codec: VideoCodec = .default) {
        switch codec {
        case .vp8: self.init(codec, quantizers: 2...56, undershootPercentage: 100, overshootPercentage: 15)
        default: self.init(codec, quantizers: 2...52, undershootPercentage: 50, overshootPercentage: 50)
        }
    }

    /// Returns the settings for a file, where coding may take its time.
    ///
    /// They use libvpx's own defaults for variable bitrates, all quantizers, and a key frame at least every 240
    /// frames so that players can seek.
    public static func good(_ codec: VideoCodec = .default) -> EncoderSettings {
        var settings = EncoderSettings(codec)
        settings.effort = .good
        settings.quantizers = 0...63
        settings.staticThreshold = 0
        settings.maximumKeyFrameInterval = 240
        (settings.undershootPercentage, settings.overshootPercentage) = codec == .vp8 ? (100, 100) : (25, 25)
        settings.bufferSize = .seconds(6)
        settings.initialBufferLevel = .seconds(4)
        settings.optimalBufferLevel = .seconds(5)
        return settings
    }
}
