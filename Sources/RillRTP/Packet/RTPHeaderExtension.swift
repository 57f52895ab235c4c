// RFC 3550 §5.3.1:
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |      defined by profile       |           length              |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                        header extension                       |
//     |                             ....                              |

/// The block between the header and the payload of an RTP packet (RFC 3550 §5.3.1).
///
/// Its ``elements`` come one by one where it is written as RFC 8285 asks, as all are today. A view: it lives no longer
/// than the bytes.
public struct RTPHeaderExtension: ~Escapable, BitwiseCopyable {
    /// The 16 bits "defined by profile": 0xBEDE and 0x1000 to 0x100F are those of RFC 8285.
    public let profile: UInt16
    /// What follows the length field: whole words of four bytes, at most 65535 of them.
    public let data: Span<UInt8>

    /// Bytes of the two fields before the data.
    @inlinable
    public static var fixedByteCount: Int { 4 }

    /// A block of `data`, whose length must be a multiple of four and at most 262140: else the programmer's mistake.
    @_lifetime(copy data)
    public init(profile: UInt16, data: Span<UInt8>) {
        precondition(
            data.count % 4 == 0 && data.count / 4 <= UInt16.max,
            "a header extension has 0 to 65535 words of four bytes, not \(data.count) bytes")
        self.profile = profile
        self.data = data
    }

    /// Bytes on the wire.
    public var byteCount: Int { RTPHeaderExtension.fixedByteCount + data.count }

    /// Reads the block at the front of `bytes`: as ``HeaderExtensionWriter`` wrote it, for a packetizer to take.
    ///
    /// - Throws: `truncated`.
    @_lifetime(copy bytes)
    public init(parsing bytes: Span<UInt8>) throws(RTPError) {
        var reader = ByteReader(bytes)
        self = try RTPHeaderExtension.parse(&reader)
    }

    /// Reads the block that a packet's reader has come to.
    ///
    /// - Throws: `truncated`.
    @_lifetime(copy reader)
    @inlinable @inline(__always)  // On the way of every packet that has one.
    static func parse(_ reader: inout ByteReader) throws(RTPError) -> RTPHeaderExtension {
        try reader.require(fixedByteCount)
        let profile = try reader.uint16()
        let words = Int(try reader.uint16())
        return RTPHeaderExtension(profile: profile, words: try reader.span(4 &* words))
    }

    @inlinable @inline(__always) @_lifetime(copy words)
    init(profile: UInt16, words: Span<UInt8>) {
        self.profile = profile
        self.data = words
    }

    /// Appends the block. `output` has room for `byteCount` bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        output.append(bigEndian: profile)
        output.append(bigEndian: UInt16(data.count / 4))
        output.append(copying: data)
    }
}
