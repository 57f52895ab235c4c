extension Bitrate {
    /// The most that a text may ask for: a terabit per second.
    static let notationMaximum = Bitrate.megabits(1_000_000)

    /// A rate as the command line writes it: bits per second, `k` for thousands, `M` for millions.
    ///
    ///     try Bitrate(notation: "1500k")  // 1 500 000 bits per second
    ///     try Bitrate(notation: "1.5M")   // the same
    ///
    /// ``description`` writes the same grammar. Range: 0 to `1000000M`.
    public init(notation text: some StringProtocol) throws(NotationError) {
        let bits = try DecimalNotation.parse(
            text, as: .bitrate, units: ["": 1, "k": 1000, "M": 1_000_000],
            maximum: Int64(Bitrate.notationMaximum.bitsPerSecond))
        self.init(bitsPerSecond: Int(bits))
    }
}
