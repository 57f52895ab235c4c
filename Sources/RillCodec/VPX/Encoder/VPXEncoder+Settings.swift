public import RillCore

extension VPXEncoder {
    /// How libvpx works: one pass in real time at a constant bitrate, without lag. The defaults are for calls.
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

        /// The codec. It does not change while an encoder lives.
        public let codec: VideoCodec
        /// What the pictures show; may change at any frame.
        public var content = Content.camera
        /// The quantizers that the rate control may choose from, 0 (best) to 63: 2...56 for VP8, 2...52 for VP9.
        public var quantizers: ClosedRange<Int>
        /// Threads of the encoder, 1 to 16. The bytes depend on it: more threads, other bytes. VP9 also cuts the
        /// picture into as many columns of tiles, where it is wide enough.
        public var threadCount = 1
        /// libvpx's trade of speed for quality (`cpu_used`), always of the kind that no clock has a say in: -16 (fastest)
        /// to -1 for VP8, 5 to 9 (fastest) for VP9. `nil` chooses by the size of the pictures.
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
            case .vp9:
                (quantizers, undershootPercentage, overshootPercentage) = (2...52, 50, 50)
            }
        }

        /// The speed in force for pictures of that size.
        ///
        /// VP8: -4 below CIF (352x288), -6 from there on. VP9: 5 below CIF, 8 from there on: 7 takes a third more
        /// instructions at 640x480, and its rate control answers a cut with the greatest quantizer.
        public func effectiveSpeed(for resolution: Resolution) -> Int {
            if let speed { return speed }
            let isSmall = resolution.pixelCount < 352 * 288
            switch codec {
            case .vp8: return isSmall ? -4 : -6
            case .vp9: return isSmall ? 5 : 8
            }
        }

        /// The speeds of a codec that choose nothing by the wall clock, as fixed bits demand.
        static func speeds(of codec: VideoCodec) -> ClosedRange<Int> {
            codec == .vp8 ? -16 ... -1 : 5...9
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
            guard quantizers.lowerBound >= 0, quantizers.upperBound <= 63 else {
                throw .invalidSettings("quantizers go from 0 to 63, not \(quantizers)")
            }
            guard (1...16).contains(threadCount) else {
                throw .invalidSettings("an encoder has 1 to 16 threads, not \(threadCount)")
            }
            let speeds = Self.speeds(of: codec)
            guard speed.map(speeds.contains) ?? true else {
                throw .invalidSettings(
                    "the speed of \(codec.rawValue) goes from \(speeds.lowerBound) to \(speeds.upperBound), not \(speed ?? 0)"
                )
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
            guard dropThreshold == 0 || codec == .vp9 || temporalPattern == .l1t1 else {
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
