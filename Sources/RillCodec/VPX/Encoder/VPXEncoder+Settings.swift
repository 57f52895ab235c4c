public import RillCore

extension VPXEncoder {
    /// How libvpx works: in real time at a constant bitrate, without lag, unless said otherwise. The defaults are for
    /// calls, ``good(_:)`` is for files.
    ///
    ///     var settings = VPXEncoder.Settings(.vp9)
    ///     settings.content = .screen
    public struct Settings: Sendable, Equatable {
        /// What the pictures show.
        public enum Content: String, Sendable, Equatable, CaseIterable {
            /// People and places, by a camera.
            case camera
            /// Text, windows and slides: hard edges, large areas that stand still.
            case screen
        }

        /// How much work goes into a frame.
        public enum Effort: String, Sendable, Equatable, CaseIterable {
            /// As for a call: each frame is coded when it comes, knowing nothing of those behind it.
            case realtime
            /// As for an archive (`VPX_DL_GOOD_QUALITY`): frames are held back, so that the encoder knows what follows,
            /// and the bitrate goes where it is needed (VBR). With ``FirstPassStatistics`` it knows the whole clip. Not
            /// for a call: its last frames come with ``VPXEncoder/finish(_:)`` alone.
            case good
        }

        /// The codec, VP8 or VP9; libvpx's encoder refuses any other. It does not change while an encoder lives.
        public let codec: VideoCodec
        /// The same as libvpx has it; of a codec that it has not, VP9, and ``validate(with:)`` says so.
        var vpx: VPXCodec { codec == .vp8 ? .vp8 : .vp9 }
        /// How much work goes into a frame. It does not change while an encoder lives.
        public var effort = Effort.realtime
        /// Constant quality instead of a bitrate, whatever it takes: 0 (best) to 63, as `--cq-level` of vpxenc and `-crf`
        /// of FFmpeg count it; `nil` keeps to the bitrate.
        public var quality: Int?
        /// The most frames that are held back before the first one comes out, 0 to 25: of ``Effort/good`` alone.
        public var lagInFrames = 25
        /// What the pictures show; may change at any frame.
        public var content = Content.camera
        /// The quantizers that the rate control may choose from, 0 (best) to 63: 2...56 for VP8, 2...52 for VP9.
        public var quantizers: ClosedRange<Int>
        /// Threads of the encoder, 1 to 16. The bytes depend on it: more threads, other bytes. VP9 also cuts the
        /// picture into as many columns of tiles, where it is wide enough.
        public var threadCount = 1
        /// libvpx's trade of speed for quality (`cpu_used`), always of the kind that no clock has a say in: -16 (fastest)
        /// to -1 for VP8, 5 to 9 (fastest) for VP9; with ``Effort/good`` 0 to 5 (fastest). `nil` chooses by the size of the
        /// pictures, and with ``Effort/good`` 0 for VP8, 1 for VP9.
        public var speed: Int?
        /// How the frames are spread over temporal layers, each of which gets its share of the bitrate.
        public var temporalPattern = TemporalPattern.l1t1
        /// Frames from one key frame to the next at the most, when nobody asks for one.
        public var maximumKeyFrameInterval = 3000
        /// Blocks that changed less than this are not coded; 0 codes all.
        public var staticThreshold = 1
        /// Whether noise is taken out in time before coding, by libvpx's own filter: up to a quarter more encoder time. It
        /// gains where a camera is noisy, and takes detail for noise where it is not (figures: Benchmarks/README.md).
        public var isDenoising = false
        /// The largest key frame, in percent of the bits of a mean frame; 0 sets no limit.
        public var maximumKeyFramePercentage = 0
        /// How empty the rate control's buffer may run, in percent, before frames are left out; 0 leaves out none. Not with
        /// temporal layers of VP8: libvpx (1.12) then makes frames that cannot be decoded.
        public var dropThreshold = 0
        /// How far the rate may fall below its target, in percent of it.
        public var undershootPercentage: Int
        /// How far the rate may rise above its target, in percent of it.
        public var overshootPercentage: Int
        /// The decoder's buffer that the rate control reckons with.
        public var bufferSize = MediaDuration.milliseconds(1000)
        /// How full that buffer is when the stream starts.
        public var initialBufferLevel = MediaDuration.milliseconds(500)
        /// How full the rate control tries to keep it.
        public var optimalBufferLevel = MediaDuration.milliseconds(600)

        /// The settings for a call with that codec; the encoder refuses what libvpx would not take.
        public init(_ codec: VideoCodec = .vp8) {
            self.codec = codec
            switch codec {
            case .vp8:
                (quantizers, undershootPercentage, overshootPercentage) = (2...56, 100, 15)
            default:
                (quantizers, undershootPercentage, overshootPercentage) = (2...52, 50, 50)
            }
        }

        /// The settings for a file that takes its time: the rate control of libvpx's own defaults for variable bitrates, all
        /// quantizers, a key frame at least every 240 frames so that players can seek.
        public static func good(_ codec: VideoCodec = .vp8) -> Settings {
            var settings = Settings(codec)
            settings.effort = .good
            settings.quantizers = 0...63
            settings.staticThreshold = 0
            settings.maximumKeyFrameInterval = 240
            (settings.undershootPercentage, settings.overshootPercentage) = settings.vpx == .vp8 ? (100, 100) : (25, 25)
            settings.bufferSize = .seconds(6)
            settings.initialBufferLevel = .seconds(4)
            settings.optimalBufferLevel = .seconds(5)
            return settings
        }

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
}
