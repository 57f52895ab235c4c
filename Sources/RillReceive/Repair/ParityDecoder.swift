import RillCore
import RillRTP

/// Restores lost packets from parities (RFC 5109): each as soon as it is the only one that its parity misses, also when
/// another parity has restored the others.
///
/// Keeps the newest packets, and the parities that wait for theirs. A parity of two levels waits for the packets of both.
struct ParityDecoder: ~Copyable, Sendable {
    private let payloadType: PayloadType
    private let maximumByteCount: Int
    private var window: MediaWindow
    private var parities: FixedStorage<Parity>
    private var parityBytes: [UInt8]
    /// Parities that wait, and the slot of the next.
    private var waitingCount = 0
    private var next = 0
    /// Where a packet is restored.
    private var packet: [UInt8]

    // Not private: the compiler (6.3.1) cannot link a private type as the element of another file's generic storage.
    struct Parity: BitwiseCopyable {
        /// The number that its masks count from, without wraparound.
        var base: Int64 = 0
        /// The packets that it protects, and those of them that are missing: bit 47 is `base`. None: the slot is free.
        var protected: UInt64 = 0
        var missing: UInt64 = 0
        var byteCount = 0
        var timestamp = RTPTimestamp(0)
        var ssrc = SSRC(0)
    }

    /// Packets that are kept: at 4 Mbit/s those of half a second, which parities lag far less behind.
    static let packetCapacity = 256
    /// Parities that can wait at once; the next takes the place of the oldest.
    static let parityCapacity = 64
    /// A packet was sampled within so long before or after its parity, or it is none.
    static let maximumTimestampDistance = 10 * Int64(RTPTimestamp.videoClockRate)

    /// A decoder for packets of that type and length.
    init(payloadType: PayloadType, maximumPacketByteCount: Int) {
        self.payloadType = payloadType
        maximumByteCount = maximumPacketByteCount
        window = MediaWindow(capacity: Self.packetCapacity, slotByteCount: maximumPacketByteCount)
        parities = FixedStorage(repeating: Parity(), count: Self.parityCapacity)
        parityBytes = [UInt8](repeating: 0, count: Self.parityCapacity * maximumPacketByteCount)
        packet = [UInt8](repeating: 0, count: maximumPacketByteCount)
    }

    /// Keeps a packet that has come, and gives those that it helps to restore to `body`.
    mutating func insert(
        _ packet: Span<UInt8>, _ header: RTPHeader, counting counts: inout RepairStatistics,
        _ body: (Span<UInt8>) -> Void
    ) {
        guard packet.count <= maximumByteCount else { return }
        let sequence = window.extended(header.sequenceNumber)
        guard reach(sequence, &counts), !window.holds(sequence) else { return }
        window.keep(packet, as: sequence)
        note(sequence, &counts)
        restore(&counts, body)
    }

    /// Keeps a parity, if it can still be of use, and gives the packets that it helps to restore to `body`.
    ///
    /// - Throws: what ``ULPFECPayload`` throws.
    mutating func insertParity(
        _ payload: Span<UInt8>, _ header: RTPHeader, counting counts: inout RepairStatistics,
        _ body: (Span<UInt8>) -> Void
    ) throws(RTPError) {
        let fec = try ULPFECPayload(parsing: payload)
        // It bears a number of the stream, so it shows how far that has come.
        _ = reach(window.extended(header.sequenceNumber), &counts)
        let base = window.extended(fec.sequenceNumberBase)
        let protected = fec.level0.mask | (fec.level1?.mask ?? 0)
        var missing: UInt64 = 0
        for offset in MaskOffsets(protected) where !window.holds(base + Int64(offset)) { missing |= bit(offset) }
        guard missing != 0, base + MaskOffsets.first(of: protected) >= window.floor,
            payload.count <= maximumByteCount
        else {
            counts.fecPacketsDiscarded += 1
            return
        }
        let index = next
        discard(index, &counts)
        next = (next + 1) % parities.count
        parities[index] = Parity(
            base: base, protected: protected, missing: missing, byteCount: payload.count, timestamp: header.timestamp,
            ssrc: header.ssrc)
        waitingCount += 1
        let start = index * maximumByteCount
        var memory = parityBytes.mutableSpan
        memory.copy(from: payload, at: start)
        restore(&counts, body)
    }

    // MARK: The packets that parities wait for

    /// Has a number in the window; `false` when it lies behind. Parities of another stretch of the stream are of no use.
    private mutating func reach(_ sequence: Int64, _ counts: inout RepairStatistics) -> Bool {
        switch window.reach(sequence) {
        case .within: return true
        case .behind: return false
        case .restarted:
            for index in 0..<parities.count { discard(index, &counts) }
            return true
        }
    }

    /// Notes that a packet is there, and discards the parities that are of no use any more.
    private mutating func note(_ sequence: Int64, _ counts: inout RepairStatistics) {
        guard waitingCount > 0 else { return }
        for index in 0..<parities.count where parities[index].missing != 0 {
            let offset = sequence - parities[index].base
            if offset >= 0, offset < Int64(ULPFECPayload.maskBitWidth) { parities[index].missing &= ~bit(Int(offset)) }
            let first = parities[index].base + MaskOffsets.first(of: parities[index].protected)
            guard parities[index].missing == 0 || first < window.floor else { continue }
            parities[index].missing = 0
            waitingCount -= 1
            counts.fecPacketsDiscarded += 1
        }
    }

    /// Restores what can be restored, until nothing more can.
    private mutating func restore(_ counts: inout RepairStatistics, _ body: (Span<UInt8>) -> Void) {
        var index = 0
        while waitingCount > 0, index < parities.count {
            guard parities[index].missing.nonzeroBitCount == 1 else {
                index += 1
                continue
            }
            let parity = parities[index]
            let sequence = parity.base + MaskOffsets.first(of: parity.missing)
            let byteCount = compute(index)
            parities[index].missing = 0
            waitingCount -= 1
            guard let byteCount, isSound(byteCount, parity), reach(sequence, &counts) else {
                counts.malformedPackets += 1
                continue
            }
            counts.packetsRecovered += 1
            let restored = packet  // the same memory, let go before it is written again
            window.keep(restored.span.extracting(first: byteCount), as: sequence)
            body(restored.span.extracting(first: byteCount))
            note(sequence, &counts)
            // It may have been the last but one that an earlier parity waits for.
            index = 0
        }
    }

    /// Computes the packet that the parity in that place misses; `nil` when nothing comes of it.
    private mutating func compute(_ index: Int) -> Int? {
        let parity = parities[index]
        let start = index * maximumByteCount
        let bytes = parityBytes  // the same memory, let go before it is written again
        // Whatever is wrong with it, there is no packet.
        return try? Self.compute(
            parity, bytes.span.extracting(start..<start + parity.byteCount), window, into: &packet)
    }

    /// Computes the packet that `parity` misses to the front of `packet`.
    ///
    /// - Returns: its length.
    private static func compute(
        _ parity: Parity, _ payload: Span<UInt8>, _ window: borrowing MediaWindow, into packet: inout [UInt8]
    ) throws(RTPError) -> Int {
        let fec = try ULPFECPayload(parsing: payload)
        let lost = fec.sequenceNumberBase.advanced(by: Int(MaskOffsets.first(of: parity.missing)))
        var recovery = ULPFECRecovery(of: lost, ssrc: parity.ssrc)
        var memory = packet.mutableSpan
        let levels = (fec.level1?.mask ?? 0) & parity.missing != 0 ? 2 : 1
        for level in 0..<levels {
            try recovery.begin(fec, level: level, in: &memory)
            for offset in MaskOffsets(parity.protected & ~parity.missing) {
                try recovery.add(window.packet(parity.base + Int64(offset)), in: &memory)
            }
        }
        return try recovery.finish(in: &memory)
    }

    /// Whether what was restored is a packet of the stream. Its version, number and source were written here; the rest
    /// came out of the parity.
    private func isSound(_ byteCount: Int, _ parity: Parity) -> Bool {
        guard let packet = try? RTPPacket(parsing: packet.span.extracting(first: byteCount)) else { return false }
        return packet.header.payloadType == payloadType
            && abs(Int64(packet.header.timestamp.distance(since: parity.timestamp))) <= Self.maximumTimestampDistance
    }

    // MARK: Places of parities

    /// Frees a place; a parity that waits there is of no use any more.
    private mutating func discard(_ index: Int, _ counts: inout RepairStatistics) {
        guard parities[index].missing != 0 else { return }
        parities[index].missing = 0
        waitingCount -= 1
        counts.fecPacketsDiscarded += 1
    }

    /// The mask's bit for the packet `offset` behind the base.
    private func bit(_ offset: Int) -> UInt64 { 1 << UInt64(ULPFECPayload.maskBitWidth - 1 - offset) }
}

/// The bits of a mask, from the highest down: how far behind the base their packets lie.
private struct MaskOffsets: Sequence, IteratorProtocol {
    private var mask: UInt64

    init(_ mask: UInt64) { self.mask = mask }

    mutating func next() -> Int? {
        guard mask != 0 else { return nil }
        let offset = MaskOffsets.first(of: mask)
        mask &= ~(1 << UInt64(ULPFECPayload.maskBitWidth - 1 - Int(offset)))
        return Int(offset)
    }

    /// How far behind the base the first packet of a mask lies, which has one.
    static func first(of mask: UInt64) -> Int64 {
        Int64(mask.leadingZeroBitCount - (UInt64.bitWidth - ULPFECPayload.maskBitWidth))
    }
}
