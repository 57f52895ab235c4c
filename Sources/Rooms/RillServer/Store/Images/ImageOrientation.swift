#if Server
import RillRooms

/// How a picture is turned before it is shown (Exif 2.3 §4.6.4, tag 0x0112).
enum ImageOrientation: Int, CaseIterable {
    case upright = 1
    case mirrored, upsideDown, flipped, transposed, clockwise, transversed, counterclockwise

    /// Whether width and height are exchanged.
    var isTransposed: Bool { rawValue >= 5 }

    /// Where the pixel is, in a picture of that size, that is shown at a place.
    func source(_ x: Int, _ y: Int, width: Int, height: Int) -> (x: Int, y: Int) {
        switch self {
        case .upright: (x, y)
        case .mirrored: (width - 1 - x, y)
        case .upsideDown: (width - 1 - x, height - 1 - y)
        case .flipped: (x, height - 1 - y)
        case .transposed: (y, x)
        case .clockwise: (y, height - 1 - x)
        case .transversed: (width - 1 - y, height - 1 - x)
        case .counterclockwise: (width - 1 - y, x)
        }
    }

    /// That of an image; upright where it says nothing, or nothing that can be read. Chromium and Firefox obey that of
    /// JPEG and PNG, and not that of WebP.
    init(of bytes: [UInt8], _ format: ChatImage.Format) {
        let exif: ArraySlice<UInt8>? =
            switch format {
            case .jpeg: Self.exif(inJPEG: bytes)
            case .png: Self.exif(inPNG: bytes)
            case .webp, .gif: nil
            }
        self = exif.flatMap(Self.orientation) ?? .upright
    }

    /// The Exif chunk before the first pixels: its bytes, from the TIFF header on.
    private static func exif(inPNG bytes: [UInt8]) -> ArraySlice<UInt8>? {
        var position = 8
        while position + 12 <= bytes.count {
            let count = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            let type = bytes[position + 4..<position + 8]
            guard count <= bytes.count - position - 12, !type.elementsEqual("IDAT".utf8) else { return nil }
            if type.elementsEqual("eXIf".utf8) { return bytes[position + 8..<position + 8 + count] }
            position += 12 + count
        }
        return nil
    }

    /// The first Exif segment before the first scan: its bytes from the TIFF header on.
    private static func exif(inJPEG bytes: [UInt8]) -> ArraySlice<UInt8>? {
        var position = 2
        while position + 4 <= bytes.count, bytes[position] == 0xFF {
            let marker = bytes[position + 1]
            // Filling.
            if marker == 0xFF {
                position += 1
                continue
            }
            let count = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
            guard marker != 0xDA, count >= 2, position + 2 + count <= bytes.count else { return nil }
            let segment = bytes[position + 4..<position + 2 + count]
            if marker == 0xE1, segment.starts(with: [0x45, 0x78, 0x69, 0x66, 0, 0]) { return segment.dropFirst(6) }
            position += 2 + count
        }
        return nil
    }

    /// The orientation in a TIFF header and its first directory.
    private static func orientation(_ tiff: ArraySlice<UInt8>) -> ImageOrientation? {
        let bytes = Array(tiff)
        guard bytes.count >= 8, bytes[0] == bytes[1], bytes[0] == 0x49 || bytes[0] == 0x4D else { return nil }
        let isLittle = bytes[0] == 0x49
        func number(_ at: Int, _ count: Int) -> Int? {
            guard at >= 0, at + count <= bytes.count else { return nil }
            return (0..<count).reduce(0) { $0 << 8 | Int(bytes[at + (isLittle ? count - 1 - $1 : $1)]) }
        }
        guard number(2, 2) == 42, let start = number(4, 4), let count = number(start, 2) else { return nil }
        for entry in 0..<count {
            let at = start + 2 + 12 * entry
            guard let tag = number(at, 2) else { return nil }
            // A short, once.
            guard tag == 0x0112 else { continue }
            guard number(at + 2, 2) == 3, number(at + 4, 4) == 1 else { return nil }
            return number(at + 8, 2).flatMap(ImageOrientation.init)
        }
        return nil
    }
}
#endif
