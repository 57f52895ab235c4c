/// Makes the payload of a ULPFEC packet from the packets that it is to protect (RFC 5109 §8).
///
/// The FEC packet grows in a buffer of the caller, which is passed with each step and never read before it was written:
///
///     var FEC packet = ULPFECBuilder(base: first)
///     for packet in packets { FEC packet.add(packet, in: &buffer) }
///     FEC packet.write(buffer, into: &payload)
///
/// The packets are our own: what is no RTP packet, or lies more than 47 numbers behind `base`, is the programmer's
/// mistake. A value of a few words; allocates nothing.
public struct ULPFECBuilder: Sendable {
    /// SN base: no packet that is protected has a lower number.
    public let base: SequenceNumber
    private let level0Limit: Int
    private let level1Limit: Int
    private var header: UInt64 = 0
    private var length: UInt16 = 0
    private var level0 = Level()
    private var level1 = Level()

    private struct Level {
        var mask: UInt64 = 0
        /// Bytes of the longest packet.
        var byteCount = 0
    }

    /// Levels of protection.
    public struct Levels: OptionSet, Sendable {
        /// A bit a level.
        public let rawValue: Int

        /// Levels by their bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Level 0: header, length, and the first bytes.
        public static let zero = Levels(rawValue: 1)
        /// Level 1: the bytes behind those of level 0.
        public static let one = Levels(rawValue: 2)
    }

    /// An FEC packet of no packets.
    ///
    /// - Parameters:
    ///   - level0Limit: bytes, from the 13th of a packet on, that level 0 protects at most; all of them if nothing is said.
    ///   - level1Limit: bytes behind those that level 1 protects at most.
    public init(base: SequenceNumber, level0Limit: Int = Int(UInt16.max), level1Limit: Int = Int(UInt16.max)) {
        let allowed = 0...Int(UInt16.max)
        precondition(
            allowed.contains(level0Limit) && allowed.contains(level1Limit), "a level protects at most 65535 bytes")
        self.base = base
        self.level0Limit = level0Limit
        self.level1Limit = level1Limit
    }

    /// Bytes of the payload, as far as packets were added.
    public var byteCount: Int {
        ULPFECPayload.headerByteCount + levelHeaderByteCount + level0ByteCount
            + (level1.mask != 0 ? levelHeaderByteCount + level1.byteCount : 0)
    }

    /// What level 0 protects. Where level 1 follows, it begins behind the limit, however short level 0's packets are.
    private var level0ByteCount: Int { level1.mask != 0 ? level0Limit : level0.byteCount }

    private var hasLongMask: Bool {
        (level0.mask | level1.mask) & ((1 << UInt64(ULPFECPayload.maskBitWidth - ULPFECPayload.shortMaskBitWidth)) - 1)
            != 0
    }

    private var levelHeaderByteCount: Int {
        hasLongMask ? ULPFECPayload.longLevelHeaderByteCount : ULPFECPayload.levelHeaderByteCount
    }

    /// Protects one more packet.
    ///
    /// - Parameter buffer: has room for what is protected of the longest packet; too little is the programmer's mistake.
    @_lifetime(buffer: copy buffer)
    public mutating func add(
        _ packet: Span<UInt8>, levels: Levels = .zero, in buffer: inout MutableSpan<UInt8>
    ) {
        precondition(packet.count >= RTPHeader.fixedByteCount, "\(packet.count) bytes are no RTP packet")
        let offset = SequenceNumber(UInt16(packet[2]) << 8 | UInt16(packet[3])).distance(since: base)
        precondition((0..<ULPFECPayload.maskBitWidth).contains(offset), "packet \(offset) of a mask of 48")
        let bit: UInt64 = 1 << UInt64(ULPFECPayload.maskBitWidth - 1 - offset)
        let body = packet.extracting(RTPHeader.fixedByteCount...)
        let split = min(body.count, level0Limit)
        if levels.contains(.zero) {
            header ^= packet.headerWord
            length ^= UInt16(truncatingIfNeeded: body.count)
            ULPFECBuilder.add(body.extracting(first: split), bit, to: &level0, at: 0, in: &buffer)
        }
        if levels.contains(.one) {
            let end = min(body.count, level0Limit + level1Limit)
            ULPFECBuilder.add(body.extracting(split..<end), bit, to: &level1, at: level0Limit, in: &buffer)
        }
    }

    @_lifetime(buffer: copy buffer)
    private static func add(
        _ bytes: Span<UInt8>, _ bit: UInt64, to level: inout Level, at offset: Int, in buffer: inout MutableSpan<UInt8>
    ) {
        precondition(level.mask & bit == 0, "a packet is added to an FEC packet twice")
        level.mask |= bit
        let common = min(bytes.count, level.byteCount)
        buffer.formFECPacket(at: offset, with: bytes.extracting(first: common))
        // Behind the longest packet so far there is nothing yet that these bytes would meet.
        buffer.copy(bytes.extracting(common...), at: offset + common)
        level.byteCount = max(level.byteCount, bytes.count)
    }

    /// Appends the payload. `output` has room for `byteCount` bytes; too little is the programmer's mistake, and so are
    /// no packets at all.
    @_lifetime(output: copy output)
    public func write(_ buffer: Span<UInt8>, into output: inout OutputSpan<UInt8>) {
        precondition(level0.mask != 0, "an FEC packet of no packets")
        let first = UInt8(truncatingIfNeeded: header >> 56) & 0x3F
        output.append(first | (hasLongMask ? ULPFECPayload.longMaskBit : 0))
        output.append(UInt8(truncatingIfNeeded: header >> 48))
        output.append(bigEndian: base.rawValue)
        output.append(bigEndian: UInt32(truncatingIfNeeded: header))
        output.append(bigEndian: length)
        write(level0, buffer.extracting(first: level0.byteCount), upTo: level0ByteCount, into: &output)
        guard level1.mask != 0 else { return }
        write(
            level1, buffer.extracting(level0Limit..<level0Limit + level1.byteCount), upTo: level1.byteCount,
            into: &output)
    }

    /// Appends a level; behind the longest packet the FEC packet is zero.
    @_lifetime(output: copy output)
    private func write(
        _ level: Level, _ bytes: Span<UInt8>, upTo byteCount: Int, into output: inout OutputSpan<UInt8>
    ) {
        output.append(bigEndian: UInt16(byteCount))
        output.append(bigEndian: UInt16(truncatingIfNeeded: level.mask >> 32))
        if hasLongMask { output.append(bigEndian: UInt32(truncatingIfNeeded: level.mask)) }
        output.append(copying: bytes)
        output.append(repeating: 0, count: byteCount - bytes.count)
    }
}
