/// A view of the payload of a ULPFEC packet (RFC 5109): protection data from which one lost RTP packet can be
/// recovered, with the help of the others that it protects.
///
/// The FEC header (RFC 5109 §7.3); the levels make up the rest of the payload:
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |E|L|P|X|  CC   |M| PT recovery |            SN base            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                          TS recovery                          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |        length recovery        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// The header of each level (§7.4), which the parity of the level's bytes follows:
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |       Protection Length       |             mask              |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |              mask cont. (present only when L = 1)             |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// Bit i of a mask, where bit 0 is the most significant, is the packet with sequence number SN base + i. Level 0
/// protects the bytes of those packets from the 13th on (after the fixed header), level 1 the bytes after those of
/// level 0.
///
/// Only levels 0 and 1 are read; further levels are ignored. ``ULPFECRecovery`` recovers packets, ``ULPFECBuilder``
/// builds such payloads.
///
/// The view cannot outlive the bytes. Parsing accepts arbitrary bytes and throws if they are not such a payload.
/// Allocates nothing.
public struct ULPFECPayload: ~Escapable {
    /// SN base: the sequence number of the first bit of the masks.
    public let sequenceNumberBase: SequenceNumber
    /// L: whether masks have 48 bits instead of 16.
    public let hasLongMask: Bool
    /// Level 0, which protects the first bytes of the packets.
    public let level0: Level
    /// Level 1, if present.
    public let level1: Level?

    /// The first eight bytes of the FEC header: the parity of the RTP headers, except for the bits E, L and SN base.
    let headerRecovery: UInt64
    /// The parity of the packets' lengths, without the fixed header.
    let lengthRecovery: UInt16

    /// One level of protection.
    public struct Level: ~Escapable {
        /// The protected packets: bit 47 is the packet at SN base, bit 0 the 47th after it.
        public let mask: UInt64
        /// The parity of the bytes that this level protects.
        public let payload: Span<UInt8>

        @_lifetime(copy payload)
        init(mask: UInt64, payload: Span<UInt8>) {
            self.mask = mask
            self.payload = payload
        }
    }

    static let longMaskBit: UInt8 = 0x40
    static let headerByteCount = 10
    static let levelHeaderByteCount = 4
    static let longLevelHeaderByteCount = 8
    /// The number of packets in a long mask.
    public static let maskBitWidth = 48
    static let shortMaskBitWidth = 16

    /// The maximum number of bytes by which a ULPFEC packet of one level, including its RTP header, exceeds the
    /// longest packet that it protects: its own headers.
    public static let maximumOverhead = headerByteCount + longLevelHeaderByteCount

    /// Parses a payload.
    ///
    /// - Throws: `truncated`.
    @_lifetime(copy payload)
    public init(parsing payload: Span<UInt8>) throws(RTPError) {
        var reader = ByteReader(payload)
        try reader.require(ULPFECPayload.headerByteCount)
        let high = try reader.uint32()
        headerRecovery = UInt64(high) << 32 | UInt64(try reader.uint32())
        lengthRecovery = try reader.uint16()
        sequenceNumberBase = SequenceNumber(UInt16(truncatingIfNeeded: high))
        hasLongMask = payload[0] & ULPFECPayload.longMaskBit != 0
        let (mask, range) = try ULPFECPayload.parseLevel(&reader, hasLongMask: hasLongMask)
        level0 = Level(mask: mask, payload: payload.extracting(range))
        if reader.remaining > 0 {
            let (mask, range) = try ULPFECPayload.parseLevel(&reader, hasLongMask: hasLongMask)
            level1 = Level(mask: mask, payload: payload.extracting(range))
        } else {
            level1 = nil
        }
    }

    private static func parseLevel(
        _ reader: inout ByteReader, hasLongMask: Bool
    ) throws(RTPError) -> (mask: UInt64, payload: Range<Int>) {
        let length = Int(try reader.uint16())
        var mask = UInt64(try reader.uint16()) << 32
        if hasLongMask { mask |= UInt64(try reader.uint32()) }
        return (mask, try reader.range(length))
    }

    /// Returns whether level 0 protects the packet with that sequence number.
    public func protects(_ number: SequenceNumber) -> Bool { level0.mask & bit(of: number) != 0 }

    /// Returns the mask bit of a packet; 0 if the mask does not include the packet.
    func bit(of number: SequenceNumber) -> UInt64 {
        let offset = number.distance(since: sequenceNumberBase)
        guard (0..<ULPFECPayload.maskBitWidth).contains(offset) else { return 0 }
        return 1 << UInt64(ULPFECPayload.maskBitWidth - 1 - offset)
    }

    /// Calls `body` with the sequence number of each packet that level 0 protects, in order.
    public func forEachProtected(_ body: (SequenceNumber) -> Void) {
        for offset in 0..<ULPFECPayload.maskBitWidth {
            let number = sequenceNumberBase.advanced(by: offset)
            if protects(number) { body(number) }
        }
    }

    /// The number of packets that level 0 protects.
    public var protectedCount: Int { level0.mask.nonzeroBitCount }
}
