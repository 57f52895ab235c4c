/// The supported formats of cameras.
///
/// All but MJPEG are raw: their bytes are the picture's samples. Names are those of V4L2.
public enum CameraPixelFormat: String, Hashable, Sendable, CaseIterable {
    /// Planar 4:2:0: Y, U, V. The pipeline's own format.
    case i420 = "YU12"
    /// Planar 4:2:0: Y, V, U.
    case yv12 = "YV12"
    /// Packed 4:2:2: Y0 U Y1 V.
    case yuyv = "YUYV"
    /// Packed 4:2:2: U Y0 V Y1.
    case uyvy = "UYVY"
    /// Packed 4:2:2: Y0 V Y1 U.
    case yvyu = "YVYU"
    /// 4:2:0: Y, then interleaved U and V.
    case nv12 = "NV12"
    /// 4:2:0: Y, then interleaved V and U.
    case nv21 = "NV21"
    /// 4:2:2: Y, then interleaved U and V.
    case nv16 = "NV16"
    /// Red, green and blue bytes.
    case rgb24 = "RGB3"
    /// Blue, green and red bytes.
    case bgr24 = "BGR3"
    /// Luma only.
    case grey = "GREY"
    /// JPEG pictures.
    case mjpeg = "MJPG"

    /// How the planes are spread over buffers. The multi-planar API also offers formats with one buffer per plane.
    enum Arrangement: Hashable, Sendable {
        case oneBuffer
        case bufferPerPlane
    }
}

/// The four-character code by which V4L2 identifies a format, with the first character in the lowest byte.
struct FourCC: Hashable, Sendable {
    let code: UInt32

    init(_ code: UInt32) { self.code = code }

    init(_ letters: String) {
        code = letters.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The characters without trailing spaces. Those that are not printable ASCII become `?`.
    var letters: String {
        var text = ""
        for shift in [0, 8, 16, 24] {
            let byte = UInt8(truncatingIfNeeded: code >> UInt32(shift) & 0x7F)
            text.append((0x20..<0x7F).contains(byte) ? Character(UnicodeScalar(byte)) : "?")
        }
        while text.last == " " { text.removeLast() }
        return text
    }
}

extension CameraPixelFormat {
    /// Further codes with which drivers offer these formats; several are synonyms.
    private static let codes: [(String, CameraPixelFormat, Arrangement)] = [
        ("YM12", .i420, .bufferPerPlane), ("YM21", .yv12, .bufferPerPlane),
        ("NM12", .nv12, .bufferPerPlane), ("NM21", .nv21, .bufferPerPlane), ("NM16", .nv16, .bufferPerPlane),
        ("JPEG", .mjpeg, .oneBuffer),
    ]

    /// Returns the meaning of a code, or `nil` if the format is not supported.
    static func known(_ fourCC: FourCC) -> (format: CameraPixelFormat, arrangement: Arrangement)? {
        if let format = CameraPixelFormat(rawValue: fourCC.letters) { return (format, .oneBuffer) }
        for (letters, format, arrangement) in codes where letters == fourCC.letters { return (format, arrangement) }
        return nil
    }
}
