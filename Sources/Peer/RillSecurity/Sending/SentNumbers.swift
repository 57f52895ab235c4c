/// Which packets of a source were protected with a key, among the newest 1024: no index may be used twice (RFC 7714
/// §10.3).
struct SentNumbers {
    private var newest: Int64 = -1
    /// A bit for each of the newest indices, by the index modulo their number.
    private var bits = InlineArray<16, UInt64>(repeating: 0)

    /// How far before the newest packet another may be.
    static let windowPacketCount = 1024

    enum Outcome { case new, repeated, tooOld }

    /// Whether a packet with that index may be protected.
    func check(_ index: Int64) -> Outcome {
        if index > newest { return .new }
        guard newest - index < Int64(SentNumbers.windowPacketCount) else { return .tooOld }
        return bits[SentNumbers.word(index)] & SentNumbers.bit(index) == 0 ? .new : .repeated
    }

    /// Notes that a packet was protected whose index is at least 0 and not too old.
    mutating func note(_ index: Int64) {
        if index > newest {
            // What lies between was not sent, nor what had these places before.
            if newest < 0 || index - newest >= Int64(SentNumbers.windowPacketCount) {
                bits = InlineArray(repeating: 0)
            } else {
                for missing in newest + 1..<index { bits[SentNumbers.word(missing)] &= ~SentNumbers.bit(missing) }
            }
            newest = index
        }
        bits[SentNumbers.word(index)] |= SentNumbers.bit(index)
    }

    private static func word(_ index: Int64) -> Int { Int(index >> 6) & 15 }
    private static func bit(_ index: Int64) -> UInt64 { 1 << UInt64(index & 63) }
}
