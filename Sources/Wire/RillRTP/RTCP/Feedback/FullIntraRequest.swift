/// FIR: a command to streams to send a key frame (RFC 5104 §4.3.1).
///
/// RFC 4585 §6.1 and RFC 5104 §4.3.1.1, PT=PSFB=206, FMT=4:
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|  FMT=4  |    PT=206     |             length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                  SSRC of packet sender                        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |              SSRC of media source (unused, 0)                 |
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// |                              SSRC                             |  for each requested
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+  stream
/// | Seq nr.       |    Reserved                                   |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// Unlike a PLI, it has a sequence number, which identifies repetitions. A view that cannot outlive the bytes, or the
/// entries to be written.
public struct FullIntraRequest: ~Escapable {
    /// The SSRC of the requester.
    public let sender: SSRC
    /// The requested streams. An incomplete entry at the end is ignored.
    public let entries: WireList<Entry>

    /// The command to one stream.
    public struct Entry: WireElement, Equatable {
        /// The SSRC of the stream that is to send a key frame.
        public var ssrc: SSRC
        /// The command's sequence number, which counts this sender's commands to this stream, modulo 256. Repetitions
        /// have the same number.
        public var number: UInt8

        /// The command with the sequence number `number` to the stream `ssrc`.
        public init(ssrc: SSRC, number: UInt8) {
            self.ssrc = ssrc
            self.number = number
        }

        /// The size of an entry on the wire: 8 bytes.
        public static var byteCount: Int { 8 }

        /// Reads the entry at `offset`.
        public init(wire bytes: Span<UInt8>, at offset: Int) {
            self.init(ssrc: SSRC(bytes.bigEndianUInt32(at: offset)), number: bytes[offset + 4])
        }

        /// Appends the entry. Traps unless `output` has room for eight bytes.
        @_lifetime(output: copy output)
        public func write(into output: inout OutputSpan<UInt8>) {
            output.append(bigEndian: ssrc.rawValue)
            output.append(bigEndian: UInt32(number) << 24)
        }
    }

    package static let format: UInt8 = 4

    /// A command from `sender` to these streams, to be written. At most 32766 fit; writing more traps.
    @_lifetime(copy entries)
    public init(sender: SSRC, entries: WireList<Entry>) {
        self.sender = sender
        self.entries = entries
    }

    /// Parses the command.
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

    /// The size of the packet in bytes: 12, and 8 per stream.
    public var byteCount: Int { 12 + entries.byteCount }

    /// Appends the command. Traps unless `output` has room for `byteCount` bytes.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        RTCPPacket.writeHeader(
            .payloadFeedback, count: Int(FullIntraRequest.format), byteCount: byteCount, into: &output)
        output.append(bigEndian: sender.rawValue)
        output.append(bigEndian: UInt32(0))
        entries.write(into: &output)
    }
}
