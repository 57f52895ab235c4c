import Testing

@testable import RillBeauty

struct BeautyOptionsTests {
    @Test func `Defaults and presets have their documented values`() {
        let natural = BeautyOptions.natural
        #expect(natural == BeautyOptions())
        #expect(
            natural.lighteningContrast == .normal && natural.lightening == 0.6 && natural.smoothness == 0.5
                && natural.redness == 0.1 && natural.sharpness == 0.3 && natural.lips == 0 && natural.eyes == 0)
        #expect(BeautyOptions.strong.lips == 0 && BeautyOptions.strong.eyes == 0)
        for only in [\BeautyOptions.lips, \.eyes] {
            var options = BeautyOptions.off
            options[keyPath: only] = 0.1
            #expect(!options.isOff)
        }
        #expect(BeautyOptions.off.isOff && !natural.isOff && !BeautyOptions.strong.isOff)
    }

    @Test func `Amounts stay within their range`() {
        var options = BeautyOptions(lightening: 7, smoothness: -1, redness: .nan, sharpness: .infinity)
        #expect(
            options.lightening == 1 && options.smoothness == 0 && options.redness == 0 && options.sharpness == 1)
        options.smoothness = 1.5
        (options.lips, options.eyes) = (2, -1)
        #expect(options.smoothness == 1 && options.lips == 1 && options.eyes == 0)
    }

    @Test func `Written values are parsed back`() throws {
        #expect(try BeautyOptions(notation: "natural") == .natural)
        #expect(try BeautyOptions(notation: "strong") == .strong)
        #expect(try BeautyOptions(notation: "off") == .off)
        var options = BeautyOptions.off
        options.smoothness = 0.7
        options.lighteningContrast = .high
        #expect(try BeautyOptions(notation: "contrast=high,smoothness=0.7") == options)
        options = .natural
        options.redness = 0
        #expect(try BeautyOptions(notation: "natural,redness=0") == options)
        options.lips = 0.25
        options.eyes = 1
        #expect(try BeautyOptions(notation: "natural,redness=0,eyes=1,lips=0.25") == options)
        // Options without both are written as before these two existed.
        #expect(
            "\(BeautyOptions(lightening: 0.1))"
                == "lightening=0.1,smoothness=0.5,redness=0.1,sharpness=0.3,contrast=normal")
        for options in [BeautyOptions.off, .natural, .strong, options] {
            #expect(try BeautyOptions(notation: options.description) == options)
        }
    }

    @Test(arguments: [
        "", "smooth", "smoothness", "smoothness=", "smoothness=2", "smoothness=-0.1", "smoothness=nan", "beauty=1",
        "contrast=loud", "redness=0.1,natural", "smoothness=0.5,,redness=0.1",
    ])
    func `Unknown settings are refused`(text: String) {
        #expect(throws: BeautyError.self) { try BeautyOptions(notation: text) }
    }

    @Test func `Numbers of strangers are refused by name`() {
        #expect(throws: BeautyError.amountOutOfRange(setting: "redness", text: "1.5")) {
            try BeautyOptions(validatingLightening: 0, smoothness: 1, redness: 1.5, sharpness: 0)
        }
        #expect(throws: BeautyError.amountOutOfRange(setting: "eyes", text: "-1.0")) {
            try BeautyOptions(validatingLightening: 0, smoothness: 1, redness: 0, sharpness: 0, eyes: -1)
        }
        #expect(throws: BeautyError.self) {
            try BeautyOptions(validatingLightening: .nan, smoothness: 1, redness: 0, sharpness: 0)
        }
    }
}
