/// Writes transport-wide feedback from the arrival times of its packets, in one pass over them.
///
/// What it writes is what ``TransportFeedback`` with the same packets writes, at a third of the cost: a receiver's feedback repeats
/// itself, so each packet is listed several times.
///
/// ```swift
/// if encoder.encode(arrivals, numbers) { encoder.write(sender: ours, media: media, feedbackCount: 7, into: &output) }
/// ```
///
/// The memory is fixed. Source: draft-holmer-rmcat-transport-wide-cc-extensions-01 §3.1.
package struct TransportFeedbackEncoder: Sendable {
    /// The packets of a feedback at most.
    package static let maximumCount = 1024
    /// The arrival time of a packet that has not arrived.
    package static let notReceived = Int64.min
    private static let headerByteCount = 20

    private var chunks = [UInt8](repeating: 0, count: 2 * (TransportFeedbackEncoder.maximumCount / 7 + 1))
    private var deltas = [UInt8](repeating: 0, count: 2 * TransportFeedbackEncoder.maximumCount)
    private var chunkByteCount = 0
    private var deltaByteCount = 0
    /// The first packet's number, the number of packets, and the time that the first delta counts from, in steps of 64 ms.
    private var first: Int64 = 0
    private var count = 0
    private var reference: Int64 = 0

    /// An encoder that has encoded nothing.
    package init() {}

    /// The size of the feedback in bytes.
    package var byteCount: Int {
        TransportFeedbackEncoder.headerByteCount + (chunkByteCount + deltaByteCount + 3) / 4 * 4
    }

    /// Encodes packets, as far as their times are less than 8 s apart.
    ///
    /// - Parameters:
    ///   - arrivals: arrival times in steps of 250 µs or ``notReceived``, by number modulo their count, a power of two.
    ///   - numbers: the packets: at most ``maximumCount``.
    /// - Returns: `false` if none of them has arrived.
    package mutating func encode(_ arrivals: [Int64], _ numbers: ClosedRange<Int64>) -> Bool {
        precondition(numbers.count <= TransportFeedbackEncoder.maximumCount, "\(numbers.count) packets: 1024 fit")
        let arrivals = arrivals.span
        let mask = arrivals.count - 1
        let upper = numbers.upperBound
        var number = numbers.lowerBound
        while arrivals[Int(truncatingIfNeeded: number) & mask] == TransportFeedbackEncoder.notReceived {
            guard number < upper else { return false }
            number += 1
        }
        first = numbers.lowerBound
        reference = arrivals[Int(truncatingIfNeeded: number) & mask] >> 8
        var symbols = Symbols(skipping: Int(number - first))
        let end: Int64
        (end, deltaByteCount) = TransportFeedbackEncoder.encode(
            arrivals, number...upper, from: reference, &symbols, into: &deltas)
        count = Int(end - first)
        symbols.finish()
        chunkByteCount = TransportFeedbackEncoder.encode(symbols, count: count, into: &chunks)
        return true
    }

    /// Appends the feedback that was encoded last. Traps unless `output` has room for ``byteCount`` bytes.
    @_lifetime(output: copy output)
    package func write(sender: SSRC, media: SSRC, feedbackCount: UInt8, into output: inout OutputSpan<UInt8>) {
        let byteCount = byteCount
        RTCPPacket.writeHeader(
            .transportFeedback, count: Int(TransportFeedback.format), byteCount: byteCount, into: &output)
        output.append(bigEndian: sender.rawValue)
        output.append(bigEndian: media.rawValue)
        output.append(bigEndian: UInt16(truncatingIfNeeded: first))
        output.append(bigEndian: UInt16(count))
        output.append(bigEndian: UInt32(truncatingIfNeeded: reference << 8) | UInt32(feedbackCount))
        output.append(copying: chunks.span.extracting(first: chunkByteCount))
        output.append(copying: deltas.span.extracting(first: deltaByteCount))
        output.append(
            repeating: 0,
            count: byteCount - TransportFeedbackEncoder.headerByteCount - chunkByteCount - deltaByteCount)
    }

    // MARK: Chunks

    /// Writes the deltas of packets, the first of which has arrived. Returns the first number that did not fit, and the bytes written.
    private static func encode(
        _ arrivals: Span<Int64>, _ numbers: ClosedRange<Int64>, from reference: Int64, _ symbols: inout Symbols,
        into deltas: inout [UInt8]
    ) -> (end: Int64, byteCount: Int) {
        let mask = arrivals.count - 1
        var bytes = deltas.mutableSpan
        var (number, used, last) = (numbers.lowerBound, 0, reference << 8)
        while number <= numbers.upperBound {
            let ticks = arrivals[Int(truncatingIfNeeded: number) & mask]
            if ticks != notReceived {
                let delta = ticks &- last
                if UInt64(bitPattern: delta) < 256 {
                    symbols.setSmall()
                    bytes[used] = UInt8(truncatingIfNeeded: delta)
                    used &+= 1
                } else {
                    guard let large = Int16(exactly: delta) else { break }
                    symbols.setLarge()
                    bytes[used] = UInt8(truncatingIfNeeded: large >> 8)
                    bytes[used &+ 1] = UInt8(truncatingIfNeeded: large)
                    used &+= 2
                }
                last = ticks
            }
            symbols.advance()
            number &+= 1
        }
        return (number, used)
    }

    /// Writes the chunks of `count` packets. Each covers as many of the remaining packets as possible, as
    /// ``PacketStatusChunk/longest(from:of:)`` has it. Returns the bytes written.
    private static func encode(_ symbols: borrowing Symbols, count: Int, into chunks: inout [UInt8]) -> Int {
        var bytes = chunks.mutableSpan
        var (index, used) = (0, 0)
        while index < count {
            let left = count - index
            let (small, large) = symbols.next64(from: index)
            let run = min(symbols.run(from: index), left)
            let most = large >> 50 == 0 ? min(left, 14) : min(left, 7)
            let chunk: UInt16
            if run >= most {
                chunk = UInt16(truncatingIfNeeded: small >> 63 | (large >> 63) << 1) << 13 | UInt16(truncatingIfNeeded: run)
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

/// The symbols of up to 1024 packets, one bit each for small and for large deltas, the first packet's in the highest bit.
private struct Symbols: ~Copyable {
    private var small = InlineArray<18, UInt64>(repeating: 0)
    private var large = InlineArray<18, UInt64>(repeating: 0)
    private var word = 0
    /// The bit of the present packet.
    private var bit: UInt64
    private var (smallBits, largeBits): (UInt64, UInt64) = (0, 0)

    /// Symbols of which the first `count` packets have not arrived.
    init(skipping count: Int) {
        word = count >> 6
        bit = (1 << 63) >> UInt64(count & 63)
    }

    @inline(__always) mutating func setSmall() { smallBits |= bit }
    @inline(__always) mutating func setLarge() { largeBits |= bit }

    /// Goes on to the next packet.
    @inline(__always) mutating func advance() {
        bit >>= 1
        guard bit == 0 else { return }
        finish()
        word += 1
        bit = 1 << 63
        (smallBits, largeBits) = (0, 0)
    }

    /// Stores what has been set. Needed once at the end.
    mutating func finish() {
        small[word] = smallBits
        large[word] = largeBits
    }

    /// The bits of the 64 packets from `index` on; zeros behind the last one.
    @inline(__always) borrowing func next64(from index: Int) -> (small: UInt64, large: UInt64) {
        let (word, shift) = (index >> 6, UInt64(truncatingIfNeeded: index & 63))
        return (
            small[word] &<< shift | (small[word + 1] >> 1) &>> (63 - shift),
            large[word] &<< shift | (large[word + 1] >> 1) &>> (63 - shift)
        )
    }

    /// How many packets from `index` on have the same symbol, counting those behind the last one.
    @inline(__always) borrowing func run(from index: Int) -> Int {
        let (small, large) = next64(from: index)
        let (smallFirst, largeFirst) = (0 &- small >> 63, 0 &- large >> 63)
        let run = ((small ^ smallFirst) | (large ^ largeFirst)).leadingZeroBitCount
        guard run == 64 else { return run }
        var total = 64
        while (index + total) >> 6 < 17 {
            let (small, large) = next64(from: index + total)
            let more = ((small ^ smallFirst) | (large ^ largeFirst)).leadingZeroBitCount
            total += more
            guard more == 64 else { break }
        }
        return total
    }

    /// Seven bits, each followed by the place of another: `0a0b0c0d0e0f0g`.
    static func spread(_ bits: UInt64) -> UInt16 {
        var bits = UInt16(truncatingIfNeeded: bits)
        bits = (bits | bits << 4) & 0x0F0F
        bits = (bits | bits << 2) & 0x3333
        return (bits | bits << 1) & 0x5555
    }
}
