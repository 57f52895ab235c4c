internal import CFFmpeg
import Glibc
import RillCore

/// How pictures are brought upright: rotated first, then mirrored left to right. These are the eight orientations of
/// an MP4's display matrix and of the display orientation message of H.264 and HEVC.
struct Orientation: Hashable, Sendable {
    var rotation = Rotation.none
    var isMirrored = false
    /// An angle in clockwise degrees that is not a multiple of 90; such pictures stay as they are.
    var oddAngle: Int?

    static let upright = Orientation()

    var isUpright: Bool { rotation == .none && !isMirrored }

    /// The conversion in words; `nil` if there is none.
    var change: String? {
        if let oddAngle { return "the rotation by \(oddAngle) degrees is left out" }
        let turn = rotation == .none ? nil : "rotated by \(rotation.degrees) degrees"
        let words = [turn, isMirrored ? "mirrored" : nil].compactMap(\.self)
        return words.isEmpty ? nil : words.joined(separator: " and ")
    }

    /// Creates the orientation of a display matrix (ISO/IEC 14496-12, 6.2.2): a point (x, y) is shown at
    /// (ax + cy, bx + dy), with y downwards. Of its nine numbers, a, b, c, d are those with the indices 0, 1, 3, 4.
    init(matrix numbers: [Int32]) {
        guard numbers.count == 9 else { return }
        let (a, b) = (Double(numbers[0]), Double(numbers[1]))
        let (c, d) = (Double(numbers[3]), Double(numbers[4]))
        // The columns may be scaled, which shows as the pixel aspect ratio.
        let (x, y) = (hypot(a, c), hypot(b, d))
        guard x > 0, y > 0 else { return }
        isMirrored = a * d - b * c < 0
        let angle = atan2(b / y, (isMirrored ? -a : a) / x) * 180 / .pi
        let clockwise = (Int(angle.rounded()) + 360) % 360
        guard let rotation = Rotation(rawValue: clockwise) else {
            self = .upright
            oddAngle = clockwise
            return
        }
        self.rotation = rotation
    }

    private init() {}
}

extension Orientation {
    /// Creates the orientation that a container stores for a track; `nil` if it stores none.
    @unsafe
    init?(of stream: UnsafeMutablePointer<AVStream>) {
        var byteCount = 0
        guard let matrix = unsafe av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &byteCount) else {
            return nil
        }
        unsafe self.init(matrix, byteCount)
    }

    /// Creates the orientation that the bitstream declares for a picture; `nil` if it declares none.
    @unsafe
    init?(of picture: UnsafeMutablePointer<AVFrame>) {
        guard let data = unsafe av_frame_get_side_data(picture, AV_FRAME_DATA_DISPLAYMATRIX) else { return nil }
        unsafe self.init(data.pointee.data, Int(data.pointee.size))
    }

    @unsafe
    private init?(_ matrix: UnsafeMutablePointer<UInt8>, _ byteCount: Int) {
        // Nine numbers of 32 bits.
        guard byteCount >= 36 else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(start: matrix, count: 36)
        self.init(matrix: (0..<9).map { unsafe bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Int32.self) })
    }
}
