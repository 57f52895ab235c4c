/// What is wrong with the coded data of a JPEG.
public enum JPEGDamage: Hashable, Sendable {
    /// libjpeg gave up, or got over damage so many times.
    case decoder(warnings: Int)
    /// A run of bits is no code.
    case noSuchCode
    /// A block has more than its 64 coefficients.
    case tooManyCoefficients
    /// A coefficient is larger than any picture's.
    case coefficientOutOfRange
    /// The data end before the picture does.
    case endsEarly
    /// The picture ends before the data do.
    case endsLate
    /// A restart marker is missing, or not the one that is due.
    case restartMissing
}

/// Reads the coded data of a baseline JPEG as the standard has them, and refuses what no encoder writes.
///
/// Decoders are forgiving. Huffman codes fall into step again soon after flipped bits, so that most single errors leave
/// data that a decoder reads to the end without a word (tried: of JPEGs with one flipped byte libjpeg-turbo 2.1 lets 30 to
/// 60 % pass, of those with eight up to 12 %). This looks at what it does not: codes that no table has, blocks with more than 64 coefficients, values that
/// no picture of 8 bits has (an error in DC adds up from block to block), and an end that is not where it must be. What
/// passes both is a JPEG that an encoder could have written; that a flipped byte made another such one nobody can tell
/// (tried: 16 to 27 % with one flipped byte, none of 3000 with eight).
///
/// Pure, no more than one look at each byte. Cost: about what libjpeg takes for the whole picture, 12 million instructions
/// for one of 1280x720 in 52 kB.
struct JPEGScanCheck {
    /// Reads a picture; what is wrong with its coded data, if something is. What this does not read (progressive pictures)
    /// is not judged.
    static func damage(of bytes: Span<UInt8>, _ header: JPEGHeader) -> JPEGDamage? {
        var bits = JPEGBitReader(start: header.scanStart)
        let (columns, rows) = header.units
        var untilRestart = header.restartInterval
        var nextRestart: UInt8 = 0
        var blocks = header.components.map { Block($0, header) }
        for unit in 0..<columns * rows {
            if header.restartInterval > 0, unit > 0, untilRestart == 0 {
                guard bits.takeRestart(nextRestart, bytes) else { return .restartMissing }
                nextRestart = (nextRestart + 1) & 7
                untilRestart = header.restartInterval
                for index in blocks.indices { blocks[index].lastDC = 0 }
            }
            untilRestart -= 1
            for index in blocks.indices {
                for _ in 0..<blocks[index].count {
                    if let damage = blocks[index].read(&bits, bytes) { return damage }
                }
            }
        }
        return bits.isAtEnd(bytes) ? nil : .endsLate
    }
}

/// The blocks of one component.
private struct Block {
    /// In one unit of the scan.
    let count: Int
    let dc: JPEGHuffmanTable
    let ac: JPEGHuffmanTable
    let steps: [UInt16]
    var lastDC = 0

    init(_ component: JPEGHeader.Component, _ header: JPEGHeader) {
        guard let dc = header.dc[component.dc], let ac = header.ac[component.ac],
            let steps = header.steps[component.quantization]
        else { preconditionFailure("the header has all tables that its scan names") }
        count = header.components.count == 1 ? 1 : component.horizontal * component.vertical
        self.dc = dc
        self.ac = ac
        self.steps = steps
    }

    /// The transform of 8 by 8 samples from -128 to 127 has no value beyond this in either direction.
    private static let largest = 1024

    /// Reads a block: the step of its DC value, then runs of zeros, each with the value behind it, to its end.
    mutating func read(_ bits: inout JPEGBitReader, _ bytes: Span<UInt8>) -> JPEGDamage? {
        guard let size = bits.takeSymbol(dc, bytes) else { return bits.failure }
        guard size <= 11 else { return .coefficientOutOfRange }
        guard let step = bits.takeValue(size, bytes) else { return .endsEarly }
        lastDC += step
        guard isInRange(lastDC, 0) else { return .coefficientOutOfRange }
        var index = 1
        var isBehindZeros = false
        while index < 64 {
            guard let symbol = bits.takeSymbol(ac, bytes) else { return bits.failure }
            let (run, size) = (symbol >> 4, symbol & 15)
            guard size > 0 else {
                // The block ends; zeros at its end are not written one by one.
                if run == 0 { return isBehindZeros ? .noSuchCode : nil }
                // Sixteen zeros; there is no other run without a value.
                guard run == 15 else { return .noSuchCode }
                isBehindZeros = true
                index += 16
                guard index < 64 else { return .tooManyCoefficients }
                continue
            }
            isBehindZeros = false
            index += run
            guard index < 64 else { return .tooManyCoefficients }
            guard size <= 10, let value = bits.takeValue(size, bytes) else {
                return size > 10 ? .coefficientOutOfRange : .endsEarly
            }
            guard isInRange(value, index) else { return .coefficientOutOfRange }
            index += 1
        }
        return nil
    }

    /// Whether a picture can have that value, to a step of quantisation.
    @inline(__always)
    private func isInRange(_ value: Int, _ index: Int) -> Bool {
        let step = Int(steps[index])
        return abs(value) * step <= Self.largest + step
    }
}

/// The bits of a scan, the high ones first; a zero that is stuffed behind 0xFF is none of them, and a marker is their end.
private struct JPEGBitReader {
    private var at: Int
    /// The next bits stand at the top.
    private var held: UInt64 = 0
    private var count = 0
    private var isAtMarker = false
    /// Why the last symbol was none.
    private(set) var failure = JPEGDamage.endsEarly

    init(start: Int) {
        at = start
    }

    @inline(__always)
    private mutating func fill(_ bytes: Span<UInt8>) {
        while count <= 56, !isAtMarker {
            guard at < bytes.count else {
                isAtMarker = true
                return
            }
            let byte = bytes[at]
            if byte == 0xFF {
                guard at + 1 < bytes.count, bytes[at + 1] == 0 else {
                    isAtMarker = true
                    return
                }
                at += 1
            }
            at += 1
            held |= UInt64(byte) << UInt64(56 - count)
            count += 8
        }
    }

    /// The symbol of the next code; `nil` where there is none, for the reason in `failure`.
    @inline(__always)
    mutating func takeSymbol(_ table: JPEGHuffmanTable, _ bytes: Span<UInt8>) -> Int? {
        if count < 16 { fill(bytes) }
        guard let (length, symbol) = table.find(UInt32(truncatingIfNeeded: held >> 48)) else {
            failure = count < 16 ? .endsEarly : .noSuchCode
            return nil
        }
        guard length <= count else {
            failure = .endsEarly
            return nil
        }
        held <<= UInt64(length)
        count -= length
        return symbol
    }

    /// The next `size` bits as the value that they stand for (T.81, F.2.2.1): those that begin with 0 are negative.
    @inline(__always)
    mutating func takeValue(_ size: Int, _ bytes: Span<UInt8>) -> Int? {
        guard size > 0 else { return 0 }
        if count < size { fill(bytes) }
        guard size <= count else { return nil }
        let value = Int(held >> UInt64(64 - size))
        held <<= UInt64(size)
        count -= size
        return value < 1 << (size - 1) ? value - (1 << size) + 1 : value
    }

    /// Goes past the restart marker of that number, which must come next, behind less than a byte.
    mutating func takeRestart(_ number: UInt8, _ bytes: Span<UInt8>) -> Bool {
        fill(bytes)
        while at + 1 < bytes.count, bytes[at] == 0xFF, bytes[at + 1] == 0xFF { at += 1 }
        guard isAtMarker, count < 8, at + 1 < bytes.count, bytes[at] == 0xFF, bytes[at + 1] == 0xD0 + number else {
            return false
        }
        at += 2
        (held, count, isAtMarker) = (0, 0, false)
        return true
    }

    /// Whether less than a byte is left before the end marker.
    mutating func isAtEnd(_ bytes: Span<UInt8>) -> Bool {
        fill(bytes)
        while at + 1 < bytes.count, bytes[at] == 0xFF, bytes[at + 1] == 0xFF { at += 1 }
        return isAtMarker && count < 8 && at + 1 < bytes.count && bytes[at] == 0xFF && bytes[at + 1] == 0xD9
    }
}
