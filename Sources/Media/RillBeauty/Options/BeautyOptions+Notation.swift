extension BeautyOptions {
    /// Parses options: `natural`, `strong` or `off`, or settings in any order, such as
    /// `smoothness=0.7,lightening=0.3,contrast=high`.
    ///
    /// Missing settings are off. A preset may come first and be modified: `natural,redness=0`.
    ///
    /// - Parameter text: the options.
    /// - Throws: ``BeautyError``.
    public init(notation text: String) throws(BeautyError) {
        var options = BeautyOptions.off
        for (index, word) in text.split(separator: ",", omittingEmptySubsequences: false).enumerated() {
            if index == 0, let preset = BeautyOptions(preset: word) {
                options = preset
                continue
            }
            guard let mark = word.firstIndex(of: "=") else { throw .unknownSetting(String(word)) }
            try options.set(word[..<mark], to: word[word.index(after: mark)...])
        }
        self = options
    }

    private init?(preset: Substring) {
        switch preset {
        case "off": self = .off
        case "natural": self = .natural
        case "strong": self = .strong
        default: return nil
        }
    }

    private mutating func set(_ key: Substring, to value: Substring) throws(BeautyError) {
        if key == "contrast" {
            guard let contrast = LighteningContrast(rawValue: String(value)) else {
                throw .unknownSetting("contrast=\(value)")
            }
            lighteningContrast = contrast
            return
        }
        guard let number = Double(value), (0...1).contains(number) else {
            throw .amountOutOfRange(setting: String(key), text: String(value))
        }
        switch key {
        case "lightening": lightening = number
        case "smoothness": smoothness = number
        case "redness": redness = number
        case "sharpness": sharpness = number
        case "lips": lips = number
        case "eyes": eyes = number
        default: throw .unknownSetting(String(key))
        }
    }

    /// Creates options from untrusted numbers.
    ///
    /// - Parameters:
    ///   - lightening: the amount of lightening, 0 to 1.
    ///   - smoothness: the amount of smoothing, 0 to 1.
    ///   - redness: the amount of reddening, 0 to 1.
    ///   - sharpness: the amount of sharpening, 0 to 1.
    ///   - lips: the color of lips, 0 to 1.
    ///   - eyes: the brightness of eyes, 0 to 1.
    ///   - lighteningContrast: how lightening spreads over skin.
    /// - Throws: ``BeautyError/amountOutOfRange(setting:text:)`` if an amount is not within 0...1.
    public init(
        validatingLightening lightening: Double, smoothness: Double, redness: Double, sharpness: Double,
        lips: Double = 0, eyes: Double = 0, lighteningContrast: LighteningContrast = .normal
    ) throws(BeautyError) {
        let amounts = [
            ("lightening", lightening), ("smoothness", smoothness), ("redness", redness), ("sharpness", sharpness),
            ("lips", lips), ("eyes", eyes),
        ]
        for (name, amount) in amounts where !(0...1).contains(amount) {
            throw .amountOutOfRange(setting: name, text: "\(amount)")
        }
        self.init(
            lighteningContrast: lighteningContrast, lightening: lightening, smoothness: smoothness, redness: redness,
            sharpness: sharpness, lips: lips, eyes: eyes)
    }
}

extension BeautyOptions: CustomStringConvertible {
    /// The notation that ``init(notation:)`` parses.
    public var description: String {
        switch self {
        case .off: "off"
        case .natural: "natural"
        case .strong: "strong"
        default:
            "lightening=\(lightening),smoothness=\(smoothness),redness=\(redness),sharpness=\(sharpness),"
                + (lips > 0 ? "lips=\(lips)," : "") + (eyes > 0 ? "eyes=\(eyes)," : "")
                + "contrast=\(lighteningContrast.rawValue)"
        }
    }
}
