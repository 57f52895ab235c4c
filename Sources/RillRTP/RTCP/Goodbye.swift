// RFC 3550 §6.6:
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |V=2|P|    SC   |   PT=BYE=203  |             length            |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                           SSRC/CSRC                           |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     :                              ...                              :
//     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
//     |     length    |               reason for leaving            ... (optional)
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+

/// BYE: sources that end (RFC 3550 §6.6). A view: it lives no longer than the bytes.
public struct Goodbye: ~Escapable {
    private let sources: Span<UInt8>
    /// Why, as UTF-8 text that nobody has checked; `nil` where nothing is said.
    public let reason: Span<UInt8>?

    /// How many sources end, 0 to 31.
    public var count: Int { sources.count / 4 }

    /// The `index`th source that ends, in the order of the packet.
    public subscript(index: Int) -> SSRC {
        precondition(index >= 0 && index < count, "source \(index) of \(count)")
        return SSRC(sources.bigEndianUInt32(at: 4 * index))
    }

    /// Reads the packet.
    ///
    /// - Throws: `unexpectedPacketType`, `invalidCount`, or `truncated` when the reason is longer than the packet.
    @_lifetime(copy packet)
    public init(parsing packet: RTCPPacket) throws(RTPError) {
        try packet.require(.goodbye)
        let count = Int(packet.count)
        guard 4 * count <= packet.body.count else {
            throw .invalidCount(count: count, byteCount: packet.body.count)
        }
        sources = packet.body.extracting(first: 4 * count)
        var reader = ByteReader(packet.body, at: 4 * count)
        if reader.remaining > 0 {
            let length = Int(try reader.uint8())
            reason = packet.body.extracting(try reader.range(length))
        } else {
            reason = nil
        }
    }

    /// Bytes of a packet for `count` sources, with a reason of that many bytes or without one.
    public static func byteCount(sources count: Int, reasonByteCount: Int? = nil) -> Int {
        RTCPPacket.headerByteCount + 4 * count + (reasonByteCount.map { ($0 + 1 + 3) / 4 * 4 } ?? 0)
    }

    /// Appends a packet for at most 31 sources, with a reason of at most 255 bytes or without one.
    ///
    /// `output` has room for `byteCount(sources:reasonByteCount:)` bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public static func write(
        _ sources: Span<SSRC>, reason: Span<UInt8>? = nil, into output: inout OutputSpan<UInt8>
    ) {
        let byteCount = byteCount(sources: sources.count, reasonByteCount: reason?.count)
        RTCPPacket.writeHeader(.goodbye, count: sources.count, byteCount: byteCount, into: &output)
        for index in sources.indices { output.append(bigEndian: sources[index].rawValue) }
        guard let reason else { return }
        precondition(reason.count <= 255, "a reason of \(reason.count) bytes: 255 can be told")
        output.append(UInt8(reason.count))
        output.append(copying: reason)
        output.append(repeating: 0, count: 3 - reason.count % 4)
    }
}
