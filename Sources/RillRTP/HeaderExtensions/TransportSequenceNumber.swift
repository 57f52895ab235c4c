/// A sequence number shared by all streams of a transport, which ``TransportFeedback`` refers to.
///
/// Defined in draft-holmer-rmcat-transport-wide-cc-extensions-01 §2. The element, here with a one-byte header:
///
/// ```text
///  0                   1                   2
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |  ID   | L=1   |transport-wide sequence number |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
public struct TransportSequenceNumber: HeaderExtensionValue {
    /// The number; it wraps like a stream's sequence number.
    public var number: SequenceNumber

    /// A transport-wide sequence number with the value `number`.
    @inlinable
    public init(_ number: SequenceNumber) {
        self.number = number
    }

    /// Bytes of the element's data.
    @inlinable
    public static var byteCount: Int { 2 }
    /// The size of the element's data: 2 bytes.
    public var byteCount: Int { TransportSequenceNumber.byteCount }

    /// Reads the number.
    ///
    /// - Throws: `invalidExtension` unless the data has two bytes.
    @inlinable
    public init(parsing data: Span<UInt8>) throws(RTPError) {
        guard data.count == TransportSequenceNumber.byteCount else { throw .invalidExtension(byteCount: data.count) }
        self.init(SequenceNumber(UInt16(data[0]) << 8 | UInt16(data[1])))
    }

    /// Appends the number. Traps unless `output` has room for two bytes.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        output.append(bigEndian: number.rawValue)
    }
}
