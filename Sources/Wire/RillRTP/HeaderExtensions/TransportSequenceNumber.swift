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

    /// Reads the number of an RTP packet, without parsing anything else.
    ///
    /// - Parameters:
    ///   - id: the ID of the element, as negotiated.
    ///   - datagram: an RTP packet; arbitrary bytes are safe.
    /// - Returns: `nil` if the packet has no such element.
    public init?(id: UInt8, inRTP datagram: Span<UInt8>) {
        guard datagram.count > RTPHeader.fixedByteCount, datagram[0] & 0x10 != 0 else { return nil }
        let start = RTPHeader.fixedByteCount + 4 * Int(datagram[0] & 0xF)
        guard datagram.count >= start + 4 else { return nil }
        let end = start + 4 + 4 * (Int(datagram[start + 2]) << 8 | Int(datagram[start + 3]))
        let profile = UInt16(datagram[start]) << 8 | UInt16(datagram[start + 1])
        guard end <= datagram.count, let form = HeaderExtensionForm(profile: profile) else { return nil }
        let isOneByte = form == .oneByte
        var position = start + 4
        while position < end {
            let first = datagram[position]
            guard first != 0 else {
                position += 1
                continue
            }
            // ID 15 ends a block of one-byte elements (RFC 8285 §4.2).
            guard isOneByte ? first < 0xF0 : position + 1 < end else { return nil }
            let count = isOneByte ? Int(first & 0xF) + 1 : Int(datagram[position + 1])
            position += isOneByte ? 1 : 2
            guard position + count <= end else { return nil }
            if (isOneByte ? first >> 4 : first) == id {
                guard count == Self.byteCount else { return nil }
                self.init(SequenceNumber(UInt16(datagram[position]) << 8 | UInt16(datagram[position + 1])))
                return
            }
            position += count
        }
        return nil
    }
}
