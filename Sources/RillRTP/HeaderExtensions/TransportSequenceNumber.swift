// draft-holmer-rmcat-transport-wide-cc-extensions-01 §2, here with the header of the one-byte form:
//
//      0                   1                   2
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |  ID   | L=1   |transport-wide sequence number |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+

/// Counts the packets of all streams that share a transport, for ``TransportFeedback``
/// (draft-holmer-rmcat-transport-wide-cc-extensions-01 §2).
public struct TransportSequenceNumber: HeaderExtensionValue {
    /// The number; it wraps like that of a stream.
    public var number: SequenceNumber

    /// That number.
    @inlinable
    public init(_ number: SequenceNumber) {
        self.number = number
    }

    /// Bytes of the element's data.
    @inlinable
    public static var byteCount: Int { 2 }
    /// Two.
    public var byteCount: Int { TransportSequenceNumber.byteCount }

    /// Reads the number.
    ///
    /// - Throws: `invalidExtension` unless the data has two bytes.
    @inlinable
    public init(parsing data: Span<UInt8>) throws(RTPError) {
        guard data.count == TransportSequenceNumber.byteCount else { throw .invalidExtension(byteCount: data.count) }
        self.init(SequenceNumber(UInt16(data[0]) << 8 | UInt16(data[1])))
    }

    /// Appends the number. `output` has room for two bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        output.append(bigEndian: number.rawValue)
    }
}
