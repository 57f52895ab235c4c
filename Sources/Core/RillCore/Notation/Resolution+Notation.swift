extension Resolution {
    /// Parses a size as the command line writes it: `640x480`.
    ///
    /// ``description`` uses the same grammar. Range: `1x1` to `16383x16383`.
    public init(notation text: some StringProtocol) throws(NotationError) {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, let width = naturalNumber(sides[0]), let height = naturalNumber(sides[1]) else {
            throw .notANumber(String(text), .resolution)
        }
        guard let resolution = Resolution(validatingWidth: width, height: height) else {
            throw .tooLarge(String(text), .resolution)
        }
        self = resolution
    }
}

extension FrameRate {
    /// Parses a rate as the command line writes it: `30`, or the ratio `30000/1001`.
    ///
    /// ``description`` uses the same grammar. Range: both numbers from 1 to 2147483647.
    public init(notation text: some StringProtocol) throws(NotationError) {
        let sides = text.split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count <= 2, let frames = naturalNumber(sides[0]),
            let seconds = sides.count == 2 ? naturalNumber(sides[1]) : 1
        else { throw .notANumber(String(text), .frameRate) }
        guard let rate = FrameRate(validating: frames, per: seconds) else {
            throw .tooLarge(String(text), .frameRate)
        }
        self = rate
    }
}

/// Parses a whole number of up to ten digits without a sign. Returns `nil` for anything else.
private func naturalNumber(_ text: some StringProtocol) -> Int? {
    guard (1...10).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
}
