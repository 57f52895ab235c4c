public import RillCore
import RillRTP

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

    func validate(with bitrate: Bitrate) throws(CodecError) {
        guard (minimumBitrate ... .megabits(1000)).contains(bitrate) else {
            throw .invalidSettings(
                "with \(temporalPattern.rawValue) the bitrate goes from \(minimumBitrate) to 1000M, not \(bitrate)")
        }
        try validate()
    }

    private func validate() throws(CodecError) {
        _ = try VPXCodec(codec)
        guard quantizers.lowerBound >= 0, quantizers.upperBound <= 63 else {
            throw .invalidSettings("quantizers go from 0 to 63, not \(quantizers)")
        }
        guard (1...16).contains(threadCount) else {
            throw .invalidSettings("an encoder has 1 to 16 threads, not \(threadCount)")
        }
        let speeds = Self.speeds(of: vpx, effort)
        guard speed.map(speeds.contains) ?? true else {
            throw .invalidSettings(
                "the speed of \(codec.rawValue) goes from \(speeds.lowerBound) to \(speeds.upperBound), not \(speed ?? 0)"
            )
        }
        guard quality.map((0...63).contains) ?? true else {
            throw .invalidSettings("the quality goes from 0 (best) to 63, not \(quality ?? 0)")
        }
        guard (0...25).contains(lagInFrames) else {
            throw .invalidSettings("0 to 25 frames are held back, not \(lagInFrames)")
        }
        guard effort == .realtime || temporalPattern == .l1t1 else {
            throw .invalidSettings("temporal layers need the effort realtime")
        }
        guard (1...1_000_000).contains(maximumKeyFrameInterval) else {
            throw .invalidSettings(
                "the maximum key frame interval goes from 1 to 1000000 frames, not \(maximumKeyFrameInterval)")
        }
        guard (0...100_000).contains(staticThreshold) else {
            throw .invalidSettings("the static threshold goes from 0 to 100000, not \(staticThreshold)")
        }
        guard (0...100).contains(undershootPercentage), (0...100).contains(overshootPercentage),
            (0...100).contains(dropThreshold)
        else {
            throw .invalidSettings("undershoot, overshoot and drop threshold are percentages from 0 to 100")
        }
        guard dropThreshold == 0 || vpx == .vp9 || temporalPattern == .l1t1 else {
            throw .invalidSettings(
                "libvpx produces VP8 that cannot be decoded if it drops frames of temporal layers")
        }
        guard (0...100_000).contains(maximumKeyFramePercentage) else {
            throw .invalidSettings(
                "a key frame's limit goes from 0 to 100000 percent, not \(maximumKeyFramePercentage)")
        }
        let levels = [bufferSize, initialBufferLevel, optimalBufferLevel]
        guard levels.allSatisfy({ $0 >= .milliseconds(1) && $0 <= .seconds(60) }) else {
            throw .invalidSettings("buffer levels lie between 1 ms and 60 s")
        }
        guard burstLimit.map({ $0 >= .milliseconds(10) && $0 <= .seconds(10) }) ?? true else {
            throw .invalidSettings("the burst limit lies between 10 ms and 10 s")
        }
        guard burstLimit == nil || effort == .realtime else {
            throw .invalidSettings("a burst limit needs the effort realtime")
        }
    }
}
