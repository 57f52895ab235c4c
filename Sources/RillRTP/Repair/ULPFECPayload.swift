// RFC 5109 §7.3, the FEC header; the rest of the payload are its levels:
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |E|L|P|X|  CC   |M| PT recovery |            SN base            |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                          TS recovery                          |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |        length recovery        |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// §7.4, the header of each level, which the protected bytes of that level follow:
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |       Protection Length       |             mask              |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |              mask cont. (present only when L = 1)             |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//
// Bit i of a mask, the highest being bit 0, stands for the packet of number SN base + i. Level 0 protects the bytes of
// those packets from the 13th on (behind the fixed header), level 1 the bytes behind those of level 0.

/// A view of the payload of a ULPFEC packet (RFC 5109): FEC packets of RTP packets, of which one that is lost can be computed
/// from the others.
///
/// Levels 0 and 1 are read, and what lies behind them is passed over. ``ULPFECRecovery`` computes, ``ULPFECBuilder`` makes
/// such payloads.
///
/// The view lives no longer than the bytes. It may be made of any bytes: what is no such payload throws. Allocates nothing.
public struct ULPFECPayload: ~Escapable {
    /// SN base: the number that the masks count from.
    public let sequenceNumberBase: SequenceNumber
    /// L: masks have 48 bits instead of 16.
    public let hasLongMask: Bool
    /// Level 0, which protects the beginnings of packets.
    public let level0: Level
    /// Level 1, where there is one.
    public let level1: Level?

    /// The first eight bytes of the header, with bits and number that are not recovered: parity of the RTP headers'.
    let headerRecovery: UInt64
    /// Parity of the packets' lengths, without the fixed header.
    let lengthRecovery: UInt16

    /// One level of protection.
    public struct Level: ~Escapable {
        /// Which packets it protects: bit 47 stands for SN base, bit 0 for the 47th after it.
        public let mask: UInt64
        /// Parity of the bytes that it protects.
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
    /// Packets that a mask tells of.
    public static let maskBitWidth = 48
    static let shortMaskBitWidth = 16

    /// The most bytes that a ULPFEC packet of one level, its RTP header included, has more than the longest packet that
    /// it protects: its own headers.
    public static let maximumOverhead = headerByteCount + longLevelHeaderByteCount

    /// Takes a payload apart.
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

    /// Whether level 0 protects the packet of that number.
    public func protects(_ number: SequenceNumber) -> Bool { level0.mask & bit(of: number) != 0 }

    /// The mask's bit for a packet; none for a packet that the mask does not reach.
    func bit(of number: SequenceNumber) -> UInt64 {
        let offset = number.distance(since: sequenceNumberBase)
        guard (0..<ULPFECPayload.maskBitWidth).contains(offset) else { return 0 }
        return 1 << UInt64(ULPFECPayload.maskBitWidth - 1 - offset)
    }

    /// Calls `body` with the numbers of the packets that level 0 protects, in order.
    public func forEachProtected(_ body: (SequenceNumber) -> Void) {
        for offset in 0..<ULPFECPayload.maskBitWidth {
            let number = sequenceNumberBase.advanced(by: offset)
            if protects(number) { body(number) }
        }
    }

    /// How many packets level 0 protects.
    public var protectedCount: Int { level0.mask.nonzeroBitCount }
}
