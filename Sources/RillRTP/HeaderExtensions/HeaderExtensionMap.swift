/// Which number stands for which kind of header extension in a session (RFC 8285 §5).
///
///     var map = HeaderExtensionMap()
///     try map.set(.transportSequenceNumber, id: 5)
///     map[5]                            // .transportSequenceNumber
///     map[.transportSequenceNumber]     // 5
///     map[3]                            // nil: no kind that Rill knows
///
/// A value of eight bytes; looking up neither allocates nor branches over the kinds.
public struct HeaderExtensionMap: Equatable, Sendable {
    /// The number of each kind, 0 for none, in the byte of the kind's raw value; the highest byte is not used.
    @usableFromInline var ids: UInt64 = 0
    @inlinable static var unusedByte: UInt64 { 0xFF << 56 }
    @inlinable static var lowBits: UInt64 { 0x0101_0101_0101_0101 }
    @inlinable static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    /// A session without header extensions.
    public init() {}

    /// Gives a kind its number, or another number than before; the two-byte form is needed for 15 and above.
    ///
    /// - Throws: `invalidExtensionID` when the number is 0 or belongs to another kind.
    public mutating func set(_ kind: HeaderExtensionKind, id: UInt8) throws(RTPError) {
        guard id != 0, self[id] ?? kind == kind else { throw .invalidExtensionID(id) }
        remove(kind)
        ids |= UInt64(id) << shift(kind)
    }

    /// Takes a kind out of the session.
    public mutating func remove(_ kind: HeaderExtensionKind) {
        ids &= ~(0xFF << shift(kind))
    }

    /// The number of a kind; `nil` when the session does not use it.
    public subscript(kind: HeaderExtensionKind) -> UInt8? {
        let id = UInt8(truncatingIfNeeded: ids >> shift(kind))
        return id == 0 ? nil : id
    }

    /// The kind that a number stands for; `nil` for a number that stands for none.
    @inlinable @inline(__always)
    public subscript(id: UInt8) -> HeaderExtensionKind? {
        guard id != 0 else { return nil }
        // Bytes that equal the number become zero; of the lowest zero byte, if there is one, the highest bit stays set.
        let differences = (ids ^ (UInt64(id) &* HeaderExtensionMap.lowBits)) | HeaderExtensionMap.unusedByte
        let zeros = (differences &- HeaderExtensionMap.lowBits) & ~differences & HeaderExtensionMap.highBits
        return HeaderExtensionKind(rawValue: UInt8(truncatingIfNeeded: zeros.trailingZeroBitCount / 8))
    }

    private func shift(_ kind: HeaderExtensionKind) -> UInt64 { UInt64(kind.rawValue) * 8 }
}
