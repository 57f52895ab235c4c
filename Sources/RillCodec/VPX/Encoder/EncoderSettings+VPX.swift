public import RillCore

// How libvpx takes an encoder's settings.

extension EncoderSettings {
    /// The codec as libvpx has it; of one that it has not, VP9, and ``validate(with:)`` says so.
    var vpx: VPXCodec { codec == .vp8 ? .vp8 : .vp9 }

    /// The speed in force for pictures of that size.
    ///
    /// VP8: -4 below CIF (352x288), -6 from there on. VP9: 5 below CIF, 8 from there on: 7 takes a third more
    /// instructions at 640x480, and its rate control answers a cut with the greatest quantizer.
    public func effectiveSpeed(for resolution: Resolution) -> Int {
        if let speed { return speed }
        if effort == .good { return vpx == .vp8 ? 0 : 1 }
        let isSmall = resolution.pixelCount < 352 * 288
        switch vpx {
        case .vp8: return isSmall ? -4 : -6
        case .vp9: return isSmall ? 5 : 8
        }
    }

    /// The speeds of a codec that choose nothing by the wall clock, as fixed bits demand.
    static func speeds(of codec: VPXCodec, _ effort: Effort) -> ClosedRange<Int> {
        switch (effort, codec) {
        case (.good, _): 0...5
        case (.realtime, .vp8): -16 ... -1
        case (.realtime, .vp9): 5...9
        }
    }

    /// The least bitrate that these settings can be coded at: 1 kbit/s, with two temporal layers 2, with three 4. libvpx
    /// counts in whole kbit/s, and each layer needs one that those below it have not.
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
            throw .invalidSettings("temporal layers are for calls, and coded in real time")
        }
        guard (1...1_000_000).contains(maximumKeyFrameInterval) else {
            throw .invalidSettings(
                "key frames come at most 1 to 1000000 frames apart, not \(maximumKeyFrameInterval)")
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
                "libvpx makes VP8 that cannot be decoded where it leaves out frames of temporal layers")
        }
        guard (0...100_000).contains(maximumKeyFramePercentage) else {
            throw .invalidSettings(
                "a key frame's limit goes from 0 to 100000 percent, not \(maximumKeyFramePercentage)")
        }
        let levels = [bufferSize, initialBufferLevel, optimalBufferLevel]
        guard levels.allSatisfy({ $0 >= .milliseconds(1) && $0 <= .seconds(60) }) else {
            throw .invalidSettings("buffer levels lie between 1 ms and 60 s")
        }
    }
}
