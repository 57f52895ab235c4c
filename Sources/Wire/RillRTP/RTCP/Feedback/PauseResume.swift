/// PAUSE-RESUME: requests to pause and resume streams, pause notifications, and refusals (RFC 7728 §8).
///
/// RFC 4585 §6.1 and RFC 7728 §8, PT=RTPFB=205, FMT=9:
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|  FMT=9  |    PT=205     |             length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                  SSRC of packet sender                        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |              SSRC of media source (unused, 0)                 |
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// |                          Target SSRC                          |  for each stream
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// | Type  |  Res  | Parameter Len |            PauseID            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// :                         Type Specific                         :
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// Parameter Len counts the words of the type-specific field.
///
/// ```swift
/// var entries = message.entries
/// while let entry = entries.next() {
///     if case .paused(let last) = entry.kind { mute(entry.target, after: last) }
/// }
/// ```
///
/// A view that cannot outlive the bytes, or the entries to be written.
public struct PauseResume: ~Escapable {
    /// The SSRC of the message's sender.
    public let sender: SSRC
    let storage: Storage

    enum Storage: ~Escapable {
        /// Entries that were validated by parsing.
        case wire(Span<UInt8>)
        case values(Span<Entry>)
    }

    /// A request or notification for one stream.
    public struct Entry: Equatable, Sendable, BitwiseCopyable {
        /// The stream that is to pause or resume, or that has paused.
        public var target: SSRC
        /// The type of the entry.
        public var kind: Kind
        /// Counts the PAUSE requests to this stream, modulo 65536. RESUME, PAUSED and REFUSED have the number of the
        /// request that they refer to; 0 before the first.
        public var pauseID: UInt16

        /// An entry with these fields.
        public init(target: SSRC, kind: Kind, pauseID: UInt16 = 0) {
            self.target = target
            self.kind = kind
            self.pauseID = pauseID
        }
    }

    /// The types of entries. Other types are reserved and ignored (RFC 7728 §8).
    public enum Kind: Equatable, Sendable, BitwiseCopyable {
        /// PAUSE: requests that the stream pauses.
        case pause
        /// RESUME: requests that the stream resumes.
        case resume
        /// PAUSED: the stream is paused after the packet with that extended sequence number, whose upper 16 bits
        /// count the wraps. If no packet was sent, this is the number before the first packet's (erratum 5540).
        case paused(last: UInt32)
        /// REFUSED: a request is not followed. The parameter is the first word of additional data, if any, unparsed.
        case refused(parameter: UInt32? = nil)
    }

    package static let format: UInt8 = 9
    private static let headerByteCount = 12

    /// A message with these fields, to be written: at least one entry, at most 21844.
    @_lifetime(copy entries)
    public init(sender: SSRC, entries: Span<Entry>) {
        self.sender = sender
        storage = .values(entries)
    }

    /// The entries, in order.
    public var entries: Entries {
        @_lifetime(copy self)
        get { Entries(self) }
    }

    // MARK: The wire

    /// Parses the message. Validates all entries, so that iterating over them cannot fail.
    ///
    /// - Throws: `unexpectedPacketType`, or `truncated` if the last entry is longer than the packet, or if a PAUSED
    ///   has no sequence number.
    @_lifetime(copy packet)
    public init(parsing packet: RTCPPacket) throws(RTPError) {
        try packet.require(.transportFeedback, format: PauseResume.format)
        var reader = ByteReader(packet.body)
        sender = SSRC(try reader.uint32())
        _ = try reader.uint32()
        storage = .wire(packet.body.extracting(reader.position...))
        while reader.remaining > 0 { _ = try Entry.read(&reader) }
    }

    /// The size of the packet in bytes: 12, and 8 or 12 per entry. Computed by iterating over all entries.
    public var byteCount: Int {
        var byteCount = PauseResume.headerByteCount
        var entries = entries
        while let entry = entries.next() { byteCount += entry.byteCount }
        return byteCount
    }

    /// Appends the message. In a parsed message, data of the entries that Rill does not parse is omitted.
    ///
    /// Traps unless `output` has room for `byteCount` bytes.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        RTCPPacket.writeHeader(
            .transportFeedback, count: Int(PauseResume.format), byteCount: byteCount, into: &output)
        output.append(bigEndian: sender.rawValue)
        output.append(bigEndian: UInt32(0))
        var entries = entries
        while let entry = entries.next() { entry.write(into: &output) }
    }

    /// Iterates over the entries of a message.
    ///
    /// A view that cannot outlive what the message views. Allocates nothing.
    public struct Entries: ~Escapable {
        private let values: Span<Entry>
        private let bytes: Span<UInt8>
        /// The index of the next value, or the offset of the next byte.
        private var position = 0

        @_lifetime(copy message)
        init(_ message: borrowing PauseResume) {
            switch message.storage {
            case .wire(let bytes): (values, self.bytes) = (Span(), bytes)
            case .values(let entries): (values, bytes) = (entries, Span())
            }
        }

        /// Returns the next entry, or `nil` after the last one.
        @_lifetime(self: copy self)
        public mutating func next() -> Entry? {
            if position < values.count {
                defer { position += 1 }
                return values[position]
            }
            var reader = ByteReader(bytes, at: min(position, bytes.count))
            do throws(RTPError) {
                while reader.remaining > 0 {
                    let entry = try Entry.read(&reader)
                    position = reader.position
                    if let entry { return entry }
                }
            } catch {
                preconditionFailure("a validated entry does not parse: \(error)")
            }
            return nil
        }
    }
}

// MARK: Entries

extension PauseResume.Entry {
    private static let headerByteCount = 8
    private static let (pause, resume, paused, refused): (UInt8, UInt8, UInt8, UInt8) = (0, 1, 2, 3)

    /// Reads an entry. Returns `nil` for a reserved type, whose data is skipped.
    fileprivate static func read(_ reader: inout ByteReader) throws(RTPError) -> PauseResume.Entry? {
        let target = SSRC(try reader.uint32())
        let type = try reader.uint8() >> 4
        let words = Int(try reader.uint8())
        let pauseID = try reader.uint16()
        var parameters = ByteReader(try reader.span(4 * words))
        let kind: PauseResume.Kind
        switch type {
        case pause: kind = .pause
        case resume: kind = .resume
        case paused: kind = .paused(last: try parameters.uint32())
        case refused: kind = .refused(parameter: words > 0 ? try parameters.uint32() : nil)
        default: return nil
        }
        return PauseResume.Entry(target: target, kind: kind, pauseID: pauseID)
    }

    private var type: UInt8 {
        switch kind {
        case .pause: Self.pause
        case .resume: Self.resume
        case .paused: Self.paused
        case .refused: Self.refused
        }
    }

    private var parameter: UInt32? {
        switch kind {
        case .pause, .resume: nil
        case .paused(let last): last
        case .refused(let parameter): parameter
        }
    }

    /// The size of the entry on the wire in bytes.
    fileprivate var byteCount: Int { Self.headerByteCount + (parameter == nil ? 0 : 4) }

    @_lifetime(output: copy output)
    fileprivate func write(into output: inout OutputSpan<UInt8>) {
        output.append(bigEndian: target.rawValue)
        output.append(type << 4)
        output.append(parameter == nil ? 0 : 1)
        output.append(bigEndian: pauseID)
        if let parameter { output.append(bigEndian: parameter) }
    }
}
