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
    /// A restart marker is missing.
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
/// cannot be detected (measured: 16 to 28 % with one flipped byte, none of 3600 with eight).
///
/// Cameras are not encoders of files, and what is around the blocks is not damage: if all blocks are there, the picture
/// is whole. Logitech's C270, C310, C910 and others write 1 to 9 surplus bytes before some restart markers and before
/// the end marker; other cameras omit the end marker, pad the data, number restart markers in another way, write one
/// after the last interval, announce restart markers that they do not write, or write zeros before an end of block.
///
/// A pure function, with one pass over the bytes. Cost: about as much as libjpeg needs for the whole picture; 12
/// million instructions for a 1280x720 picture of 52 kB.
enum JPEGScanCheck {
    /// The result of a check.
    enum Outcome: Equatable {
        /// All blocks are there.
        case whole(Restarts)
        case damaged(JPEGDamage)
    }

    /// Whether restart markers are in a scan.
    enum Restarts {
        /// They are where the header announces them. A scan without an interval has none.
        case asAnnounced
        /// The header announces them, but the blocks follow each other without any.
        case omitted
    }

    /// The most surplus bytes at one place, a cache line of a camera's memory; the most that was reported of one is 9.
    /// Damage also leaves bytes over, where codes that are in step again are short of some blocks. (Measured: with one
    /// flipped byte 28 % pass instead of 26 %, with 64 as with 16; with eight none of 3600.)
    static let maximumSurplus = 64

    /// Parses the coded data of a picture.
    ///
    /// - Parameters:
    ///   - bytes: the whole JPEG.
    ///   - header: its parsed header.
    static func check(_ bytes: Span<UInt8>, _ header: JPEGHeader) -> Outcome {
        var bits = JPEGBitReader(start: header.scanStart)
        let (columns, rows) = header.units
        var restarts = Restarts.asAnnounced
        // Without an interval, the next restart is never reached.
        var untilRestart = header.restartInterval > 0 ? header.restartInterval : .max
        var blocks = header.components.map { Block($0, header) }
        for unit in 0..<columns * rows {
            if untilRestart == 0 {
                // The first one shows whether there are any.
                if unit == header.restartInterval, !bits.isRestartAhead(bytes) {
                    restarts = .omitted
                    untilRestart = .max
                } else {
                    guard bits.takeRestart(bytes) else { return .damaged(.restartMissing) }
                    untilRestart = header.restartInterval
                    for index in blocks.indices { blocks[index].lastDC = 0 }
                }
            }
            untilRestart -= 1
            for index in blocks.indices {
                for _ in 0..<blocks[index].count {
                    if let damage = blocks[index].read(&bits, bytes) { return .damaged(damage) }
                }
            }
        }
        return bits.isAtEnd(bytes) ? .whole(restarts) : .damaged(.endsLate)
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
        while index < 64 {
            guard let symbol = bits.takeSymbol(ac, bytes) else { return bits.failure }
            let (run, size) = (symbol >> 4, symbol & 15)
            guard size > 0 else {
                // End of block. Some encoders write sixteen zeros, and again, before they see that only zeros follow.
                if run == 0 { return nil }
                // Sixteen zeros, the only run without a value.
                guard run == 15 else { return .noSuchCode }
                index += 16
                guard index < 64 else { return .tooManyCoefficients }
                continue
            }
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
                // Any number of fill bytes may precede what follows.
                var next = at + 1
                while next < bytes.count, bytes[next] == 0xFF { next += 1 }
                guard next < bytes.count, bytes[next] == 0 else {
                    isAtMarker = true
                    return
                }
                at = next
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

    // MARK: Markers

    /// Whether the next marker is a restart marker.
    func isRestartAhead(_ bytes: Span<UInt8>) -> Bool {
        JPEGMarkerSearch(from: at, in: bytes).isRestart
    }

    /// Skips the next marker if it is a restart marker: whatever its number, because a lost interval leaves too few of
    /// them. Few surplus bytes may precede it.
    mutating func takeRestart(_ bytes: Span<UInt8>) -> Bool {
        guard let marker = nextMarker(bytes), marker.isRestart else { return false }
        (at, held, count, isAtMarker) = (marker.end, 0, 0, false)
        return true
    }

    /// Whether only few surplus bytes remain before the end: of the scan, where another marker follows, or of the data.
    mutating func isAtEnd(_ bytes: Span<UInt8>) -> Bool {
        repeat {
            guard let marker = nextMarker(bytes) else { return false }
            guard marker.isRestart else { return true }
            (at, held, count, isAtMarker) = (marker.end, 0, 0, false)
        } while true
    }

    /// Returns the next marker, or the end of the data; `nil` if that is too far.
    private func nextMarker(_ bytes: Span<UInt8>) -> JPEGMarkerSearch? {
        let marker = JPEGMarkerSearch(from: at, in: bytes)
        // Less than a byte of padding is not surplus.
        let surplus = count / 8 + marker.skipped
        if surplus <= JPEGScanCheck.maximumSurplus { return marker }
        // Zeros are padding, unless the picture was cut off there, and what would be its last blocks is zeros too.
        guard marker.areZeros, held << UInt64(count % 8) == 0 else { return nil }
        let start = at - count / 8
        let before = bytes.extracting(max(0, start - 4)..<start)
        for index in before.indices where before[index] != 0 { return marker }
        return nil
    }
}

/// Searches coded data for a marker: 0xFF, any number of times, and a byte that is neither stuffed nor reserved.
private struct JPEGMarkerSearch {
    /// Behind the marker, or the end of the data.
    private(set) var end: Int
    /// Its second byte; `nil` at the end of the data.
    private var code: UInt8?
    /// The number of bytes before it, without 0xFF before another one.
    private(set) var skipped = 0
    /// Whether these are zeros.
    private(set) var areZeros = true

    var isRestart: Bool { code.map { (0xD0...0xD7).contains($0) } ?? false }

    init(from start: Int, in bytes: Span<UInt8>) {
        end = start
        while end < bytes.count {
            let byte = bytes[end]
            end += 1
            guard byte == 0xFF else {
                skipped += 1
                if byte != 0 { areZeros = false }
                continue
            }
            // A single 0xFF at the end is half of an end marker.
            guard end < bytes.count, bytes[end] != 0xFF else { continue }
            guard bytes[end] < 0xC0 else {
                code = bytes[end]
                end += 1
                return
            }
            skipped += bytes[end] == 0 ? 1 : 2
            areZeros = false
            end += 1
        }
    }
}
