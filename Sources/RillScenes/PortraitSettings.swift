extension PortraitScene {
    /// The person in front of the camera, and the quality of the camera.
    public struct Settings: Hashable, Sendable {
        /// The seed of everything random: movements, skin, the order of the books, noise.
        public var seed: UInt64
        /// The color of the skin. Hair is brown, and black from the sixth swatch on.
        public var skinTone: SkinTone
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
        ///   - noise: the sensor noise in code values of luma. Traps outside of ``noiseRange``.
        public init(seed: UInt64 = 1, skinTone: SkinTone = .light, noise: Double = 2.5) {
            precondition(
                Settings.noiseRange.contains(noise), "the noise lies between 0 and 20 code values, not at \(noise)")
            self.seed = seed
            self.skinTone = skinTone
            self.noise = noise
        }
    }
}
