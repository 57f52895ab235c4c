public import RillCore

/// Loss in bursts: a link that alternates between a good and a bad state, and loses more in the bad one.
///
/// ```swift
/// let burst = try BurstLoss(notation: "5%/3")               // 5 % lost, 3 in a row on average
/// let gemodel = try BurstLoss(notation: "1%/25%/80%/0.1%")  // like netem's `gemodel`
/// ```
///
/// The model of Gilbert (1960) and Elliott (1963), whose state may change with every datagram. Haßlinger and
/// Hohlfeld, "The Gilbert-Elliott Model for Packet Loss in Real Time Services on the Internet" (2008), fit it to
/// losses in a backbone.
public enum BurstLoss: Hashable, Sendable {
    /// Gilbert's model, by its observable parameters: in the bad state everything is lost, in the good one nothing.
    ///
    /// `loss` is the fraction of all datagrams, `length` the mean number lost in a row. With `r` = 1 / `length`, the
    /// probability of returning to the good state, the bad state starts with probability `p` = r · loss / (1 - loss).
    case gilbert(loss: Percentage, length: MeanLength)
    /// Elliott's model, in netem's order: the probability of changing from good to bad (p) and back (r), and of a
    /// loss in the bad state (1-h) and in the good one (1-k).
    ///
    /// The bad state covers a fraction p / (p + r) of datagrams, and lasts for 1 / r datagrams on average.
    case gilbertElliott(
        goodToBad: Percentage, badToGood: Percentage, lossInBad: Percentage = .all, lossInGood: Percentage = .zero)

    /// A mean number of datagrams: 1 to 10 000, in thousandths.
    public struct MeanLength: Hashable, Sendable, ExpressibleByIntegerLiteral {
        /// Thousandths of a datagram.
        public let thousandths: Int

        /// Creates a mean of `thousandths` thousandths of a datagram.
        public init(thousandths: Int) { self.thousandths = thousandths }

        /// Creates a mean of `value` datagrams.
        public init(integerLiteral value: Int) { thousandths = 1000 * value }

        static let range = 1000...10_000_000
    }

    /// The fraction of all datagrams that is lost in the long run.
    public var meanLoss: Double {
        switch self {
        case .gilbert(let loss, _): return loss.fraction
        case .gilbertElliott(let p, let r, let bad, let good):
            guard p > .zero else { return good.fraction }
            let share = p.fraction / (p.fraction + r.fraction)
            return share * bad.fraction + (1 - share) * good.fraction
        }
    }

    /// Whether such a link exists: between two bursts at least one datagram gets through.
    var isPossible: Bool {
        guard case .gilbert(let loss, let length) = self else { return true }
        return MeanLength.range.contains(length.thousandths)
            && 1000 * loss.partsPerMillion <= length.thousandths * (1_000_000 - loss.partsPerMillion)
    }
}

/// The state of a link with burst loss. It starts in the good state.
struct BurstLossProcess {
    private var isBad = false
    private var generator: SeededGenerator
    /// The probabilities, as fractions of 2^63.
    private let goodToBad, badToGood, lossInBad, lossInGood: UInt64

    init(_ settings: BurstLoss?, _ generator: SeededGenerator) {
        self.generator = generator
        func share(_ part: Int, of whole: Int) -> UInt64 { UInt64((UInt128(part) << 63) / UInt128(whole)) }
        func share(_ percentage: Percentage) -> UInt64 { share(percentage.partsPerMillion, of: 1_000_000) }
        switch settings {
        case .gilbert(let loss, let length):
            let others = 1_000_000 - loss.partsPerMillion
            goodToBad = share(1000 * loss.partsPerMillion, of: length.thousandths * others)
            badToGood = share(1000, of: length.thousandths)
            (lossInBad, lossInGood) = (share(.all), 0)
        case .gilbertElliott(let p, let r, let bad, let good):
            (goodToBad, badToGood) = (share(p), share(r))
            (lossInBad, lossInGood) = (share(bad), share(good))
        case nil:
            (goodToBad, badToGood, lossInBad, lossInGood) = (0, 0, 0, 0)
        }
    }

    /// Advances the state by one datagram, and returns whether it is lost. Always draws two numbers.
    mutating func draw() -> Bool {
        let (step, loss) = (generator.next() >> 1, generator.next() >> 1)
        if step < (isBad ? badToGood : goodToBad) { isBad.toggle() }
        return loss < (isBad ? lossInBad : lossInGood)
    }
}

extension BurstLoss: CustomStringConvertible {
    /// Parses `LOSS/LENGTH` or `P/R/LOSS-IN-BAD/LOSS-IN-GOOD`, the command line's notation.
    ///
    /// - Parameter text: the model.
    /// - Throws: ``LinkError`` if the text is malformed.
    public init(notation text: String) throws(LinkError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        do throws(NotationError) {
            switch parts.count {
            case 2:
                guard let length = MeanLength(parts[1]) else { break }
                self = .gilbert(loss: try Percentage(notation: parts[0]), length: length)
                return
            case 4:
                self = .gilbertElliott(
                    goodToBad: try Percentage(notation: parts[0]), badToGood: try Percentage(notation: parts[1]),
                    lossInBad: try Percentage(notation: parts[2]), lossInGood: try Percentage(notation: parts[3]))
                return
            default: break
            }
        } catch {
            throw .invalidValue(.burst, error)
        }
        throw .malformedValue(.burst, text)
    }

    /// The same notation.
    public var description: String {
        switch self {
        case .gilbert(let loss, let length): "\(loss)/\(length)"
        case .gilbertElliott(let p, let r, let bad, let good): "\(p)/\(r)/\(bad)/\(good)"
        }
    }
}

extension BurstLoss.MeanLength: CustomStringConvertible {
    /// Parses a number with at most three decimals and no unit: `3`, `2.5`.
    fileprivate init?(_ text: some StringProtocol) {
        let sides = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        func digits(_ text: some StringProtocol, _ count: ClosedRange<Int>) -> Int? {
            guard count.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            return Int(text)
        }
        guard let whole = digits(sides[0], 1...6) else { return nil }
        guard sides.count == 2 else {
            thousandths = 1000 * whole
            return
        }
        guard let decimals = digits(sides[1], 1...3) else { return nil }
        thousandths = 1000 * whole + decimals * [100, 10, 1][sides[1].utf8.count - 1]
    }

    /// The same notation.
    public var description: String {
        guard !thousandths.isMultiple(of: 1000) else { return "\(thousandths / 1000)" }
        var decimals = String(1000 + thousandths % 1000).dropFirst()
        while decimals.last == "0" { decimals.removeLast() }
        return "\(thousandths / 1000).\(decimals)"
    }
}
