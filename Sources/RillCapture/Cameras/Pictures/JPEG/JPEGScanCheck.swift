/// Damage in the coded data of a JPEG.
public enum JPEGDamage: Hashable, Sendable {
    /// libjpeg gave up, or recovered from damage that many times.
    case decoder(warnings: Int)
    /// A run of bits is not a code.
    case noSuchCode
    /// A block has more than its 64 coefficients.
    case tooManyCoefficients
    /// A coefficient is larger than in any picture.
    case coefficientOutOfRange
    /// The data end before the picture.
    case endsEarly
    /// The picture ends before the data.
    case endsLate
    /// A restart marker is missing, or has the wrong number.
    case restartMissing
}

/// Parses the coded data of a baseline JPEG strictly, and rejects what no encoder writes.
///
/// Decoders are forgiving. Huffman codes resynchronize soon after flipped bits, so most single errors leave data that
/// a decoder reads to the end without a warning. Measured: libjpeg-turbo 2.1 accepts 30 to 60 % of JPEGs with one
/// flipped byte, and up to 12 % of those with eight.
///
/// This type checks what decoders do not: codes that are in no table, blocks with more than 64 coefficients, values
/// that no 8-bit picture has (a DC error adds up from block to block), and an end in the wrong place. Data that pass
/// both are a JPEG that an encoder could have written. Whether a flipped byte turned one such JPEG into another
/// cannot be detected (measured: 16 to 27 % with one flipped byte, none of 3000 with eight).
///
/// A pure function, with one pass over the bytes. Cost: about as much as libjpeg needs for the whole picture; 12
/// million instructions for a 1280x720 picture of 52 kB.
struct JPEGScanCheck {
    /// Parses a picture and returns the damage of its coded data, or `nil`. Progressive pictures are not checked.
    ///
    /// - Parameters:
    ///   - bytes: the whole JPEG.
    ///   - header: its parsed header.
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
    /// The number of blocks in one MCU.
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

    /// The largest magnitude that the transform of 8 by 8 samples from -128 to 127 can have.
    private static let largest = 1024

    /// Parses a block: the difference of its DC value, then runs of zeros, each with the value after it, to the end
    /// of the block.
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
                // End of block. Trailing zeros are never written one by one.
                if run == 0 { return isBehindZeros ? .noSuchCode : nil }
                // Sixteen zeros, the only run without a value.
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

    /// Whether a picture can have that value, give or take one quantization step.
    @inline(__always)
    private func isInRange(_ value: Int, _ index: Int) -> Bool {
        let step = Int(steps[index])
        return abs(value) * step <= Self.largest + step
    }
}

/// Reads the bits of a scan, high bits first. It skips the zero byte stuffed after 0xFF, and ends at a marker.
private struct JPEGBitReader {
    private var at: Int
    /// The next bits, at the top.
    private var held: UInt64 = 0
    private var count = 0
    private var isAtMarker = false
    /// Why the last symbol could not be read.
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

    /// Reads the symbol of the next code. Returns `nil` if there is none; `failure` holds the reason.
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

    /// Reads the next `size` bits as a signed value (T.81, F.2.2.1): values that start with a 0 bit are negative.
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

    /// Skips the restart marker with that number. It must come next, after less than a byte of padding.
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

    /// Whether less than a byte remains before the end marker.
    mutating func isAtEnd(_ bytes: Span<UInt8>) -> Bool {
        fill(bytes)
        while at + 1 < bytes.count, bytes[at] == 0xFF, bytes[at + 1] == 0xFF { at += 1 }
        return isAtMarker && count < 8 && at + 1 < bytes.count && bytes[at] == 0xFF && bytes[at + 1] == 0xD9
    }
}
