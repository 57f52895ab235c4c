/// A view of one RTP packet: its header, and where in the bytes the rest of it stands.
///
///     let packet = try RTPPacket(parsing: datagram)
///     let descriptor = try VP8PayloadDescriptor(parsing: packet.payload)
///
/// The view lives no longer than the bytes. It may be made of any bytes: what is no RTP packet throws.
public struct RTPPacket: ~Escapable {
    /// The fields of the header.
    public let header: RTPHeader
    /// The header extension, where the packet has one.
    public let headerExtension: HeaderExtension?
    /// The payload, without header and padding. It may be empty: some senders probe with padding alone.
    public let payload: Span<UInt8>
    /// Bytes of padding at the packet's end, the count itself included.
    public let paddingByteCount: Int

    /// A header extension (RFC 3550 §5.3.1), not yet taken apart.
    public struct HeaderExtension: ~Escapable {
        /// The 16 bits "defined by profile": 0xBEDE and 0x100x are those of RFC 8285.
        public let profile: UInt16
        /// The words that follow, 0 to 65535 times four bytes.
        public let data: Span<UInt8>

        @_lifetime(copy data)
        init(profile: UInt16, data: Span<UInt8>) {
            self.profile = profile
            self.data = data
        }
    }

    /// Takes a packet apart (RFC 3550 §5.1).
    ///
    /// - Throws: `truncated`, `unsupportedVersion` or `invalidPadding`.
    @_lifetime(copy bytes)
    public init(parsing bytes: Span<UInt8>) throws(RTPError) {
        var reader = ByteReader(bytes)
        let first = try reader.uint8()
        guard first >> 6 == RTPHeader.version else { throw .unsupportedVersion(first >> 6) }
        try reader.require(RTPHeader.fixedByteCount - 1)
        let second = try reader.uint8()
        var header = RTPHeader(
            marker: second & RTPHeader.markerBit != 0, payloadType: PayloadType(second & 0x7F),
            sequenceNumber: SequenceNumber(try reader.uint16()), timestamp: RTPTimestamp(try reader.uint32()),
            ssrc: SSRC(try reader.uint32()))
        for _ in 0..<(first & 0x0F) { header.csrcs.append(SSRC(try reader.uint32())) }

        if first & RTPHeader.extensionBit != 0 {
            let profile = try reader.uint16()
            let words = Int(try reader.uint16())
            self.headerExtension = HeaderExtension(profile: profile, data: bytes.extracting(try reader.range(4 * words)))
        } else {
            self.headerExtension = nil
        }

        var padding = 0
        if first & RTPHeader.paddingBit != 0 {
            padding = reader.remaining > 0 ? Int(bytes[bytes.count - 1]) : 0
            guard (1...max(1, reader.remaining)).contains(padding) else {
                throw .invalidPadding(count: padding, available: reader.remaining)
            }
        }
        self.header = header
        self.paddingByteCount = padding
        self.payload = bytes.extracting(reader.position..<bytes.count - padding)
    }
}
