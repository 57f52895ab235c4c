/// What may still be sent to an address that has not answered: three times what came from it, as RFC 9000 §8 has it.
///
/// So a sender of forged addresses gains nothing by making us send for it.
struct ICEPathBudget {
    /// How many times as many bytes as were received may be sent.
    static let factor = 3
    /// What the text of a description and its request over HTTP have at least, besides candidates, in bytes.
    static let descriptionByteCount = 500

    /// In bytes.
    private(set) var rest = 0

    /// Bytes arrived.
    mutating func receive(_ byteCount: Int) {
        rest = min(rest &+ ICEPathBudget.factor &* byteCount, 1 << 30)
    }

    /// Takes the bytes of a datagram, if there are as many.
    mutating func spend(_ byteCount: Int) -> Bool {
        guard byteCount <= rest else { return false }
        rest -= byteCount
        return true
    }
}
