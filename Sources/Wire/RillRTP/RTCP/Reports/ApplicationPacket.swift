/// APP: application-defined data (RFC 3550 §6.7).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P| subtype |   PT=APP=204  |             length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                           SSRC/CSRC                           |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                          name (ASCII)                         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                   application-dependent data                ...
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// A view that cannot outlive the bytes, or the data to be written.
public struct ApplicationPacket: ~Escapable {
    /// Distinguishes the packets of an application, 0 to 31.
    public let subtype: UInt8
    /// The SSRC of the sender.
    public let ssrc: SSRC
    /// The name of the application: four ASCII characters, the first in the most significant byte.
    public let name: UInt32
    /// The application's data: whole words.
    public let data: Span<UInt8>

    /// A packet with these fields, to be written.
    ///
    /// Traps if the subtype exceeds 31 or if the size of the data is not a multiple of four bytes.
    @_lifetime(copy data)
    public init(subtype: UInt8, ssrc: SSRC, name: UInt32, data: Span<UInt8> = Span()) {
        precondition(subtype <= RTCPPacket.maximumCount, "subtype \(subtype) in 5 bits")
        precondition(data.count % 4 == 0, "data of \(data.count) bytes is not whole words")
        self.subtype = subtype
        self.ssrc = ssrc
        self.name = name
        self.data = data
    }

    /// Parses the packet.
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

    /// The size of the packet in bytes: 12, and the data's size.
    public var byteCount: Int { 12 + data.count }

    /// Appends the packet. Traps unless `output` has room for `byteCount` bytes.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        RTCPPacket.writeHeader(.application, count: Int(subtype), byteCount: byteCount, into: &output)
        output.append(bigEndian: ssrc.rawValue)
        output.append(bigEndian: name)
        output.append(copying: data)
    }
}
