/// A table of Huffman codes (ITU-T T.81, annex C): codes of each length are consecutive, shorter lengths first.
///
/// Codes of up to eight bits take one lookup; longer ones are searched length by length.
struct JPEGHuffmanTable: Sendable {
    /// For each eight-bit prefix that starts with a short code: its length, then its symbol in the low byte; 0 for
    /// none.
    private var short = [UInt16](repeating: 0, count: 1 << Self.shortLength)
    /// For each length: the code after the last one, shifted up to sixteen bits.
    private var ends = [UInt32](repeating: 0, count: 17)
    /// For each length: the index of its first symbol minus its first code.
    private var offsets = [Int](repeating: 0, count: 17)
    private var symbols: [UInt8]

    private static let shortLength = 8

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - counts: the number of codes of each length from 1 to 16.
    ///   - source: their symbols in the order of the codes, at least one per code.
    /// - Returns: `nil` if there are more codes than fit their lengths.
    init?(counts: Span<UInt8>, symbols source: Span<UInt8>) {
        symbols = [UInt8](capacity: source.count) { output in
            for index in source.indices { output.append(source[index]) }
        }
        var (code, place) = (0, 0)
        for length in 1...16 {
            let count = Int(counts[length - 1])
            guard code + count <= 1 << length, place + count <= symbols.count else { return nil }
            offsets[length] = place - code
            if length <= Self.shortLength {
                for index in 0..<count {
                    let entry = UInt16(length) << 8 | UInt16(symbols[place + index])
                    let first = (code + index) << (Self.shortLength - length)
                    for run in first..<first + 1 << (Self.shortLength - length) { short[run] = entry }
                }
            }
            (code, place) = (code + count, place + count)
            ends[length] = UInt32(code) << UInt32(16 - length)
            code <<= 1
        }
    }

    /// Returns the length and the symbol of the code at the start of `bits`, sixteen of them; `nil` if there is no
    /// such code.
    @inline(__always)
    func find(_ bits: UInt32) -> (length: Int, symbol: Int)? {
        let entry = short[Int(bits >> UInt32(16 - Self.shortLength))]
        if entry != 0 { return (Int(entry >> 8), Int(entry & 0xFF)) }
        for length in Self.shortLength + 1...16 where bits < ends[length] {
            return (length, Int(symbols[offsets[length] + Int(bits >> UInt32(16 - length))]))
        }
        return nil
    }
}

extension JPEGHuffmanTable {
    /// The tables of T.81, annex K.3. They are those of Motion JPEG, whose frames may omit them.
    static let standardLumaDC = standard([0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], Array(0...11))
    static let standardChromaDC = standard([0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0], Array(0...11))
    static let standardLumaAC = standard(
        [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7D],
        [
            0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71,
            0x14, 0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52, 0xD1, 0xF0, 0x24, 0x33, 0x62, 0x72,
            0x82,
        ])
    static let standardChromaAC = standard(
        [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 0x77],
        [
            0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13, 0x22,
            0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xA1, 0xB1, 0xC1, 0x09, 0x23, 0x33, 0x52, 0xF0, 0x15, 0x62, 0x72, 0xD1,
            0x0A, 0x16, 0x24, 0x34, 0xE1, 0x25, 0xF1,
        ])

    /// Creates a standard table.
    ///
    /// - Parameters:
    ///   - counts: the number of codes of each length from 1 to 16.
    ///   - first: the first symbols. In a table of AC codes all other symbols follow in ascending order.
    private static func standard(_ counts: [UInt8], _ first: [UInt8]) -> JPEGHuffmanTable {
        var symbols = first
        for symbol in UInt8(1)...0xFA where counts.reduce(0, { $0 + Int($1) }) > symbols.count {
            if (1...10).contains(symbol & 15), !first.contains(symbol) { symbols.append(symbol) }
        }
        guard let table = JPEGHuffmanTable(counts: counts.span, symbols: symbols.span) else {
            preconditionFailure("the standard's tables are valid")
        }
        return table
    }
}
