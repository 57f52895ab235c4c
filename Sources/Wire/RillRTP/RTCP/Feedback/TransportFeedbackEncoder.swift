/// Writes transport-wide feedback from the arrival times of its packets, in one pass over them.
///
/// The output equals that of ``TransportFeedback`` with the same packets, at a fifth of the instructions: a
/// receiver's feedback repeats itself, so each packet is listed several times.
///
/// ```swift
/// if encoder.encode(arrivals, numbers) { encoder.write(sender: ours, media: media, feedbackCount: 7, into: &output) }
/// ```
///
/// Feedback repeats most of the previous one. Then only the new packets are encoded, after the existing ones.
///
/// The memory is fixed. Source: draft-holmer-rmcat-transport-wide-cc-extensions-01 §3.1.
package struct TransportFeedbackEncoder: Sendable {
    /// The packets of a feedback at most.
    @inlinable package static var maximumCount: Int { 1024 }
    /// The packets that were encoded since the encoder restarted, at most.
    private static var capacity: Int { 2 * maximumCount }
    /// The arrival time of a packet that has not arrived.
    @inlinable package static var notReceived: Int64 { .min }
    private static let headerByteCount = 20

    private var chunks = [UInt8](repeating: 0, count: 2 * (TransportFeedbackEncoder.maximumCount / 7 + 1))
    private var deltas = [UInt8](repeating: 0, count: 2 * TransportFeedbackEncoder.capacity)
    private var symbols = [UInt64](repeating: 0, count: SymbolWriter.wordCount(of: TransportFeedbackEncoder.capacity))
    private var chunkByteCount = 0
    /// Where the deltas of the feedback begin and end.
    private var (deltaStart, deltaEnd) = (0, 0)
    /// The number of the packet with the first symbol, of the first packet of the feedback, and of the one behind its
    /// last.
    private var (origin, first, end): (Int64, Int64, Int64) = (0, 0, 0)
    /// The arrival time of the last packet that arrived.
    private var lastTicks: Int64 = 0
    /// The time that the first delta counts from, in steps of 64 ms.
    private var reference: Int64 = 0

    /// An encoder that has encoded nothing.
    package init() {}

    /// The size of the feedback in bytes; 0 before the first.
    package private(set) var byteCount = 0

    /// The number of the last packet in the feedback.
    package var last: Int64 { end - 1 }

    /// Encodes packets, as far as their times are less than 8 s apart.
    ///
    /// - Parameters:
    ///   - arrivals: arrival times in steps of 250 µs or ``notReceived``, by number modulo their count, a power of two.
    ///   - numbers: the packets: at most ``maximumCount``.
    ///   - isContinued: whether the times of packets that were encoded last are still the same.
    /// - Returns: `false` if none of them has arrived.
    package mutating func encode(
        _ arrivals: Span<Int64>, _ numbers: ClosedRange<Int64>, isContinued: Bool = false
    ) -> Bool {
        precondition(
            numbers.upperBound - numbers.lowerBound < Int64(TransportFeedbackEncoder.maximumCount),
            "packets \(numbers): 1024 fit")
        if !isContinued || !drop(before: numbers, arrivals) {
            guard begin(numbers, arrivals) else { return false }
        }
        var position = Position(number: end, deltaEnd: deltaEnd, lastTicks: lastTicks)
        TransportFeedbackEncoder.encode(arrivals, to: numbers.upperBound, from: origin, &position, &symbols, &deltas)
        (end, deltaEnd, lastTicks) = (position.number, position.deltaEnd, position.lastTicks)
        chunkByteCount = TransportFeedbackEncoder.encode(
            symbols, Int(first - origin)..<Int(end - origin), into: &chunks)
        byteCount =
            TransportFeedbackEncoder.headerByteCount + (chunkByteCount + deltaEnd - deltaStart + 3) & ~3
        return true
    }

    /// Restarts with the first packet that arrived. Returns `false` if there is none.
    private mutating func begin(_ numbers: ClosedRange<Int64>, _ arrivals: Span<Int64>) -> Bool {
        let mask = arrivals.count - 1
        var number = numbers.lowerBound
        while arrivals[Int(truncatingIfNeeded: number) & mask] == TransportFeedbackEncoder.notReceived {
            guard number < numbers.upperBound else { return false }
            number += 1
        }
        (origin, first, end) = (numbers.lowerBound, numbers.lowerBound, number)
        (deltaStart, deltaEnd) = (0, 0)
        reference = arrivals[Int(truncatingIfNeeded: number) & mask] >> 8
        lastTicks = reference << 8
        SymbolWriter.clear(to: Int(number - origin), in: &symbols)
        return true
    }

    /// Drops the packets before a feedback's, which were encoded with the feedback before it. Returns `false` if it has
    /// no other that arrived, or if there is no room behind them.
    private mutating func drop(before numbers: ClosedRange<Int64>, _ arrivals: Span<Int64>) -> Bool {
        guard numbers.lowerBound >= first, numbers.lowerBound < end,
            numbers.upperBound - origin < Int64(TransportFeedbackEncoder.capacity)
        else { return false }
        let kept = Int(numbers.lowerBound - origin)..<Int(end - origin)
        guard
            let (received, byteCount) = TransportFeedbackEncoder.firstReceived(
                in: kept, behind: Int(first - origin), of: symbols)
        else { return false }
        // The first delta counts from the reference time, and takes one byte.
        let ticks = arrivals[Int(truncatingIfNeeded: origin + Int64(received)) & (arrivals.count - 1)]
        deltaStart += byteCount - 1
        deltas[deltaStart] = UInt8(truncatingIfNeeded: ticks)
        SymbolWriter.setSmall(received, in: &symbols)
        (first, reference) = (numbers.lowerBound, ticks >> 8)
        return true
    }

    /// Appends the feedback that was encoded last. Traps unless `output` has room for ``byteCount`` bytes.
    @_lifetime(output: copy output)
    package func write(sender: SSRC, media: SSRC, feedbackCount: UInt8, into output: inout OutputSpan<UInt8>) {
        RTCPPacket.writeHeader(
            .transportFeedback, count: Int(TransportFeedback.format), byteCount: byteCount, into: &output)
        output.append(bigEndian: UInt64(sender.rawValue) << 32 | UInt64(media.rawValue))
        let numbers = UInt32(UInt16(truncatingIfNeeded: first)) << 16 | UInt32(UInt16(end - first))
        let times = UInt32(truncatingIfNeeded: reference << 8) | UInt32(feedbackCount)
        output.append(bigEndian: UInt64(numbers) << 32 | UInt64(times))
        output.append(copying: chunks.span.extracting(first: chunkByteCount))
        output.append(copying: deltas.span.extracting(deltaStart..<deltaEnd))
        output.append(
            repeating: 0,
            count: byteCount - TransportFeedbackEncoder.headerByteCount - chunkByteCount - (deltaEnd - deltaStart))
    }

    // MARK: Chunks

    /// The first of some packets that arrived, and the bytes that the deltas from `start` up to its own take.
    private static func firstReceived(
        in packets: Range<Int>, behind start: Int, of symbols: [UInt64]
    ) -> (place: Int, byteCount: Int)? {
        let symbols = Symbols(symbols.span)
        guard let place = symbols.firstReceived(in: packets) else { return nil }
        return (place, symbols.deltaByteCount(in: start..<place + 1))
    }

    /// How far packets are encoded.
    private struct Position {
        var number: Int64
        var deltaEnd: Int
        var lastTicks: Int64
    }

    /// Writes the symbols and deltas of packets as far as they fit, behind those that are there.
    private static func encode(
        _ arrivals: Span<Int64>, to last: Int64, from origin: Int64, _ position: inout Position,
        _ symbols: inout [UInt64], _ deltas: inout [UInt8]
    ) {
        let mask = arrivals.count - 1
        precondition(mask >= 0 && last - origin < Int64(capacity), "packets \(origin) to \(last): \(capacity) fit")
        var words = symbols.mutableSpan
        var bytes = deltas.mutableSpan
        var writer = SymbolWriter(behind: Int(position.number - origin), in: words)
        var (number, used, lastTicks) = (position.number, position.deltaEnd, position.lastTicks)
        while number <= last {
            // A place is below the count.
            let ticks = unsafe arrivals[unchecked: Int(truncatingIfNeeded: number) & mask]
            let delta = ticks &- lastTicks
            // Far from any time, ``notReceived`` is no small delta.
            if UInt64(bitPattern: delta) < 256 {
                writer.setSmall()
                // There is room for two bytes of each packet from the origin on.
                unsafe bytes[unchecked: used] = UInt8(truncatingIfNeeded: delta)
                used &+= 1
                lastTicks = ticks
            } else if ticks != notReceived {
                guard let large = Int16(exactly: delta) else { break }
                writer.setLarge()
                bytes[used] = UInt8(truncatingIfNeeded: large >> 8)
                bytes[used &+ 1] = UInt8(truncatingIfNeeded: large)
                used &+= 2
                lastTicks = ticks
            }
            writer.advance(in: &words)
            number &+= 1
        }
        writer.finish(in: &words)
        position = Position(number: number, deltaEnd: used, lastTicks: lastTicks)
    }

    /// Writes the chunks of packets. Each covers as many of the remaining packets as possible, as
    /// ``PacketStatusChunk/longest(from:of:)`` has it.
    ///
    /// - Returns: the bytes written.
    private static func encode(_ symbols: [UInt64], _ packets: Range<Int>, into chunks: inout [UInt8]) -> Int {
        let symbols = Symbols(symbols.span)
        var bytes = chunks.mutableSpan
        var (index, used) = (packets.lowerBound, 0)
        while index < packets.upperBound {
            let left = packets.upperBound - index
            let (small, large) = symbols.next64(from: index)
            let run = symbols.run(small, large, from: index, limit: left)
            let most = large >> 50 == 0 ? min(left, 14) : min(left, 7)
            let chunk: UInt16
            if run >= most {
                chunk =
                    UInt16(truncatingIfNeeded: small >> 63 | (large >> 63) << 1) << 13 | UInt16(truncatingIfNeeded: run)
                index += run
            } else if large >> 50 == 0 {
                chunk = 0x8000 | UInt16(truncatingIfNeeded: small >> 50)
                index += most
            } else {
                let (lower, upper) = (Symbols.spread(small >> 57), Symbols.spread(large >> 57))
                chunk = 0xC000 | lower | upper << 1
                index += most
            }
            bytes[used] = UInt8(truncatingIfNeeded: chunk >> 8)
            bytes[used &+ 1] = UInt8(truncatingIfNeeded: chunk)
            used += 2
        }
        return used
    }
}

/// The symbols of packets, one bit each for small and for large deltas, the first packet's in the highest bit of the
/// first word.
///
/// The words alternate: small, large. Behind those that are set is one of zeros.
private struct SymbolWriter {
    private var word: Int
    /// The bit of the present packet.
    private var bit: UInt64
    private var (small, large): (UInt64, UInt64) = (0, 0)

    /// The number of words for `packetCount` packets.
    static func wordCount(of packetCount: Int) -> Int { 2 * ((packetCount >> 6) + 2) }

    /// Goes on behind `count` packets.
    init(behind count: Int, in words: borrowing MutableSpan<UInt64>) {
        word = count >> 6
        bit = (1 << 63) &>> UInt64(truncatingIfNeeded: count & 63)
        (small, large) = (words[2 * word], words[2 * word + 1])
    }

    /// Makes the first `count` packets ones that have not arrived, and those behind them in the same word.
    static func clear(to count: Int, in words: inout [UInt64]) {
        for index in 0..<2 * (count >> 6) + 2 { words[index] = 0 }
    }

    /// Gives a packet that arrived a small delta.
    static func setSmall(_ index: Int, in words: inout [UInt64]) {
        let bit: UInt64 = (1 << 63) &>> UInt64(truncatingIfNeeded: index & 63)
        words[2 * (index >> 6)] |= bit
        words[2 * (index >> 6) + 1] &= ~bit
    }

    @inline(__always) mutating func setSmall() { small |= bit }
    @inline(__always) mutating func setLarge() { large |= bit }

    /// Goes on to the next packet.
    @inline(__always) mutating func advance(in words: inout MutableSpan<UInt64>) {
        bit >>= 1
        guard bit == 0 else { return }
        store(in: &words)
        word += 1
        bit = 1 << 63
        (small, large) = (0, 0)
    }

    /// Stores the last word, and one of zeros.
    func finish(in words: inout MutableSpan<UInt64>) {
        store(in: &words)
        (words[2 * word + 2], words[2 * word + 3]) = (0, 0)
    }

    private func store(in words: inout MutableSpan<UInt64>) {
        words[2 * word] = small
        words[2 * word + 1] = large
    }
}

/// Symbols that a ``SymbolWriter`` wrote.
private struct Symbols: ~Escapable {
    private let words: Span<UInt64>

    @_lifetime(copy words)
    init(_ words: Span<UInt64>) {
        self.words = words
    }

    /// The bits of the 64 packets from `index` on; zeros behind the last one.
    @inline(__always)
    func next64(from index: Int) -> (small: UInt64, large: UInt64) {
        let (word, shift) = ((index >> 6) &* 2, UInt64(truncatingIfNeeded: index & 63))
        precondition(word >= 0 && word &+ 3 < words.count, "packet \(index)")
        // All four are there, as was checked above.
        return unsafe (
            words[unchecked: word] &<< shift | (words[unchecked: word &+ 2] >> 1) &>> (63 &- shift),
            words[unchecked: word &+ 1] &<< shift | (words[unchecked: word &+ 3] >> 1) &>> (63 &- shift)
        )
    }

    /// The first of some packets that arrived.
    @inline(__always)
    func firstReceived(in packets: Range<Int>) -> Int? {
        var index = packets.lowerBound
        while index < packets.upperBound {
            let (small, large) = next64(from: index)
            let skipped = (small | large).leadingZeroBitCount
            index += skipped
            if skipped < 64 { return index < packets.upperBound ? index : nil }
        }
        return nil
    }

    /// The bytes that the deltas of packets take.
    @inline(__always)
    func deltaByteCount(in packets: Range<Int>) -> Int {
        var (index, sum) = (packets.lowerBound, 0)
        while index < packets.upperBound {
            let (small, large) = next64(from: index)
            // The first bits, without those of later packets.
            let rest = UInt64(truncatingIfNeeded: max(0, 64 - (packets.upperBound - index)))
            sum += (small &>> rest).nonzeroBitCount
            if large != 0 { sum += 2 * (large &>> rest).nonzeroBitCount }
            index += 64
        }
        return sum
    }

    /// How many packets from `index` on, at most `limit`, have the same symbol; `small` and `large` are their
    /// ``next64(from:)``.
    @inline(__always)
    func run(_ small: UInt64, _ large: UInt64, from index: Int, limit: Int) -> Int {
        let (smallFirst, largeFirst) = (0 &- small >> 63, 0 &- large >> 63)
        var run = ((small ^ smallFirst) | (large ^ largeFirst)).leadingZeroBitCount
        while run & 63 == 0, run > 0, run < limit {
            let (small, large) = next64(from: index &+ run)
            let more = ((small ^ smallFirst) | (large ^ largeFirst)).leadingZeroBitCount
            run += more
            if more == 0 { break }
        }
        return min(run, limit)
    }

    /// Seven bits, each followed by the place of another: `0a0b0c0d0e0f0g`.
    @inline(__always)
    static func spread(_ bits: UInt64) -> UInt16 {
        var bits = UInt16(truncatingIfNeeded: bits)
        bits = (bits | bits << 4) & 0x0F0F
        bits = (bits | bits << 2) & 0x3333
        return (bits | bits << 1) & 0x5555
    }
}
