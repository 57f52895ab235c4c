/// The IDs of the header extensions in a session (RFC 8285 §5).
///
/// ```swift
/// var map = HeaderExtensionMap()
/// try map.set(.transportSequenceNumber, id: 5)
/// map[5]                            // .transportSequenceNumber
/// map[.transportSequenceNumber]     // 5
/// map[3]                            // nil: no kind that Rill knows
/// ```
///
/// A value of eight bytes. Lookups neither allocate nor branch per kind.
public struct HeaderExtensionMap: Equatable, Sendable {
    /// The ID of each kind (0 for none), in the byte of the kind's raw value. The highest byte is unused.
    @usableFromInline var ids: UInt64 = 0
    @inlinable static var unusedByte: UInt64 { 0xFF << 56 }
    @inlinable static var lowBits: UInt64 { 0x0101_0101_0101_0101 }
    @inlinable static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    /// A session without header extensions.
    public init() {}

    /// Assigns an ID to a kind, replacing its previous ID. IDs of 15 and above need the two-byte form.
    ///
    /// - Throws: `invalidExtensionID` if the ID is 0 or belongs to another kind.
    public mutating func set(_ kind: HeaderExtensionKind, id: UInt8) throws(RTPError) {
        guard id != 0, self[id] ?? kind == kind else { throw .invalidExtensionID(id) }
        remove(kind)
        ids |= UInt64(id) << shift(kind)
    }

    /// Removes a kind from the session.
    public mutating func remove(_ kind: HeaderExtensionKind) {
        ids &= ~(0xFF << shift(kind))
    }

    /// The ID of a kind; `nil` if the session does not use it.
    public subscript(kind: HeaderExtensionKind) -> UInt8? {
        let id = UInt8(truncatingIfNeeded: ids >> shift(kind))
        return id == 0 ? nil : id
    }

    /// The kind with an ID; `nil` if the ID is not assigned.
    @inlinable @inline(__always)
    public subscript(id: UInt8) -> HeaderExtensionKind? {
        guard id != 0 else { return nil }
        // Bytes equal to the ID become zero. The lowest zero byte, if any, keeps its highest bit set.
        let differences = (ids ^ (UInt64(id) &* HeaderExtensionMap.lowBits)) | HeaderExtensionMap.unusedByte
        let zeros = (differences &- HeaderExtensionMap.lowBits) & ~differences & HeaderExtensionMap.highBits
        return HeaderExtensionKind(rawValue: UInt8(truncatingIfNeeded: zeros.trailingZeroBitCount / 8))
    }

    private func shift(_ kind: HeaderExtensionKind) -> UInt64 { UInt64(kind.rawValue) * 8 }
}
