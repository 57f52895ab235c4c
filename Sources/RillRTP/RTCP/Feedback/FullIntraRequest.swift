// RFC 4585 §6.1 and RFC 5104 §4.3.1.1, PT=PSFB=206, FMT=4:
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |V=2|P|  FMT=4  |    PT=206     |             length            |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                  SSRC of packet sender                        |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |              SSRC of media source (unused, 0)                 |
//     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
//     |                              SSRC                             |  for each stream
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+  that is asked
//     | Seq nr.       |    Reserved                                   |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+

/// FIR: a command to streams to send a picture that stands alone (RFC 5104 §4.3.1).
///
/// Unlike PLI it is numbered, so that its repetitions are known as such. A view: it lives no longer than the bytes, or
/// than the entries that it is to write.
public struct FullIntraRequest: ~Escapable {
    /// Who asks.
    public let sender: SSRC
    /// The streams that are asked. A stray word behind the last is passed over.
    public let entries: WireList<Entry>

    /// One stream that is asked.
    public struct Entry: WireElement, Equatable {
        /// The stream that is to send a key frame.
        public var ssrc: SSRC
        /// Counts this sender's commands to this stream, modulo 256; a repetition keeps its number.
        public var number: UInt8

        /// Command `number` to the stream `ssrc`.
        public init(ssrc: SSRC, number: UInt8) {
            self.ssrc = ssrc
            self.number = number
        }

        /// Eight.
        public static var byteCount: Int { 8 }

        /// Reads the entry at `offset`.
        public init(wire bytes: Span<UInt8>, at offset: Int) {
            self.init(ssrc: SSRC(bytes.bigEndianUInt32(at: offset)), number: bytes[offset + 4])
        }

        /// Appends the entry. `output` has room for eight bytes; too little is the programmer's mistake.
        @_lifetime(output: copy output)
        public func write(into output: inout OutputSpan<UInt8>) {
            output.append(bigEndian: ssrc.rawValue)
            output.append(bigEndian: UInt32(number) << 24)
        }
    }

    package static let format: UInt8 = 4

    /// A command of `sender` to these streams, to be written: at most 32766, or they do not fit a packet.
    @_lifetime(copy entries)
    public init(sender: SSRC, entries: WireList<Entry>) {
        self.sender = sender
        self.entries = entries
    }

    /// Reads the command.
    ///
    /// - Throws: `unexpectedPacketType` or `truncated`.
    @_lifetime(copy packet)
    public init(parsing packet: RTCPPacket) throws(RTPError) {
        try packet.require(.payloadFeedback, format: FullIntraRequest.format)
        var reader = ByteReader(packet.body)
        sender = SSRC(try reader.uint32())
        _ = try reader.uint32()
        entries = WireList(parsing: packet.body.extracting(reader.position...))
    }

    /// Bytes on the wire: 12, and 8 a stream.
    public var byteCount: Int { 12 + entries.byteCount }

    /// Appends the command. `output` has room for `byteCount` bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        RTCPPacket.writeHeader(
            .payloadFeedback, count: Int(FullIntraRequest.format), byteCount: byteCount, into: &output)
        output.append(bigEndian: sender.rawValue)
        output.append(bigEndian: UInt32(0))
        entries.write(into: &output)
    }
}
