import RillCore
import RillRTP

/// Recovers lost packets from FEC packets (RFC 5109): each as soon as it is the only one that its FEC packet misses,
/// also after another FEC packet has recovered the others.
///
/// It keeps the newest packets, and the FEC packets that wait for theirs. An FEC packet of two levels waits for the
/// packets of both.
struct ULPFECDecoder: ~Copyable, Sendable {
    private let payloadTypes: [PayloadType]
    private let maximumByteCount: Int
    private var window: MediaWindow
    private var fecPackets: FixedStorage<FECPacket>
    private var fecByteCount: [UInt8]
    /// The number of waiting FEC packets, and the slot of the next one.
    private var waitingCount = 0
    private var next = 0
    /// The memory in which a packet is recovered.
    private var packet: [UInt8]

    // Not private: the compiler (6.3.1) cannot link a private type as the element of another file's generic storage.
    struct FECPacket: BitwiseCopyable {
        /// The extended sequence number base of its masks.
        var base: Int64 = 0
        /// The packets that it protects, and the missing ones among them: bit 47 is `base`. Zero: the slot is free.
        var protected: UInt64 = 0
        var missing: UInt64 = 0
        var byteCount = 0
        var timestamp = RTPTimestamp(0)
        var ssrc = SSRC(0)
    }

    /// Packets that are kept: half a second at 4 Mbit/s, far more than FEC packets lag.
    static let packetCapacity = 256
    /// FEC packets that can wait at once; the next one replaces the oldest.
    static let fecPacketCapacity = 64
    /// The largest distance between the timestamps of a valid packet and its FEC packet, in ticks: ten seconds.
    private let maximumTimestampDistance: Int64

    /// Creates a decoder for packets of those payload types, clock and maximum length.
    init(payloadTypes: [PayloadType], _ clockRate: ClockRate, maximumPacketByteCount: Int) {
        maximumTimestampDistance = 10 * Int64(clockRate.hertz)
        self.payloadTypes = payloadTypes
        maximumByteCount = maximumPacketByteCount
        window = MediaWindow(capacity: Self.packetCapacity, slotByteCount: maximumPacketByteCount)
        fecPackets = FixedStorage(repeating: FECPacket(), count: Self.fecPacketCapacity)
        fecByteCount = [UInt8](repeating: 0, count: Self.fecPacketCapacity * maximumPacketByteCount)
        packet = [UInt8](repeating: 0, count: maximumPacketByteCount)
    }

    /// Stores a received packet, and passes the packets that it makes recoverable to `body`.
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

    /// Stores an FEC packet if it can still be useful, and passes the packets that it makes recoverable to `body`.
    ///
    /// - Parameters:
    ///   - payload: its RTP payload.
    ///   - header: its RTP header.
    ///   - counts: the counters to update.
    ///   - body: receives the recovered packets; each is only valid during the call.
    /// - Throws: what ``ULPFECPayload`` throws.
    mutating func insertFECPacket(
        _ payload: Span<UInt8>, _ header: RTPHeader, counting counts: inout RepairStatistics,
        _ body: (Span<UInt8>) -> Void
    ) throws(RTPError) {
        let fec = try ULPFECPayload(parsing: payload)
        // It has a sequence number of the stream, so it shows how far that has come.
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

    // MARK: Waiting FEC packets

    /// Moves the window to a sequence number; `false` if it is before the window. After a restart, the FEC packets of
    /// the old part are useless.
    private mutating func reach(_ sequence: Int64, _ counts: inout RepairStatistics) -> Bool {
        switch window.reach(sequence) {
        case .within: return true
        case .behind: return false
        case .restarted:
            for index in 0..<fecPackets.count { discard(index, &counts) }
            return true
        }
    }

    /// Notes that a packet is present, and discards FEC packets that have become useless.
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

    /// Recovers packets until no more can be recovered.
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

    /// Computes the packet that the FEC packet in that slot misses; `nil` if it fails.
    private mutating func compute(_ index: Int) -> Int? {
        let fecPacket = fecPackets[index]
        let start = index * maximumByteCount
        let bytes = fecByteCount  // the same memory, let go before it is written again
        // Whatever is wrong with it, there is no packet.
        return try? Self.compute(
            fecPacket, bytes.span.extracting(start..<start + fecPacket.byteCount), window, into: &packet)
    }

    /// Computes the packet that `fecPacket` misses into the start of `packet`.
    ///
    /// - Parameters:
    ///   - fecPacket: the FEC packet's state.
    ///   - payload: its payload.
    ///   - window: the packets received.
    ///   - packet: receives the packet.
    /// - Returns: its length in bytes.
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

    /// Whether the recovered bytes are a packet of the stream. Version, sequence number and SSRC were written here;
    /// the rest comes from the FEC packet.
    private func isSound(_ byteCount: Int, _ fecPacket: FECPacket) -> Bool {
        guard let packet = try? RTPPacket(parsing: packet.span.extracting(first: byteCount)) else { return false }
        return payloadTypes.contains(packet.header.payloadType)
            && abs(Int64(packet.header.timestamp.distance(since: fecPacket.timestamp))) <= maximumTimestampDistance
    }

    // MARK: FEC packet slots

    /// Frees a slot; an FEC packet that waits there is counted as discarded.
    private mutating func discard(_ index: Int, _ counts: inout RepairStatistics) {
        guard fecPackets[index].missing != 0 else { return }
        fecPackets[index].missing = 0
        waitingCount -= 1
        counts.fecPacketsDiscarded += 1
    }

    /// The mask bit of the packet `offset` after the base.
    private func bit(_ offset: Int) -> UInt64 { 1 << UInt64(ULPFECPayload.maskBitWidth - 1 - offset) }
}

/// The bits of a mask, from the highest down, as offsets of their packets from the base.
private struct MaskOffsets: Sequence, IteratorProtocol {
    private var mask: UInt64

    init(_ mask: UInt64) { self.mask = mask }

    mutating func next() -> Int? {
        guard mask != 0 else { return nil }
        let offset = MaskOffsets.first(of: mask)
        mask &= ~(1 << UInt64(ULPFECPayload.maskBitWidth - 1 - Int(offset)))
        return Int(offset)
    }

    /// The offset of the first packet in a mask, which must not be empty.
    static func first(of mask: UInt64) -> Int64 {
        Int64(mask.leadingZeroBitCount - (UInt64.bitWidth - ULPFECPayload.maskBitWidth))
    }
}
