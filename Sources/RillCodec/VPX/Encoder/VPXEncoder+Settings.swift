public import RillCore

extension VPXEncoder {
    /// How libvpx works: one pass in real time at a constant bitrate, without lag. The defaults are for calls.
    public struct Settings: Sendable, Equatable {
        /// The quantizers that the rate control may choose from, 0 (best) to 63.
        public var quantizers: ClosedRange<Int> = 2...56
        /// Threads of the encoder, 1 to 16. The bytes depend on it: more threads, other bytes.
        public var threadCount = 1
        /// libvpx's trade of speed for quality, -16 (fastest) to -1; `nil` takes -4 below CIF (352x288) and -6 from
        /// there on. Zero and above would choose the speed by the wall clock, so they are not taken.
        public var speed: Int?
        /// How the frames are spread over temporal layers, each of which gets its share of the bitrate.
        public var temporalPattern = TemporalPattern.l1t1
        /// Frames from one key frame to the next at the most, when nobody asks for one.
        public var maximumKeyFrameInterval = 3000
        /// Blocks that changed less than this are not coded; 0 codes all.
        public var staticThreshold = 1
        /// How far the rate may fall below its target, in percent of it.
        public var undershootPercentage = 100
        /// How far the rate may rise above its target, in percent of it.
        public var overshootPercentage = 15
        /// The decoder's buffer that the rate control reckons with.
        public var bufferSize = MediaDuration.milliseconds(1000)
        /// How full that buffer is when the stream starts.
        public var initialBufferLevel = MediaDuration.milliseconds(500)
        /// How full the rate control tries to keep it.
        public var optimalBufferLevel = MediaDuration.milliseconds(600)

        /// The settings for a call; the encoder refuses what libvpx would not take.
        public init() {}

        /// The speed in force for pictures of that size.
        public func effectiveSpeed(for resolution: Resolution) -> Int {
            speed ?? (resolution.pixelCount < 352 * 288 ? -4 : -6)
        }

        func validate() throws(CodecError) {
            guard quantizers.lowerBound >= 0, quantizers.upperBound <= 63 else {
                throw .invalidSettings("quantizers go from 0 to 63, not \(quantizers)")
            }
            guard (1...16).contains(threadCount) else {
                throw .invalidSettings("an encoder has 1 to 16 threads, not \(threadCount)")
            }
            guard speed.map((-16 ... -1).contains) ?? true else {
                throw .invalidSettings("the speed goes from -16 to -1, not \(speed ?? 0)")
            }
            guard (1...1_000_000).contains(maximumKeyFrameInterval) else {
                throw .invalidSettings(
                    "key frames come at most 1 to 1000000 frames apart, not \(maximumKeyFrameInterval)")
            }
            guard (0...100_000).contains(staticThreshold) else {
                throw .invalidSettings("the static threshold goes from 0 to 100000, not \(staticThreshold)")
            }
            guard (0...100).contains(undershootPercentage), (0...100).contains(overshootPercentage) else {
                throw .invalidSettings("under- and overshoot are percentages from 0 to 100")
            }
            let levels = [bufferSize, initialBufferLevel, optimalBufferLevel]
            guard levels.allSatisfy({ $0 > .zero && $0 <= .seconds(60) }) else {
                throw .invalidSettings("buffer levels lie between 1 ms and 60 s")
            }
        }
    }
}
