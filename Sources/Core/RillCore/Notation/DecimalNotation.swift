/// A decimal number followed by a unit, such as `1.5M`, `40ms` and `0.5%`.
///
/// The number has up to 18 digits and at most one decimal point. It has no sign, exponent or space. The value stays a
/// ratio of whole numbers until its unit is known, so nothing is rounded.
struct DecimalNotation {
    /// The digits without the decimal point.
    private let digits: Int64
    /// Ten to the power of the number of decimals.
    private let divisor: Int64
    /// The text after the digits.
    let unit: String

    private static let maximumDigits = 18

    /// Parses the number at the start of `text`. Returns `nil` if there is none, or if it has too many digits.
    init?(_ text: some StringProtocol) {
        var digits: Int64 = 0
        var divisor: Int64 = 1
        var digitCount = 0
        var isBehindPoint = false
        let utf8 = text.utf8
        var position = utf8.startIndex
        scan: while position < utf8.endIndex {
            switch utf8[position] {
            case let byte where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte):
                guard digitCount < DecimalNotation.maximumDigits else { return nil }
                digits = 10 * digits + Int64(byte - UInt8(ascii: "0"))
                if isBehindPoint { divisor *= 10 }
                digitCount += 1
            case UInt8(ascii: ".") where !isBehindPoint && digitCount > 0:
                isBehindPoint = true
            default:
                break scan
            }
            position = utf8.index(after: position)
        }
        guard digitCount > 0, !isBehindPoint || divisor > 1 else { return nil }
        self.digits = digits
        self.divisor = divisor
        self.unit = String(text[position...])
    }

    /// Parses all of `text` as a quantity. `units` holds the size of each unit in steps.
    static func parse(
        _ text: some StringProtocol, as quantity: NotationError.Quantity, units: KeyValuePairs<String, Int64>,
        maximum: Int64
    ) throws(NotationError) -> Int64 {
        guard let number = DecimalNotation(text) else { throw .notANumber(String(text), quantity) }
        // Zero is the same in every unit.
        if number.digits == 0, number.unit.isEmpty { return 0 }
        guard let unit = units.first(where: { $0.key == number.unit }) else {
            throw .unknownUnit(number.unit, in: String(text), quantity)
        }
        let scaled = Int128(number.digits) * Int128(unit.value)
        guard scaled % Int128(number.divisor) == 0 else { throw .tooFine(String(text), quantity) }
        let value = scaled / Int128(number.divisor)
        guard value <= Int128(maximum) else { throw .tooLarge(String(text), quantity) }
        return Int64(value)
    }
}
