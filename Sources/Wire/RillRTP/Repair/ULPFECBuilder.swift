/// Builds the payload of a ULPFEC packet from the packets that it protects (RFC 5109 §8).
///
/// The payload is computed in a buffer of the caller, which is passed to each step. The buffer need not be
/// initialized: no byte is read before it was written.
///
/// ```swift
/// var builder = ULPFECBuilder(base: first)
/// for packet in packets { builder.add(packet, in: &buffer) }
/// builder.write(buffer, into: &payload)
/// ```
///
/// The packets are the sender's own. Traps if one is not an RTP packet or is more than 47 sequence numbers after
/// `base`. A value of a few words; allocates nothing.
public struct ULPFECBuilder: Sendable {
    /// SN base: the lowest sequence number that a protected packet may have.
    public let base: SequenceNumber
    private let level0Limit: Int
    private let level1Limit: Int
    private var header: UInt64 = 0
    private var length: UInt16 = 0
    private var level0 = Level()
    private var level1 = Level()

    private struct Level {
        var mask: UInt64 = 0
        /// The size of the longest packet in bytes.
        var byteCount = 0
    }

    /// Levels of protection.
    public struct Levels: OptionSet, Sendable {
        /// One bit per level.
        public let rawValue: Int

        /// Levels with these bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Level 0: header, length, and the first bytes.
        public static let zero = Levels(rawValue: 1)
        /// Level 1: the bytes after those of level 0.
        public static let one = Levels(rawValue: 2)
    }

    /// A builder without packets.
    ///
    /// - Parameters:
    ///   - base: SN base: the lowest sequence number that a protected packet may have.
    ///   - level0Limit: the maximum number of bytes per packet, from the 13th on, that level 0 protects: 0 to 65535.
    ///     All of them by default.
    ///   - level1Limit: the maximum number of bytes after those that level 1 protects: 0 to 65535. All of them by
    ///     default.
    public init(base: SequenceNumber, level0Limit: Int = Int(UInt16.max), level1Limit: Int = Int(UInt16.max)) {
        let allowed = 0...Int(UInt16.max)
        precondition(
            allowed.contains(level0Limit) && allowed.contains(level1Limit), "a level protects at most 65535 bytes")
        self.base = base
        self.level0Limit = level0Limit
        self.level1Limit = level1Limit
    }

    /// The size of the payload in bytes for the packets added so far.
    public var byteCount: Int {
        ULPFECPayload.headerByteCount + levelHeaderByteCount + level0ByteCount
            + (level1.mask != 0 ? levelHeaderByteCount + level1.byteCount : 0)
    }

    /// The bytes that level 0 protects. If there is a level 1, it starts after the limit, however short level 0's
    /// packets are.
    private var level0ByteCount: Int { level1.mask != 0 ? level0Limit : level0.byteCount }

    private var hasLongMask: Bool {
        (level0.mask | level1.mask) & ((1 << UInt64(ULPFECPayload.maskBitWidth - ULPFECPayload.shortMaskBitWidth)) - 1)
            != 0
    }

    private var levelHeaderByteCount: Int {
        hasLongMask ? ULPFECPayload.longLevelHeaderByteCount : ULPFECPayload.levelHeaderByteCount
    }

    /// Adds a packet to protect.
    ///
    /// - Parameters:
    ///   - packet: a whole RTP packet, 0 to 47 sequence numbers after `base`. Traps otherwise, and if it was added
    ///     before.
    ///   - levels: the levels that protect the packet; level 0 by default.
    ///   - buffer: the buffer of the computation. Traps unless it has room for the protected bytes of the longest
    ///     packet.
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
        buffer.xor(at: offset, with: bytes.extracting(first: common))
        // Bytes after the longest packet so far have nothing to be combined with yet.
        buffer.copy(bytes.extracting(common...), at: offset + common)
        level.byteCount = max(level.byteCount, bytes.count)
    }

    /// Appends the payload. Traps unless `output` has room for `byteCount` bytes and at least one packet was added.
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

    /// Appends a level. Bytes after the longest packet are zero.
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

extension MutableSpan where Element == UInt8 {
    /// XORs `bytes` into the bytes from `offset` on: the parity operation of RFC 5109 §6. Traps if they do not fit.
    ///
    /// Uses raw pointers, so that the compiler vectorizes the loop.
    @_lifetime(self: copy self)
    mutating func xor(at offset: Int, with bytes: Span<UInt8>) {
        precondition(offset >= 0 && bytes.count <= count - offset, "\(bytes.count) bytes at \(offset) of \(count)")
        guard !bytes.isEmpty else { return }
        unsafe withUnsafeMutableBufferPointer { target in
            unsafe bytes.withUnsafeBufferPointer { source in
                // Both accesses are within the bounds checked above, and a mutable span cannot overlap a borrowed
                // one.
                let (place, other) = unsafe (target.baseAddress! + offset, source.baseAddress!)
                for index in 0..<source.count { unsafe place[index] ^= other[index] }
            }
        }
    }

    /// Copies `bytes` to `offset`. Traps if they do not fit.
    @_lifetime(self: copy self)
    mutating func copy(_ bytes: Span<UInt8>, at offset: Int) {
        precondition(offset >= 0 && bytes.count <= count - offset, "\(bytes.count) bytes at \(offset) of \(count)")
        guard !bytes.isEmpty else { return }
        unsafe withUnsafeMutableBytes { target in
            unsafe bytes.withUnsafeBytes { source in
                // Both accesses are within the bounds checked above.
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(from: source)
            }
        }
    }
}
