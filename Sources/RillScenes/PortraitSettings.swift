extension PortraitScene {
    /// The person in front of the camera, and the quality of the camera.
    public struct Settings: Hashable, Sendable {
        /// The seed of everything random: movements, freckles, the order of the books, noise.
        public var seed: UInt64
        /// The color of the skin.
        public var skinTone: SkinTone
        /// The color of hair and brows.
        public var hairColor: HairColor
        /// Whether the person wears glasses.
        public var wearsGlasses: Bool
        /// Whether a hand waves now and then, the first time after about four seconds.
        public var waves: Bool
        /// The sensor noise: its standard deviation in code values of luma, within ``noiseRange``. That of chroma is
        /// 0.6 times as much.
        public let noise: Double

        /// The valid range of the noise, in code values of luma.
        public static let noiseRange = 0.0...20.0
        static let chromaNoiseShare = 0.6

        /// Creates settings.
        ///
        /// - Parameters:
        ///   - seed: the seed of everything random.
        ///   - skinTone: the color of the skin.
        ///   - hairColor: the color of hair and brows.
        ///   - wearsGlasses: whether the person wears glasses.
        ///   - waves: whether a hand waves now and then.
        ///   - noise: the sensor noise in code values of luma. Traps outside of ``noiseRange``.
        public init(
            seed: UInt64 = 1, skinTone: SkinTone = .light, hairColor: HairColor = .brown, wearsGlasses: Bool = false,
            waves: Bool = true, noise: Double = 2.5
        ) {
            precondition(
                Settings.noiseRange.contains(noise), "the noise lies between 0 and 20 code values, not at \(noise)")
            self.seed = seed
            self.skinTone = skinTone
            self.hairColor = hairColor
            self.wearsGlasses = wearsGlasses
            self.waves = waves
            self.noise = noise
        }
    }
}
