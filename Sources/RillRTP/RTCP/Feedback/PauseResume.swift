// RFC 4585 §6.1 and RFC 7728 §8, PT=RTPFB=205, FMT=9:
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |V=2|P|  FMT=9  |    PT=205     |             length            |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                  SSRC of packet sender                        |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |              SSRC of media source (unused, 0)                 |
//     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
//     |                          Target SSRC                          |  for each stream
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+  that is spoken of
//     | Type  |  Res  | Parameter Len |            PauseID            |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     :                         Type Specific                         :
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// Parameter Len counts the words of the type specific field.

/// PAUSE-RESUME: streams that pause and go on, what asks them to, and what refuses it (RFC 7728 §8).
///
///     var entries = message.entries
///     while let entry = entries.next() {
///         if case .paused(let last) = entry.kind { mute(entry.target, behind: last) }
///     }
///
/// A view: it lives no longer than the bytes, or than the entries that it is to write.
public struct PauseResume: ~Escapable {
    /// Who says it.
    public let sender: SSRC
    let storage: Storage

    enum Storage: ~Escapable {
        /// Entries that were found to be whole.
        case wire(Span<UInt8>)
        case values(Span<Entry>)
    }

    /// What is said of one stream.
    public struct Entry: Equatable, Sendable, BitwiseCopyable {
        /// The stream: who is asked, or who has paused.
        public var target: SSRC
        /// What is said of it.
        public var kind: Kind
        /// Counts the requests to pause that this stream was given, modulo 65536. What resumes it, tells that it has paused, or
        /// refuses a request bears the number of that request; 0, before the first.
        public var pauseID: UInt16

        /// An entry of these fields.
        public init(target: SSRC, kind: Kind, pauseID: UInt16 = 0) {
            self.target = target
            self.kind = kind
            self.pauseID = pauseID
        }
    }

    /// The types of entries that there are. Others are reserved, and passed over (RFC 7728 §8).
    public enum Kind: Equatable, Sendable, BitwiseCopyable {
        /// PAUSE: a request to send nothing more.
        case pause
        /// RESUME: a request to go on.
        case resume
        /// PAUSED: nothing is sent, behind the packet of that number, with the count of its wraps in the upper 16 bits. Where none
        /// was sent it is the number before that of the first (erratum 5540).
        case paused(last: UInt32)
        /// REFUSED: a request is not followed. The first word of what else is said, if any is; it is passed on as it came.
        case refused(parameter: UInt32? = nil)
    }

    package static let format: UInt8 = 9
    private static let headerByteCount = 12

    /// A message of these fields, to be written; at least one entry, at most 21844.
    @_lifetime(copy entries)
    public init(sender: SSRC, entries: Span<Entry>) {
        self.sender = sender
        storage = .values(entries)
    }

    /// What is said, one stream after the other.
    public var entries: Entries {
        @_lifetime(copy self)
        get { Entries(self) }
    }

    // MARK: The wire

    /// Reads the message. All of it is looked through, so that going over the entries finds no fault.
    ///
    /// - Throws: `unexpectedPacketType`, or `truncated` when the last entry is longer than the packet, or a PAUSED names no packet.
    @_lifetime(copy packet)
    public init(parsing packet: RTCPPacket) throws(RTPError) {
        try packet.require(.transportFeedback, format: PauseResume.format)
        var reader = ByteReader(packet.body)
        sender = SSRC(try reader.uint32())
        _ = try reader.uint32()
        storage = .wire(packet.body.extracting(reader.position...))
        while reader.remaining > 0 { _ = try Entry.read(&reader) }
    }

    /// Bytes on the wire: 12, and 8 or 12 an entry. Reckoned by going over all entries.
    public var byteCount: Int {
        var byteCount = PauseResume.headerByteCount
        var entries = entries
        while let entry = entries.next() { byteCount += entry.byteCount }
        return byteCount
    }

    /// Appends the message. Of one that was parsed, what its entries bear beyond what Rill knows is left out.
    ///
    /// `output` has room for `byteCount` bytes; too little is a violated precondition.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        RTCPPacket.writeHeader(
            .transportFeedback, count: Int(PauseResume.format), byteCount: byteCount, into: &output)
        output.append(bigEndian: sender.rawValue)
        output.append(bigEndian: UInt32(0))
        var entries = entries
        while let entry = entries.next() { entry.write(into: &output) }
    }

    /// The entries of a message, one after the other.
    ///
    /// A view: it lives no longer than what the message looks at. Allocates nothing.
    public struct Entries: ~Escapable {
        private let values: Span<Entry>
        private let bytes: Span<UInt8>
        /// Of values, or of bytes.
        private var position = 0

        @_lifetime(copy message)
        init(_ message: borrowing PauseResume) {
            switch message.storage {
            case .wire(let bytes): (values, self.bytes) = (Span(), bytes)
            case .values(let entries): (values, bytes) = (entries, Span())
            }
        }

        /// The next entry; `nil` behind the last.
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
                preconditionFailure("an entry that was found to be whole: \(error)")
            }
            return nil
        }
    }
}

// MARK: Entries

extension PauseResume.Entry {
    private static let headerByteCount = 8
    private static let (pause, resume, paused, refused): (UInt8, UInt8, UInt8, UInt8) = (0, 1, 2, 3)

    /// Reads an entry; `nil` for one of a reserved type, which is passed over.
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

    /// Bytes on the wire.
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
