import RillCore
import RillRTP

/// Restores lost packets from FEC packets (RFC 5109): each as soon as it is the only one that its FEC packet misses, also when
/// another FEC packet has restored the others.
///
/// Keeps the newest packets, and the FEC packets that wait for theirs. An FEC packet of two levels waits for the packets of both.
struct ULPFECDecoder: ~Copyable, Sendable {
    private let payloadType: PayloadType
    private let maximumByteCount: Int
    private var window: MediaWindow
    private var fecPackets: FixedStorage<FECPacket>
    private var fecByteCount: [UInt8]
    /// FEC packets that wait, and the slot of the next.
    private var waitingCount = 0
    private var next = 0
    /// Where a packet is restored.
    private var packet: [UInt8]

    // Not private: the compiler (6.3.1) cannot link a private type as the element of another file's generic storage.
    struct FECPacket: BitwiseCopyable {
        /// The number that its masks count from, without wraparound.
        var base: Int64 = 0
        /// The packets that it protects, and those of them that are missing: bit 47 is `base`. None: the slot is free.
        var protected: UInt64 = 0
        var missing: UInt64 = 0
        var byteCount = 0
        var timestamp = RTPTimestamp(0)
        var ssrc = SSRC(0)
    }

    /// Packets that are kept: at 4 Mbit/s those of half a second, which FEC packets lag far less behind.
    static let packetCapacity = 256
    /// FEC packets that can wait at once; the next takes the place of the oldest.
    static let fecPacketCapacity = 64
    /// A packet was sampled within so long before or after its FEC packet, or it is none.
    static let maximumTimestampDistance = 10 * Int64(RTPTimestamp.videoClockRate)

    /// A decoder for packets of that type and length.
    init(payloadType: PayloadType, maximumPacketByteCount: Int) {
        self.payloadType = payloadType
        maximumByteCount = maximumPacketByteCount
        window = MediaWindow(capacity: Self.packetCapacity, slotByteCount: maximumPacketByteCount)
        fecPackets = FixedStorage(repeating: FECPacket(), count: Self.fecPacketCapacity)
        fecByteCount = [UInt8](repeating: 0, count: Self.fecPacketCapacity * maximumPacketByteCount)
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

    /// Keeps an FEC packet, if it can still be of use, and gives the packets that it helps to restore to `body`.
    ///
    /// - Throws: what ``ULPFECPayload`` throws.
    mutating func insertFECPacket(
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
        next = (next + 1) % fecPackets.count
        fecPackets[index] = FECPacket(
            base: base, protected: protected, missing: missing, byteCount: payload.count, timestamp: header.timestamp,
            ssrc: header.ssrc)
        waitingCount += 1
        let start = index * maximumByteCount
        var memory = fecByteCount.mutableSpan
        memory.copy(from: payload, at: start)
        restore(&counts, body)
    }

    // MARK: The packets that FEC packets wait for

    /// Has a number in the window; `false` when it lies behind. FEC packets of another stretch of the stream are of no use.
    private mutating func reach(_ sequence: Int64, _ counts: inout RepairStatistics) -> Bool {
        switch window.reach(sequence) {
        case .within: return true
        case .behind: return false
        case .restarted:
            for index in 0..<fecPackets.count { discard(index, &counts) }
            return true
        }
    }

    /// Notes that a packet is there, and discards the FEC packets that are of no use any more.
    private mutating func note(_ sequence: Int64, _ counts: inout RepairStatistics) {
        guard waitingCount > 0 else { return }
        for index in 0..<fecPackets.count where fecPackets[index].missing != 0 {
            let offset = sequence - fecPackets[index].base
            if offset >= 0, offset < Int64(ULPFECPayload.maskBitWidth) {
                fecPackets[index].missing &= ~bit(Int(offset))
            }
            let first = fecPackets[index].base + MaskOffsets.first(of: fecPackets[index].protected)
            guard fecPackets[index].missing == 0 || first < window.floor else { continue }
            fecPackets[index].missing = 0
            waitingCount -= 1
            counts.fecPacketsDiscarded += 1
        }
    }

    /// Restores what can be restored, until nothing more can.
    private mutating func restore(_ counts: inout RepairStatistics, _ body: (Span<UInt8>) -> Void) {
        var index = 0
        while waitingCount > 0, index < fecPackets.count {
            guard fecPackets[index].missing.nonzeroBitCount == 1 else {
                index += 1
                continue
            }
            let fecPacket = fecPackets[index]
            let sequence = fecPacket.base + MaskOffsets.first(of: fecPacket.missing)
            let byteCount = compute(index)
            fecPackets[index].missing = 0
            waitingCount -= 1
            guard let byteCount, isSound(byteCount, fecPacket), reach(sequence, &counts) else {
                counts.malformedPackets += 1
                continue
            }
            counts.packetsRecovered += 1
            let restored = packet  // the same memory, let go before it is written again
            window.keep(restored.span.extracting(first: byteCount), as: sequence)
            body(restored.span.extracting(first: byteCount))
            note(sequence, &counts)
            // It may have been the last but one that an earlier FEC packet waits for.
            index = 0
        }
    }

    /// Computes the packet that the FEC packet in that place misses; `nil` when nothing comes of it.
    private mutating func compute(_ index: Int) -> Int? {
        let fecPacket = fecPackets[index]
        let start = index * maximumByteCount
        let bytes = fecByteCount  // the same memory, let go before it is written again
        // Whatever is wrong with it, there is no packet.
        return try? Self.compute(
            fecPacket, bytes.span.extracting(start..<start + fecPacket.byteCount), window, into: &packet)
    }

    /// Computes the packet that `FEC packet` misses to the front of `packet`.
    ///
    /// - Returns: its length.
    private static func compute(
        _ fecPacket: FECPacket, _ payload: Span<UInt8>, _ window: borrowing MediaWindow, into packet: inout [UInt8]
    ) throws(RTPError) -> Int {
        let fec = try ULPFECPayload(parsing: payload)
        let lost = fec.sequenceNumberBase.advanced(by: Int(MaskOffsets.first(of: fecPacket.missing)))
        var recovery = ULPFECRecovery(of: lost, ssrc: fecPacket.ssrc)
        var memory = packet.mutableSpan
        let levels = (fec.level1?.mask ?? 0) & fecPacket.missing != 0 ? 2 : 1
        for level in 0..<levels {
            try recovery.begin(fec, level: level, in: &memory)
            for offset in MaskOffsets(fecPacket.protected & ~fecPacket.missing) {
                try recovery.add(window.packet(fecPacket.base + Int64(offset)), in: &memory)
            }
        }
        return try recovery.finish(in: &memory)
    }

    /// Whether what was restored is a packet of the stream. Its version, number and source were written here; the rest
    /// came out of the FEC packet.
    private func isSound(_ byteCount: Int, _ fecPacket: FECPacket) -> Bool {
        guard let packet = try? RTPPacket(parsing: packet.span.extracting(first: byteCount)) else { return false }
        return packet.header.payloadType == payloadType
            && abs(Int64(packet.header.timestamp.distance(since: fecPacket.timestamp))) <= Self.maximumTimestampDistance
    }

    // MARK: Places of FEC packets

    /// Frees a place; an FEC packet that waits there is of no use any more.
    private mutating func discard(_ index: Int, _ counts: inout RepairStatistics) {
        guard fecPackets[index].missing != 0 else { return }
        fecPackets[index].missing = 0
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
