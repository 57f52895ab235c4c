/// The NAL units of an H.264 or HEVC packet.
enum NALUnits {
    /// Calls `body` with the range of each non-empty unit. Returns `false` if the packet does not consist of whole
    /// units.
    static func forEach(in bytes: Span<UInt8>, lengthSize: Int?, _ body: (Range<Int>) -> Void) -> Bool {
        guard let lengthSize else { return forEachAfterStartCode(in: bytes, body) }
        var position = 0
        while position < bytes.count {
            guard position + lengthSize <= bytes.count else { return false }
            var length = 0
            for index in 0..<lengthSize { length = length << 8 | Int(bytes[position + index]) }
            position += lengthSize
            guard length <= bytes.count - position else { return false }
            if length > 0 { body(position..<position + length) }
            position += length
        }
        return true
    }

    /// ITU-T H.264, annex B: each unit follows the bytes 0, 0, 1.
    private static func forEachAfterStartCode(in bytes: Span<UInt8>, _ body: (Range<Int>) -> Void) -> Bool {
        var start: Int?
        var index = 0
        while index + 2 < bytes.count {
            guard bytes[index + 2] <= 1 else {
                index += 3
                continue
            }
            guard bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 else {
                index += 1
                continue
            }
            if let start, start < index { body(trimmed(start..<index, bytes)) }
            index += 3
            start = index
        }
        guard let start, start < bytes.count else { return false }
        body(trimmed(start..<bytes.count, bytes))
        return true
    }

    /// Returns a unit without its trailing zeros, which are not part of it.
    private static func trimmed(_ unit: Range<Int>, _ bytes: Span<UInt8>) -> Range<Int> {
        var end = unit.upperBound
        while end > unit.lowerBound + 1, bytes[end - 1] == 0 { end -= 1 }
        return unit.lowerBound..<end
    }
}
