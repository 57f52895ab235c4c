// RFC 3550 §6.7:
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |V=2|P| subtype |   PT=APP=204  |             length            |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                           SSRC/CSRC                           |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                          name (ASCII)                         |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                   application-dependent data                ...
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+

/// APP: whatever an application likes (RFC 3550 §6.7).
///
/// A view: it lives no longer than the bytes, or than the data that it is to write.
public struct ApplicationPacket: ~Escapable {
    /// Tells an application's packets apart, 0 to 31.
    public let subtype: UInt8
    /// Who sends it.
    public let ssrc: SSRC
    /// The application: four ASCII characters, the first in the highest byte.
    public let name: UInt32
    /// What it says: whole words.
    public let data: Span<UInt8>

    /// A packet of these fields, to be written.
    ///
    /// A subtype over 31 and data that is no multiple of four bytes are the programmer's mistake.
    @_lifetime(copy data)
    public init(subtype: UInt8, ssrc: SSRC, name: UInt32, data: Span<UInt8> = Span()) {
        precondition(subtype <= RTCPPacket.maximumCount, "subtype \(subtype) in 5 bits")
        precondition(data.count % 4 == 0, "data of \(data.count) bytes is not whole words")
        self.subtype = subtype
        self.ssrc = ssrc
        self.name = name
        self.data = data
    }

    /// Reads the packet.
    ///
    /// - Throws: `unexpectedPacketType` or `truncated`.
    @_lifetime(copy packet)
    public init(parsing packet: RTCPPacket) throws(RTPError) {
        try packet.require(.application)
        var reader = ByteReader(packet.body)
        subtype = packet.count
        ssrc = SSRC(try reader.uint32())
        name = try reader.uint32()
        data = packet.body.extracting(reader.position...)
    }

    /// Bytes on the wire: 12, and the data's.
    public var byteCount: Int { 12 + data.count }

    /// Appends the packet. `output` has room for `byteCount` bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        RTCPPacket.writeHeader(.application, count: Int(subtype), byteCount: byteCount, into: &output)
        output.append(bigEndian: ssrc.rawValue)
        output.append(bigEndian: name)
        output.append(copying: data)
    }
}
