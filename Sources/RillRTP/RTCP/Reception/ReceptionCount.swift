/// Counts a stream's packets as report blocks tell them: expected, received, lost (RFC 3550 §6.4.1, A.3).
///
///     var count = ReceptionCount()
///     count.note(packet.header.sequenceNumber)
///     …
///     let fraction = count.takeFractionLost()  // with each report
///
/// Every packet counts, copies and late ones too, as the RFC has it. A stream that starts anew with other numbers wants
/// a new count.
public struct ReceptionCount: Equatable, Sendable {
    /// Packets that came.
    public private(set) var received = 0
    private var first: Int64?
    private var extender = CounterExtender(bitWidth: 16)
    /// What the previous report knew.
    private var expectedPrior = 0
    private var receivedPrior = 0

    /// Nothing has come.
    public init() {}

    /// Notes a packet that came.
    public mutating func note(_ number: SequenceNumber) {
        received += 1
        let extended = extender.extend(UInt32(number.rawValue))
        first = min(first ?? extended, extended)
    }

    /// The highest number that came, with the count of its wraps in the upper 16 bits; 0 before the first packet.
    public var extendedHighestSequenceNumber: UInt32 { UInt32(truncatingIfNeeded: extender.newest ?? 0) }

    /// Packets that were sent, as far as the numbers tell.
    public var expected: Int {
        guard let first, let highest = extender.newest else { return 0 }
        return Int(highest - first) + 1
    }

    /// Packets expected less packets received; negative when more copies came than packets were lost.
    public var cumulativeLost: Int { expected - received }

    /// The part of the packets that was lost since the last call, in 1/256; the next call's interval begins here.
    public mutating func takeFractionLost() -> UInt8 {
        let fraction = ReceptionCount.fractionLost(
            expected: expected - expectedPrior, received: received - receivedPrior)
        (expectedPrior, receivedPrior) = (expected, received)
        return fraction
    }

    /// The part of `expected` packets that is missing from `received` ones, in 1/256 rounded down, at most 255.
    ///
    /// An interval with more copies than losses has lost nothing, and neither has one in which nothing was expected.
    public static func fractionLost(expected: Int, received: Int) -> UInt8 {
        guard expected > 0, received < expected else { return 0 }
        return UInt8(min(255, (expected - received) * 256 / expected))
    }
}
