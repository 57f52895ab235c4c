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

// The mapping of encoder settings to libvpx.

extension EncoderSettings {
    /// The codec as libvpx has it. Codecs that it does not have map to VP9, and ``validate(with:)`` rejects them.
    var vpx: VPXCodec { codec == .vp8 ? .vp8 : .vp9 }

    /// Returns the speed that is in force for pictures of that size.
    ///
    /// VP8: -4 below CIF (352x288), otherwise -6. VP9: 5 below CIF, otherwise 8. Speed 7 takes a third more
    /// instructions at 640x480, and its rate control reacts to a scene cut with the largest quantizer.
    public func effectiveSpeed(for resolution: Resolution) -> Int {
        if let speed { return speed }
        if effort == .good { return vpx == .vp8 ? 0 : 1 }
        let isSmall = resolution.pixelCount < 352 * 288
        switch vpx {
        case .vp8: return isSmall ? -4 : -6
        case .vp9: return isSmall ? 5 : 8
        }
    }

    /// Returns the speeds of a codec that do not depend on the wall clock. Deterministic output requires that.
    static func speeds(of codec: VPXCodec, _ effort: Effort) -> ClosedRange<Int> {
        switch (effort, codec) {
        case (.good, _): 0...5
        case (.realtime, .vp8): -16 ... -1
        case (.realtime, .vp9): 5...9
        }
    }

    /// The lowest possible target bitrate with these settings: 1 kbit/s; 2 kbit/s with two temporal layers, 4 kbit/s
    /// with three. libvpx counts in whole kbit/s, and each layer needs one more than those below it.
    public var minimumBitrate: Bitrate {
        switch temporalPattern {
        case .l1t1: .kilobits(1)
        case .l1t2: .kilobits(2)
        case .l1t3: .kilobits(4)
        }
    }

    /// Throws `unsupportedCodec`, or `invalidSettings` for the first value that libvpx would not accept.
    func validate(with bitrate: Bitrate) throws(CodecError) {
        func check(_ isValid: Bool, _ rule: @autoclosure () -> String) throws(CodecError) {
            guard isValid else { throw .invalidSettings(rule()) }
        }
        try check(
            (minimumBitrate ... .megabits(1000)).contains(bitrate),
            "with \(temporalPattern.rawValue) the bitrate goes from \(minimumBitrate) to 1000M, not \(bitrate)")
        _ = try VPXCodec(codec)
        try check(
            quantizers.lowerBound >= 0 && quantizers.upperBound <= 63, "quantizers go from 0 to 63, not \(quantizers)")
        try check((1...16).contains(threadCount), "an encoder has 1 to 16 threads, not \(threadCount)")
        let speeds = Self.speeds(of: vpx, effort)
        try check(
            speed.map(speeds.contains) ?? true,
            "the speed of \(codec.rawValue) goes from \(speeds.lowerBound) to \(speeds.upperBound), not \(speed ?? 0)")
        try check(quality.map((0...63).contains) ?? true, "the quality goes from 0 (best) to 63, not \(quality ?? 0)")
        try check((0...25).contains(lagInFrames), "0 to 25 frames are held back, not \(lagInFrames)")
        try check(effort == .realtime || temporalPattern == .l1t1, "temporal layers need the effort realtime")
        try check(
            (1...1_000_000).contains(maximumKeyFrameInterval),
            "the maximum key frame interval goes from 1 to 1000000 frames, not \(maximumKeyFrameInterval)")
        try check(
            (0...100_000).contains(staticThreshold),
            "the static threshold goes from 0 to 100000, not \(staticThreshold)")
        try check(
            [undershootPercentage, overshootPercentage, dropThreshold].allSatisfy((0...100).contains),
            "undershoot, overshoot and drop threshold are percentages from 0 to 100")
        try check(
            dropThreshold == 0 || vpx == .vp9 || temporalPattern == .l1t1,
            "libvpx produces VP8 that cannot be decoded if it drops frames of temporal layers")
        try check(
            (0...100_000).contains(maximumKeyFramePercentage),
            "a key frame's limit goes from 0 to 100000 percent, not \(maximumKeyFramePercentage)")
        let levels = [bufferSize, initialBufferLevel, optimalBufferLevel]
        try check(
            levels.allSatisfy { $0 >= .milliseconds(1) && $0 <= .seconds(60) },
            "buffer levels lie between 1 ms and 60 s")
        try check(
            burstLimit.map { $0 >= .milliseconds(10) && $0 <= .seconds(10) } ?? true,
            "the burst limit lies between 10 ms and 10 s")
        try check(burstLimit == nil || effort == .realtime, "a burst limit needs the effort realtime")
    }
}
