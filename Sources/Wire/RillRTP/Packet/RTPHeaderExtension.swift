/// The header extension of an RTP packet, between its header and its payload (RFC 3550 §5.3.1).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |      defined by profile       |           length              |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                        header extension                       |
/// |                             ....                              |
/// ```
///
/// If the block follows RFC 8285, as all do today, ``elements`` iterates over its elements. A view that cannot
/// outlive the bytes.
public struct RTPHeaderExtension: ~Escapable, BitwiseCopyable {
    /// The 16 bits "defined by profile": 0xBEDE or 0x1000 to 0x100F for RFC 8285.
    public let profile: UInt16
    /// The data after the length field: up to 65535 words of four bytes.
    public let data: Span<UInt8>

    /// The size of the two fields before the data in bytes.
    @inlinable
    public static var fixedByteCount: Int { 4 }

    /// A block with that data. Traps unless its length is a multiple of four and at most 262140 bytes.
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

    /// Parses the block at the start of `bytes`, as ``HeaderExtensionWriter`` wrote it, to pass it to a packetizer.
    ///
    /// - Throws: `truncated`.
    @_lifetime(copy bytes)
    public init(parsing bytes: Span<UInt8>) throws(RTPError) {
        var reader = ByteReader(bytes)
        self = try RTPHeaderExtension.parse(&reader)
    }

    /// Parses the block at the position of a packet's reader.
    ///
    /// - Throws: `truncated`.
    @_lifetime(copy reader)
    @inlinable @inline(__always)  // Hot path: runs for every packet that has one.
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

    /// Appends the block. Traps unless `output` has room for `byteCount` bytes.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        output.append(bigEndian: profile)
        output.append(bigEndian: UInt16(data.count / 4))
        output.append(copying: data)
    }
}
