extension PortraitScene {
    /// Who sits before the camera, and how good the camera is.
    public struct Settings: Hashable, Sendable {
        /// What everything random is drawn from: movements, freckles, the order of the books, noise.
        public var seed: UInt64
        /// The colour of the skin.
        public var skinTone: SkinTone
        /// The colour of hair and brows.
        public var hairColor: HairColor
        /// Whether the person wears glasses.
        public var wearsGlasses: Bool
        /// Whether a hand comes into the picture now and then, the first time after some four seconds.
        public var waves: Bool
        /// The sensor's noise: its standard deviation in code values of luma, in ``noiseRange``. That of chroma is 0.6
        /// of it.
        public let noise: Double

        /// The noise that a scene can have, in code values of luma.
        public static let noiseRange = 0.0...20.0
        static let chromaNoiseShare = 0.6

        /// - Parameters:
        ///   - seed: what everything random is drawn from.
        ///   - skinTone: the colour of the skin.
        ///   - hairColor: the colour of hair and brows.
        ///   - wearsGlasses: whether the person wears glasses.
        ///   - waves: whether a hand comes into the picture now and then.
        ///   - noise: the sensor's noise in code values of luma; outside of ``noiseRange`` it is the caller's mistake.
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
