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
/// Unlike PLI it is numbered, so that its repetitions are known as such. A view: it lives no longer than the bytes.
public struct FullIntraRequest: ~Escapable {
    /// Who asks.
    public let sender: SSRC
    private let entries: Span<UInt8>

    /// One stream that is asked.
    public struct Entry: Equatable, Sendable {
        /// The stream that is to send a key frame.
        public var ssrc: SSRC
        /// Counts this sender's commands to this stream, modulo 256; a repetition keeps its number.
        public var number: UInt8

        /// Command `number` to the stream `ssrc`.
        public init(ssrc: SSRC, number: UInt8) {
            self.ssrc = ssrc
            self.number = number
        }

        static let byteCount = 8
    }

    static let format: UInt8 = 4

    /// How many streams are asked. A stray word behind the last is passed over.
    public var count: Int { entries.count / Entry.byteCount }

    /// The `index`th stream that is asked, in the order of the packet.
    public subscript(index: Int) -> Entry {
        precondition(index >= 0 && index < count, "entry \(index) of \(count)")
        let start = index * Entry.byteCount
        return Entry(ssrc: SSRC(entries.bigEndianUInt32(at: start)), number: entries[start + 4])
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
        entries = packet.body.extracting(reader.position...)
    }

    /// Bytes of a command to `count` streams.
    public static func byteCount(entries count: Int) -> Int { 12 + Entry.byteCount * count }

    /// Appends a command of `sender` to the streams of `entries`, at most 32766.
    ///
    /// `output` has room for `byteCount(entries:)` bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public static func write(_ entries: Span<Entry>, from sender: SSRC, into output: inout OutputSpan<UInt8>) {
        RTCPPacket.writeHeader(
            .payloadFeedback, count: Int(format), byteCount: byteCount(entries: entries.count), into: &output)
        output.append(bigEndian: sender.rawValue)
        output.append(bigEndian: UInt32(0))
        for index in entries.indices {
            output.append(bigEndian: entries[index].ssrc.rawValue)
            output.append(bigEndian: UInt32(entries[index].number) << 24)
        }
    }
}
