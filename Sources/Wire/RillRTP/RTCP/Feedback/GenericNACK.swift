/// Generic NACK: the missing packets of a stream (RFC 4585 §6.2.1).
///
/// RFC 4585 §6.1 and §6.2.1, PT=RTPFB=205, FMT=1:
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|  FMT=1  |    PT=205     |             length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                  SSRC of packet sender                        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                  SSRC of media source                         |
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// |            PID                |             BLP               |  as often as needed
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// ```swift
/// var lost = nack.lostPackets
/// while let number = lost.next() { retransmit(number) }
///
/// GenericNACK.write(lost: missing.span, of: media, from: sender, into: &output)
/// ```
///
/// A view that cannot outlive the bytes, or the entries to be written.
public struct GenericNACK: ~Escapable {
    /// The SSRC of the receiver that misses the packets.
    public let sender: SSRC
    /// The SSRC of the stream that they belong to.
    public let media: SSRC
    /// The missing packets, up to 17 per entry.
    public let entries: WireList<Entry>

    /// A missing packet, and which of the 16 packets after it are missing too.
    public struct Entry: WireElement, Equatable {
        /// PID: the sequence number of the first missing packet.
        public var packetID: SequenceNumber
        /// BLP: bit `n`, where bit 0 is the least significant, is set if packet `packetID` + `n` + 1 is missing.
        public var following: UInt16

        /// An entry with these fields.
        public init(packetID: SequenceNumber, following: UInt16 = 0) {
            self.packetID = packetID
            self.following = following
        }

        /// The size of an entry on the wire: 4 bytes.
        public static var byteCount: Int { 4 }

        /// Reads the entry at `offset`.
        public init(wire bytes: Span<UInt8>, at offset: Int) {
            let word = bytes.bigEndianUInt32(at: offset)
            self.init(packetID: SequenceNumber(UInt16(word >> 16)), following: UInt16(truncatingIfNeeded: word))
        }

        /// Appends the entry. Traps unless `output` has room for four bytes.
        @_lifetime(output: copy output)
        public func write(into output: inout OutputSpan<UInt8>) {
            output.append(bigEndian: packetID.rawValue)
            output.append(bigEndian: following)
        }
    }

    package static let format: UInt8 = 1

    /// A NACK with these fields, to be written: at least one entry (RFC 4585 §6.2.1), at most 65533.
    @_lifetime(copy entries)
    public init(sender: SSRC, media: SSRC, entries: WireList<Entry>) {
        self.sender = sender
        self.media = media
        self.entries = entries
    }

    /// Parses the NACK.
    ///
    /// - Throws: `unexpectedPacketType` or `truncated`.
    @_lifetime(copy packet)
    public init(parsing packet: RTCPPacket) throws(RTPError) {
        try packet.require(.transportFeedback, format: GenericNACK.format)
        var reader = ByteReader(packet.body)
        sender = SSRC(try reader.uint32())
        media = SSRC(try reader.uint32())
        entries = WireList(parsing: packet.body.extracting(reader.position...))
    }

    /// The size of the packet in bytes: 12, and 4 per entry.
    public var byteCount: Int { GenericNACK.byteCount(entries: entries.count) }

    private static func byteCount(entries count: Int) -> Int { 12 + 4 * count }

    /// Appends the NACK. Traps unless `output` has room for `byteCount` bytes.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        GenericNACK.writeHeader(entries: entries.count, of: media, from: sender, into: &output)
        entries.write(into: &output)
    }

    @_lifetime(output: copy output)
    private static func writeHeader(
        entries count: Int, of media: SSRC, from sender: SSRC, into output: inout OutputSpan<UInt8>
    ) {
        RTCPPacket.writeHeader(
            .transportFeedback, count: Int(format), byteCount: byteCount(entries: count), into: &output)
        output.append(bigEndian: sender.rawValue)
        output.append(bigEndian: media.rawValue)
    }
}

// MARK: Lists of sequence numbers

extension GenericNACK {
    /// The sequence numbers of the missing packets, in the order of the entries.
    public var lostPackets: LostPackets {
        @_lifetime(copy self)
        get { LostPackets(entries) }
    }

    /// Iterates over the sequence numbers of missing packets.
    public struct LostPackets: ~Escapable {
        private let entries: WireList<Entry>
        private var index = 0
        private var packetID = SequenceNumber(0)
        /// Bit `n` is set if packet `packetID` + `n` is yet to be returned.
        private var pending: UInt32 = 0

        @_lifetime(copy entries)
        init(_ entries: WireList<Entry>) {
            self.entries = entries
        }

        /// Returns the next sequence number, or `nil` after the last one.
        @_lifetime(self: copy self)
        public mutating func next() -> SequenceNumber? {
            if pending == 0 {
                guard index < entries.count else { return nil }
                packetID = entries[index].packetID
                pending = UInt32(entries[index].following) << 1 | 1
                index += 1
            }
            let offset = pending.trailingZeroBitCount
            pending &= pending &- 1
            return packetID.advanced(by: offset)
        }
    }

    /// Returns the size of a NACK for these packets in bytes; see ``write(lost:of:from:into:)``.
    public static func byteCount(lost numbers: Span<SequenceNumber>) -> Int {
        var (count, index) = (0, 0)
        while index < numbers.count {
            _ = entry(of: numbers, from: &index)
            count += 1
        }
        return byteCount(entries: count)
    }

    /// Appends a NACK for packets with these sequence numbers, at least one.
    ///
    /// Ascending numbers need the fewest entries; they may wrap from 65535 to 0. Traps unless `output` has room for
    /// `byteCount(lost:)` bytes.
    @_lifetime(output: copy output)
    public static func write(
        lost numbers: Span<SequenceNumber>, of media: SSRC, from sender: SSRC, into output: inout OutputSpan<UInt8>
    ) {
        let count = (byteCount(lost: numbers) - byteCount(entries: 0)) / Entry.byteCount
        writeHeader(entries: count, of: media, from: sender, into: &output)
        var index = 0
        while index < numbers.count { entry(of: numbers, from: &index).write(into: &output) }
    }

    /// Returns the entry for the number at `index` and the following numbers that fit, and advances `index` past
    /// them.
    private static func entry(of numbers: Span<SequenceNumber>, from index: inout Int) -> Entry {
        var entry = Entry(packetID: numbers[index])
        index += 1
        while index < numbers.count {
            let distance = numbers[index].distance(since: entry.packetID)
            guard (0...16).contains(distance) else { break }
            if distance > 0 { entry.following |= 1 << UInt16(distance - 1) }
            index += 1
        }
        return entry
    }
}
