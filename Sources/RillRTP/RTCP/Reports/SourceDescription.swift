// RFC 3550 §6.5: chunks of a source and its items, each chunk ended by a zero byte and filled up to whole words.
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |V=2|P|    SC   |  PT=SDES=202  |             length            |
//     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
//     |                          SSRC/CSRC_1                          |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |    CNAME=1    |     length    | user and domain name        ...
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                           SDES items                          |
//     |                              ...                              |
//     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
//     |                          SSRC/CSRC_2                          |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     :                              ...                              :

/// SDES: what sources are called (RFC 3550 §6.5).
///
///     var description = try SourceDescription(parsing: packet)
///     while let item = try description.next() {
///         if item.type == .canonicalName { note(item.text, of: item.ssrc) }
///     }
///
/// A view: it lives no longer than the bytes. ``SourceDescriptionWriter`` writes them.
public struct SourceDescription: ~Escapable {
    private let body: Span<UInt8>
    private var position = 0
    private var chunksToCome: Int
    /// The source of the chunk that is being read.
    private var source: SSRC?

    /// What an item says.
    @frozen
    public struct ItemType: Hashable, Sendable, RawRepresentable {
        /// The number as it stands on the wire, 1 to 255.
        public let rawValue: UInt8

        /// The type of that number; all are allowed, 0 ends a chunk.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// CNAME: the one name that stays the same for all streams of an endpoint (RFC 7022).
        public static let canonicalName = ItemType(rawValue: 1)
        /// NAME: the user's name.
        public static let name = ItemType(rawValue: 2)
        /// EMAIL: where the user gets mail.
        public static let email = ItemType(rawValue: 3)
        /// PHONE: the user's telephone number.
        public static let phone = ItemType(rawValue: 4)
        /// LOC: where the user is.
        public static let location = ItemType(rawValue: 5)
        /// TOOL: the program.
        public static let tool = ItemType(rawValue: 6)
        /// NOTE: what there is to say just now.
        public static let note = ItemType(rawValue: 7)
        /// PRIV: anything else, told apart by a prefix; see ``SourceDescription/Item/privateExtension()``.
        public static let privateExtension = ItemType(rawValue: 8)
        /// RtpStreamId (RFC 8852).
        public static let rid = ItemType(rawValue: 12)
        /// RepairedRtpStreamId (RFC 8852).
        public static let repairedRID = ItemType(rawValue: 13)
        /// MID (RFC 9143).
        public static let mid = ItemType(rawValue: 15)
    }

    /// One thing that is said of one source.
    public struct Item: ~Escapable {
        /// The source.
        public let ssrc: SSRC
        /// What is said.
        public let type: ItemType
        /// UTF-8 text that nobody has checked, 0 to 255 bytes.
        public let text: Span<UInt8>

        @_lifetime(copy text)
        init(ssrc: SSRC, type: ItemType, text: Span<UInt8>) {
            self.ssrc = ssrc
            self.type = type
            self.text = text
        }

        /// What a PRIV item says (RFC 3550 §6.5.8).
        ///
        /// - Throws: `truncated` when the prefix is longer than the item.
        @_lifetime(copy self)
        public func privateExtension() throws(RTPError) -> PrivateExtension {
            var reader = ByteReader(text)
            let length = Int(try reader.uint8())
            let prefix = try reader.span(length)
            return PrivateExtension(prefix: prefix, value: text.extracting(reader.position...))
        }
    }

    /// The two parts of a PRIV item: UTF-8 text that nobody has checked, together at most 254 bytes.
    public struct PrivateExtension: ~Escapable {
        /// What tells one extension from another.
        public let prefix: Span<UInt8>
        /// What is said.
        public let value: Span<UInt8>

        /// An extension of these parts.
        @_lifetime(copy prefix, copy value)
        public init(prefix: Span<UInt8>, value: Span<UInt8>) {
            self.prefix = prefix
            self.value = value
        }
    }

    /// Reads the packet's first word; the items come one after the other from ``next()``.
    ///
    /// - Throws: `unexpectedPacketType`.
    @_lifetime(copy packet)
    public init(parsing packet: RTCPPacket) throws(RTPError) {
        try packet.require(.sourceDescription)
        body = packet.body
        chunksToCome = Int(packet.count)
    }

    /// The next item of any chunk; `nil` behind the last, and after an error.
    ///
    /// - Throws: `truncated`.
    @_lifetime(copy self)
    public mutating func next() throws(RTPError) -> Item? {
        var reader = ByteReader(body, at: position)
        do throws(RTPError) {
            while true {
                guard let source else {
                    guard chunksToCome > 0 else { return nil }
                    chunksToCome -= 1
                    source = SSRC(try reader.uint32())
                    continue
                }
                let type = ItemType(rawValue: try reader.uint8())
                guard type.rawValue != 0 else {
                    // The end of the chunk: one to four zero bytes, up to a whole word.
                    _ = try reader.range((4 - reader.position % 4) % 4)
                    self.source = nil
                    continue
                }
                let length = Int(try reader.uint8())
                let text = body.extracting(try reader.range(length))
                position = reader.position
                return Item(ssrc: source, type: type, text: text)
            }
        } catch {
            source = nil
            chunksToCome = 0
            throw error
        }
    }
}
