/// A key ID of SFrame (KID, RFC 9605 §4.3) as Rill uses it: eight times the sender's number, and the epoch.
///
/// The number belongs to one sender for one call: two that share it, and a secret, would encrypt two frames with one
/// nonce, which reveals both and lets others forge. No server is trusted to give it out: it is drawn
/// (``random(using:)``).
public struct SFrameKeyID: RawRepresentable, Codable, Hashable, Sendable {
    /// The KID.
    public var rawValue: UInt64

    /// A KID with that value.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The KID of a sender's epoch.
    ///
    /// - Parameters:
    ///   - sender: the sender's number, less than 2^61.
    ///   - epoch: the number of the epoch; its remainder by 8 counts.
    public init(sender: UInt64, epoch: Int = 0) {
        precondition(sender >> 61 == 0, "a sender's number of \(sender)")
        rawValue = sender << 3 | UInt64(truncatingIfNeeded: epoch) & 7
    }

    /// The first KID of a sender with a number that nobody else has: of a thousand senders with one secret, two have
    /// the same with a probability of 2^-42.
    ///
    /// - Parameter generator: draws the number.
    public static func random(using generator: inout some RandomNumberGenerator) -> SFrameKeyID {
        SFrameKeyID(sender: generator.next() >> 3)
    }

    /// The sender's number.
    public var sender: UInt64 { rawValue >> 3 }
    /// The epoch, 0 to 7.
    public var epoch: Int { Int(rawValue & 7) }

    /// The KID of the same sender's next epoch, which is 0 after 7.
    public var next: SFrameKeyID { SFrameKeyID(sender: sender, epoch: epoch + 1) }
}

/// The header of an SFrame ciphertext (RFC 9605 §4.3).
///
///      0 1 2 3 4 5 6 7
///     +-+-----+-+-----+------------+------------+
///     |X|  K  |Y|  C  |   KID...   |   CTR...   |
///     +-+-----+-+-----+------------+------------+
///
/// K is the KID if it is less than 8, and X is 0; else X is 1, and K the length of the KID less 1. Y and C say the same
/// of the counter.
package struct SFrameHeader: Hashable, Sendable {
    /// Which key.
    package var keyID: SFrameKeyID
    /// The number of the frame, once for each key.
    package var counter: UInt64

    package init(_ keyID: SFrameKeyID, counter: UInt64) { (self.keyID, self.counter) = (keyID, counter) }

    /// The most bytes that a header has.
    package static let maximumByteCount = 17

    /// Reads a header at the beginning of `bytes`; `nil` if it is not whole, or not the shortest one of its values
    /// (which is a must, and makes a frame's bytes the only ones).
    ///
    /// - Returns: the header and its size.
    package static func parse(_ bytes: Span<UInt8>) -> (header: SFrameHeader, byteCount: Int)? {
        guard !bytes.isEmpty else { return nil }
        var offset = 1
        guard let id = parseField(bytes[0] >> 4, bytes, &offset),
            let counter = parseField(bytes[0] & 0xF, bytes, &offset)
        else { return nil }
        return (SFrameHeader(SFrameKeyID(rawValue: id), counter: counter), offset)
    }

    private static func parseField(_ bits: UInt8, _ bytes: Span<UInt8>, _ offset: inout Int) -> UInt64? {
        guard bits & 8 != 0 else { return UInt64(bits) }
        let byteCount = Int(bits & 7) + 1
        guard byteCount <= bytes.count - offset else { return nil }
        var value: UInt64 = 0
        for _ in 0..<byteCount {
            value = value << 8 | UInt64(bytes[offset])
            offset += 1
        }
        return value > 7 && size(value) == byteCount ? value : nil
    }

    /// Appends the header, for which there must be room.
    ///
    /// - Returns: its size.
    @discardableResult @_lifetime(output: copy output)
    package func write(into output: inout OutputSpan<UInt8>) -> Int {
        let (id, counter) = (keyID.rawValue, counter)
        output.append(SFrameHeader.bits(id) << 4 | SFrameHeader.bits(counter))
        if id > 7 { SFrameHeader.append(id, into: &output) }
        if counter > 7 { SFrameHeader.append(counter, into: &output) }
        return 1 + (id > 7 ? SFrameHeader.size(id) : 0) + (counter > 7 ? SFrameHeader.size(counter) : 0)
    }

    private static func bits(_ value: UInt64) -> UInt8 {
        value > 7 ? 8 | UInt8(size(value) - 1) : UInt8(value)
    }

    private static func size(_ value: UInt64) -> Int { max(1, (71 - value.leadingZeroBitCount) / 8) }

    @_lifetime(output: copy output)
    private static func append(_ value: UInt64, into output: inout OutputSpan<UInt8>) {
        for place in (0..<size(value)).reversed() {
            output.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * place)))
        }
    }
}
