/// 16 bits with the status of consecutive packets: whether they arrived, and the size of their receive deltas.
///
/// draft-holmer-rmcat-transport-wide-cc-extensions-01 §3.1.3 and §3.1.4. The symbols are 0: not received, 1: received
/// with a small delta, 2: received with a large or negative delta.
///
/// ```text
///  0                   1
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |0| S |       Run Length        |     1 to 8191 packets with the same symbol
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |1|0|       symbol list         |     14 symbols of one bit: 0 or 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |1|1|       symbol list         |     7 symbols of two bits
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
struct PacketStatusChunk: Equatable {
    /// The bits on the wire.
    let rawValue: UInt16

    /// The status of one packet.
    typealias Symbol = UInt8
    static let notReceived: Symbol = 0
    static let smallDelta: Symbol = 1
    static let largeDelta: Symbol = 2
    static let reserved: Symbol = 3

    private static let vectorBit: UInt16 = 0x8000
    private static let twoBitSymbolsBit: UInt16 = 0x4000
    static let maximumRunLength = 0x1FFF
    private static let oneBitCapacity = 14
    private static let twoBitCapacity = 7

    init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    private var isVector: Bool { rawValue & PacketStatusChunk.vectorBit != 0 }
    private var hasTwoBitSymbols: Bool { rawValue & PacketStatusChunk.twoBitSymbolsBit != 0 }

    /// The number of packets in the chunk. In the last chunk of a feedback packet, fewer may be used.
    var capacity: Int {
        guard isVector else { return Int(rawValue) & PacketStatusChunk.maximumRunLength }
        return hasTwoBitSymbols ? PacketStatusChunk.twoBitCapacity : PacketStatusChunk.oneBitCapacity
    }

    /// Returns the symbol of the chunk's packet at `index`.
    func symbol(at index: Int) -> Symbol {
        let bits =
            switch (isVector, hasTwoBitSymbols) {
            case (false, _): rawValue >> 13
            case (true, false): rawValue >> UInt16(truncatingIfNeeded: 13 - index) & 1
            case (true, true): rawValue >> UInt16(truncatingIfNeeded: 12 - 2 * index) & 3
            }
        return Symbol(truncatingIfNeeded: bits)
    }

    /// Whether the chunk's first `count` packets, at most its capacity, all have small deltas.
    @inline(__always)
    func isSmall(first count: Int) -> Bool {
        guard isVector else { return rawValue >> 13 == UInt16(PacketStatusChunk.smallDelta) }
        guard !hasTwoBitSymbols else { return false }
        let unused = UInt16(truncatingIfNeeded: PacketStatusChunk.oneBitCapacity - count)
        return (rawValue & 0x3FFF) &>> unused == 0x3FFF &>> unused
    }

    /// Returns the size of the deltas of the chunk's first `count` packets in bytes, and the index of a packet with
    /// the reserved symbol, if any.
    func deltaByteCount(ofFirst count: Int) -> (byteCount: Int, reserved: Int?) {
        guard isVector else {
            let symbol = symbol(at: 0)
            return (count * Int(symbol), symbol == PacketStatusChunk.reserved && count > 0 ? 0 : nil)
        }
        // The bits of the first `count` symbols. A symbol equals the size of its delta in bytes.
        let width = UInt16(truncatingIfNeeded: hasTwoBitSymbols ? 2 * count : count)
        let bits = rawValue & (1 << width &- 1) << (14 - width)
        guard hasTwoBitSymbols else { return (bits.nonzeroBitCount, nil) }
        let (lower, upper) = (bits & 0x1555, bits & 0x2AAA)
        let both = lower & upper >> 1
        guard both == 0 else { return (0, (both.leadingZeroBitCount - 3) / 2) }
        return (lower.nonzeroBitCount + 2 * upper.nonzeroBitCount, nil)
    }

    // MARK: Encoding

    /// Returns the chunk that covers the most packets from `start` on, and their number.
    ///
    /// Prefers a run if it covers as many packets as a list, since it costs the same.
    static func longest(
        from start: Int, of packets: Span<TransportFeedback.PacketStatus>
    ) -> (chunk: PacketStatusChunk, count: Int) {
        let first = packets[start].symbol
        var run = 1
        while start + run < packets.count, run < maximumRunLength, packets[start + run].symbol == first { run += 1 }
        let left = packets.count - start
        if run >= min(left, oneBitCapacity) {
            return (PacketStatusChunk(rawValue: UInt16(first) << 13 | UInt16(run)), run)
        }

        let fitsOneBit = (0..<min(left, oneBitCapacity)).allSatisfy { packets[start + $0].symbol != largeDelta }
        let count = min(left, fitsOneBit ? oneBitCapacity : twoBitCapacity)
        if run >= count { return (PacketStatusChunk(rawValue: UInt16(first) << 13 | UInt16(run)), run) }
        var bits = vectorBit | (fitsOneBit ? 0 : twoBitSymbolsBit)
        for index in 0..<count {
            bits |= UInt16(packets[start + index].symbol) << UInt16(fitsOneBit ? 13 - index : 12 - 2 * index)
        }
        return (PacketStatusChunk(rawValue: bits), count)
    }
}

extension TransportFeedback.PacketStatus {
    /// The symbol of the status in a chunk, which equals the size of its delta in bytes.
    var symbol: PacketStatusChunk.Symbol {
        switch self {
        case .notReceived: PacketStatusChunk.notReceived
        case .received(let delta):
            (0...255).contains(delta) ? PacketStatusChunk.smallDelta : PacketStatusChunk.largeDelta
        }
    }
}
