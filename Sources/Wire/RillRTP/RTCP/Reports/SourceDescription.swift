/// SDES: descriptions of sources, such as their canonical names (RFC 3550 §6.5).
///
/// A packet has one chunk per source, with the source's items. A zero byte ends each chunk, followed by padding to
/// whole words:
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|    SC   |  PT=SDES=202  |             length            |
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// |                          SSRC/CSRC_1                          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |    CNAME=1    |     length    | user and domain name        ...
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                           SDES items                          |
/// |                              ...                              |
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// |                          SSRC/CSRC_2                          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// :                              ...                              :
/// ```
///
/// ```swift
/// var description = try SourceDescription(parsing: packet)
/// while let item = try description.next() {
///     if item.type == .canonicalName { note(item.text, of: item.ssrc) }
/// }
/// ```
///
/// A view that cannot outlive the bytes. ``SourceDescriptionWriter`` writes such packets.
public struct SourceDescription: ~Escapable {
    private let body: Span<UInt8>
    private var position = 0
    private var chunksToCome: Int
    /// The source of the current chunk.
    private var source: SSRC?

    /// The type of an item.
    @frozen
    public struct ItemType: Hashable, Sendable, RawRepresentable {
        /// The value on the wire, 1 to 255.
        public let rawValue: UInt8

        /// The type with that value. Any value is allowed; 0 ends a chunk.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// CNAME: the canonical name, which is the same for all streams of an endpoint (RFC 7022).
        public static let canonicalName = ItemType(rawValue: 1)
        /// NAME: the user's name.
        public static let name = ItemType(rawValue: 2)
        /// EMAIL: the user's e-mail address.
        public static let email = ItemType(rawValue: 3)
        /// PHONE: the user's phone number.
        public static let phone = ItemType(rawValue: 4)
        /// LOC: the user's location.
        public static let location = ItemType(rawValue: 5)
        /// TOOL: the name of the application.
        public static let tool = ItemType(rawValue: 6)
        /// NOTE: a notice about the source's current state.
        public static let note = ItemType(rawValue: 7)
        /// PRIV: private extensions, distinguished by a prefix; see ``SourceDescription/Item/privateExtension()``.
        public static let privateExtension = ItemType(rawValue: 8)
        /// RtpStreamId (RFC 8852).
        public static let rid = ItemType(rawValue: 12)
        /// RepairedRtpStreamId (RFC 8852).
        public static let repairedRID = ItemType(rawValue: 13)
        /// MID (RFC 9143).
        public static let mid = ItemType(rawValue: 15)
    }

    /// One item of one source.
    public struct Item: ~Escapable {
        /// The SSRC of the source.
        public let ssrc: SSRC
        /// The type of the item.
        public let type: ItemType
        /// UTF-8 text (not validated), 0 to 255 bytes.
        public let text: Span<UInt8>

        @_lifetime(copy text)
        init(ssrc: SSRC, type: ItemType, text: Span<UInt8>) {
            self.ssrc = ssrc
            self.type = type
            self.text = text
        }

        /// Returns the parts of a PRIV item (RFC 3550 §6.5.8).
        ///
        /// - Throws: `truncated` if the prefix is longer than the item.
        @_lifetime(copy self)
        public func privateExtension() throws(RTPError) -> PrivateExtension {
            var reader = ByteReader(text)
            let length = Int(try reader.uint8())
            let prefix = try reader.span(length)
            return PrivateExtension(prefix: prefix, value: text.extracting(reader.position...))
        }
    }

    /// The two parts of a PRIV item: UTF-8 text (not validated), together at most 254 bytes.
    public struct PrivateExtension: ~Escapable {
        /// Identifies the extension.
        public let prefix: Span<UInt8>
        /// The value.
        public let value: Span<UInt8>

        /// An extension with these parts.
        @_lifetime(copy prefix, copy value)
        public init(prefix: Span<UInt8>, value: Span<UInt8>) {
            self.prefix = prefix
            self.value = value
        }
    }

    /// Parses the packet's first word; ``next()`` returns the items in order.
    ///
    /// - Throws: `unexpectedPacketType`.
    @_lifetime(copy packet)
    public init(parsing packet: RTCPPacket) throws(RTPError) {
        try packet.require(.sourceDescription)
        body = packet.body
        chunksToCome = Int(packet.count)
    }

    /// Returns the next item of any chunk, or `nil` after the last one and after an error.
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
                    // The end of the chunk: one to four zero bytes, up to a word boundary.
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
