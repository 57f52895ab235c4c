/// Recovers one lost packet from an FEC packet and the other packets that it protects (RFC 5109 §9).
///
/// The packet is computed at the start of a buffer of the caller, which is passed to each step:
///
/// ```swift
/// var recovery = ULPFECRecovery(of: lost, ssrc: media)
/// try recovery.begin(fec, in: &buffer)
/// for packet in others { try recovery.add(packet, in: &buffer) }  // ignores packets that are not protected
/// let byteCount = try recovery.finish(in: &buffer)                // the packet is buffer[..<byteCount]
/// ```
///
/// With an FEC packet of two levels, `begin(fec)` recovers the first bytes of a packet. After the packets of that
/// step were added, `begin(fec, level: 1)` recovers more, from the same FEC packet or another one. RTP packets are
/// only usable whole, so `finish` throws until all bytes are recovered.
///
/// Accepts arbitrary bytes. A value of a few words; allocates nothing.
public struct ULPFECRecovery: Sendable {
    /// The sequence number of the lost packet.
    public let lost: SequenceNumber
    private let ssrc: SSRC
    /// The parity of the headers' first eight bytes, and of the lengths.
    private var header: UInt64 = 0
    private var length: UInt16 = 0
    /// The bytes after the fixed header that earlier levels have recovered.
    private var restored = 0
    private var step: Step?

    /// The current level.
    private struct Step {
        var base: SequenceNumber
        /// The packets yet to be added.
        var missing: UInt64
        /// The range of its bytes after the fixed header.
        var range: Range<Int>
        var level: Int
    }

    /// A recovery of the packet with that sequence number and SSRC.
    public init(of lost: SequenceNumber, ssrc: SSRC) {
        self.lost = lost
        self.ssrc = ssrc
    }

    /// The number of packets yet to be added to complete the current level.
    public var missingCount: Int { step?.missing.nonzeroBitCount ?? 0 }

    /// Starts with level 0 of an FEC packet, or continues with level 1.
    ///
    /// - Parameters:
    ///   - fec: the payload of the FEC packet.
    ///   - level: 0 (the default) or 1.
    ///   - buffer: the buffer of the recovery.
    /// - Throws: `notProtected` if the level is missing, does not protect the packet, or does not continue the
    ///   recovered bytes; `recoveryIncomplete` if packets of the previous level are missing; `bufferTooSmall`.
    @_lifetime(buffer: copy buffer)
    public mutating func begin(
        _ fec: ULPFECPayload, level: Int = 0, in buffer: inout MutableSpan<UInt8>
    ) throws(RTPError) {
        let bit = fec.bit(of: lost)
        let mask = level == 0 ? fec.level0.mask : level == 1 ? fec.level1?.mask ?? 0 : 0
        guard mask & bit != 0 else { throw .notProtected(lost) }
        if level == 0 {
            let payload = fec.level0.payload
            try require(RTPHeader.fixedByteCount + payload.count, in: buffer)
            header = fec.headerRecovery
            length = fec.lengthRecovery
            restored = 0
            buffer.copy(payload, at: RTPHeader.fixedByteCount)
            step = Step(base: fec.sequenceNumberBase, missing: mask & ~bit, range: 0..<payload.count, level: 0)
        } else {
            try endStep()
            guard let payload = fec.level1?.payload, fec.level0.payload.count == restored else {
                throw .notProtected(lost)
            }
            try require(RTPHeader.fixedByteCount + restored + payload.count, in: buffer)
            buffer.copy(payload, at: RTPHeader.fixedByteCount + restored)
            step = Step(
                base: fec.sequenceNumberBase, missing: mask & ~bit, range: restored..<restored + payload.count, level: 1
            )
        }
    }

    /// Adds a received packet. A packet that the current level does not protect, or that was added before, has no
    /// effect.
    ///
    /// - Throws: `truncated` if the packet does not have a whole header.
    @_lifetime(buffer: copy buffer)
    public mutating func add(_ packet: Span<UInt8>, in buffer: inout MutableSpan<UInt8>) throws(RTPError) {
        guard packet.count >= RTPHeader.fixedByteCount else {
            throw .truncated(needed: RTPHeader.fixedByteCount, available: packet.count)
        }
        guard var step else { return }
        let number = SequenceNumber(UInt16(packet[2]) << 8 | UInt16(packet[3]))
        let offset = number.distance(since: step.base)
        guard (0..<ULPFECPayload.maskBitWidth).contains(offset) else { return }
        let bit: UInt64 = 1 << UInt64(ULPFECPayload.maskBitWidth - 1 - offset)
        guard step.missing & bit != 0 else { return }
        step.missing &= ~bit
        self.step = step
        let body = packet.extracting(RTPHeader.fixedByteCount...)
        if step.level == 0 {
            header ^= packet.headerWord
            length ^= UInt16(truncatingIfNeeded: body.count)
        }
        let range = min(step.range.lowerBound, body.count)..<min(step.range.upperBound, body.count)
        buffer.xor(
            at: RTPHeader.fixedByteCount + step.range.lowerBound, with: body.extracting(range))
    }

    /// Completes the recovery. The result is the packet as its sender wrote it; only parsing shows whether it is
    /// valid.
    ///
    /// - Parameter buffer: the buffer of the recovery. The packet is at its start.
    /// - Returns: the size of the packet in bytes.
    /// - Throws: `recoveryIncomplete` if packets are missing, `notRestored` if the packet is longer than its
    ///   protected part.
    @_lifetime(buffer: copy buffer)
    public mutating func finish(in buffer: inout MutableSpan<UInt8>) throws(RTPError) -> Int {
        try endStep()
        guard Int(length) <= restored else { throw .notRestored(byteCount: Int(length), restored: restored) }
        buffer[0] = RTPHeader.version << 6 | UInt8(truncatingIfNeeded: header >> 56) & 0x3F
        buffer[1] = UInt8(truncatingIfNeeded: header >> 48)
        buffer[2] = UInt8(truncatingIfNeeded: lost.rawValue >> 8)
        buffer[3] = UInt8(truncatingIfNeeded: lost.rawValue)
        for index in 0..<4 {
            buffer[4 + index] = UInt8(truncatingIfNeeded: header >> UInt64(24 - 8 * index))
            buffer[8 + index] = UInt8(truncatingIfNeeded: ssrc.rawValue >> UInt32(24 - 8 * index))
        }
        return RTPHeader.fixedByteCount + Int(length)
    }

    private mutating func endStep() throws(RTPError) {
        guard let step else { throw .recoveryIncomplete(missing: 1) }
        guard step.missing == 0 else { throw .recoveryIncomplete(missing: step.missing.nonzeroBitCount) }
        restored = step.range.upperBound
    }

    private func require(_ byteCount: Int, in buffer: borrowing MutableSpan<UInt8>) throws(RTPError) {
        guard byteCount <= buffer.count else { throw .bufferTooSmall(needed: byteCount, available: buffer.count) }
    }
}

extension Span where Element == UInt8 {
    /// The first eight bytes of an RTP header. Traps if there are fewer.
    var headerWord: UInt64 { UInt64(bigEndianUInt32(at: 0)) << 32 | UInt64(bigEndianUInt32(at: 4)) }
}
