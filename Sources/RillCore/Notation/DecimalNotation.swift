/// A decimal number and the unit behind it, as `1.5M`, `40ms` and `0.5%` are written.
///
/// Digits, at most 18 of them, with at most one point between them; no sign, no exponent, no space. The value stays a
/// ratio of whole numbers until its unit is known, so that nothing is rounded.
struct DecimalNotation {
    /// The digits without their point.
    private let digits: Int64
    /// Ten to the number of digits behind the point.
    private let divisor: Int64
    /// What follows the digits.
    let unit: String

    private static let maximumDigits = 18

    /// The number at the front of `text`; `nil` when there is none or when it has more digits than fit.
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

    /// Zero is the same in every unit and needs none.
    var isPlainZero: Bool { digits == 0 && unit.isEmpty }

    /// This number of units of `scale` each, of a quantity counted in whole steps up to `maximum`.
    func value(
        scale: Int64, maximum: Int64, text: some StringProtocol, _ quantity: NotationError.Quantity
    ) throws(NotationError) -> Int64 {
        let scaled = Int128(digits) * Int128(scale)
        guard scaled % Int128(divisor) == 0 else { throw .tooFine(String(text), quantity) }
        guard scaled / Int128(divisor) <= Int128(maximum) else { throw .tooLarge(String(text), quantity) }
        return Int64(scaled / Int128(divisor))
    }

    /// Parses all of `text` as a quantity whose units are in `units`, each with its size in steps.
    static func parse(
        _ text: some StringProtocol, as quantity: NotationError.Quantity, units: KeyValuePairs<String, Int64>,
        maximum: Int64
    ) throws(NotationError) -> Int64 {
        guard let number = DecimalNotation(text) else { throw .notANumber(String(text), quantity) }
        if number.isPlainZero { return 0 }
        guard let unit = units.first(where: { $0.key == number.unit }) else {
            throw .unknownUnit(number.unit, in: String(text), quantity)
        }
        return try number.value(scale: unit.value, maximum: maximum, text: text, quantity)
    }
}
