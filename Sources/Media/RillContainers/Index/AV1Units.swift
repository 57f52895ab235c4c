/// The open bitstream units of an AV1 packet.
enum AV1Units {
    /// Whether there is a sequence header and the first frame after it is a shown key frame (AV1 bitstream
    /// specification 5.5 and 5.9.2).
    static func beginWithKeyFrame(_ bytes: Span<UInt8>) -> Bool {
        var position = 0
        var hasSequenceHeader = false
        while position < bytes.count {
            let header = bytes[position]
            position += header & 0x04 != 0 ? 2 : 1
            guard header & 0x02 != 0, let size = leb128(bytes, &position), size <= bytes.count - position else {
                return false
            }
            switch header >> 3 & 0x0F {
            case 1: hasSequenceHeader = true
            case 3, 6:
                // show_existing_frame, two bits of frame_type (0 is a key frame), show_frame.
                return hasSequenceHeader && size > 0 && bytes[position] >> 4 == 1
            default: break
            }
            position += size
        }
        return false
    }

    private static func leb128(_ bytes: Span<UInt8>, _ position: inout Int) -> Int? {
        var value = 0
        for index in 0..<4 {
            guard position < bytes.count else { return nil }
            let byte = bytes[position]
            position += 1
            value |= Int(byte & 0x7F) << (7 * index)
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}
