extension BeautyOptions {
    /// Options as people write them: `natural`, `strong` or `off`, or settings in any order, of which those that are
    /// missing are off: `smoothness=0.7,lightening=0.3,contrast=high`. A preset may stand first and be changed:
    /// `natural,redness=0`.
    ///
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
        default: throw .unknownSetting(String(key))
        }
    }

    /// Options from numbers that somebody else wrote.
    ///
    /// - Throws: ``BeautyError/amountOutOfRange(setting:text:)`` for an amount that is not within 0...1.
    public init(
        validatingLightening lightening: Double, smoothness: Double, redness: Double, sharpness: Double,
        lighteningContrast: LighteningContrast = .normal
    ) throws(BeautyError) {
        let amounts = [
            ("lightening", lightening), ("smoothness", smoothness), ("redness", redness), ("sharpness", sharpness),
        ]
        for (name, amount) in amounts where !(0...1).contains(amount) {
            throw .amountOutOfRange(setting: name, text: "\(amount)")
        }
        self.init(
            lighteningContrast: lighteningContrast, lightening: lightening, smoothness: smoothness, redness: redness,
            sharpness: sharpness)
    }
}

extension BeautyOptions: CustomStringConvertible {
    /// What ``init(notation:)`` reads.
    public var description: String {
        switch self {
        case .off: "off"
        case .natural: "natural"
        case .strong: "strong"
        default:
            "lightening=\(lightening),smoothness=\(smoothness),redness=\(redness),sharpness=\(sharpness),"
                + "contrast=\(lighteningContrast.rawValue)"
        }
    }
}
