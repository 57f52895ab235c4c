extension Bitrate {
    /// The largest rate that a text may hold: a terabit per second.
    static let notationMaximum = Bitrate.megabits(1_000_000)

    /// Parses a rate as the command line writes it: bits per second, with `k` for thousands and `M` for millions.
    ///
    /// ```swift
    /// try Bitrate(notation: "1500k")  // 1 500 000 bits per second
    /// try Bitrate(notation: "1.5M")   // the same
    /// ```
    ///
    /// ``description`` uses the same grammar. Range: 0 to `1000000M`.
    public init(notation text: some StringProtocol) throws(NotationError) {
        let bits = try DecimalNotation.parse(
            text, as: .bitrate, units: ["": 1, "k": 1000, "M": 1_000_000],
            maximum: Int64(Bitrate.notationMaximum.bitsPerSecond))
        self.init(bitsPerSecond: Int(bits))
    }
}
