internal import CFFmpeg
import RillCore

/// Converts decoded pictures of any format to I420.
///
/// Pictures that are already I420 are copied. All others pass through libswscale, whose results are the same on every
/// machine with these flags, and become limited range. Alpha is dropped. Copied pictures keep their range; the
/// consumer converts it, as for all sources.
///
/// Single owner.
@safe
final class PictureConverter {
    private var context: OpaquePointer?
    private var setup: Setup?

    /// The parameters of the context.
    private struct Setup: Equatable {
        var reading: Reading
        var size: Resolution
    }

    /// Not the fastest flags, but exact and the same everywhere.
    private static let flags = SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP | SWS_BITEXACT

    deinit {
        unsafe sws_freeContext(context)
    }

    /// How a picture's samples are interpreted.
    struct Reading: Equatable {
        var format: AVPixelFormat
        var isFullRange: Bool
        /// The matrix after conversion.
        var matrix: ColorSpace.Matrix
        /// The declared matrix.
        var givenMatrix: AVColorSpace
        /// A matrix that is converted to BT.709, because ``/RillCore/ColorSpace`` does not have it; `nil` for others.
        var converted: ConvertedMatrix?
        var isRGB: Bool

        @unsafe
        init(_ picture: UnsafeMutablePointer<AVFrame>) {
            let given = unsafe AVPixelFormat(picture.pointee.format)
            // Formats that include the range are old names of those that do not.
            let plain: [(AVPixelFormat, AVPixelFormat)] = [
                (AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUV420P), (AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUV422P),
                (AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUV444P), (AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUV440P),
                (AV_PIX_FMT_YUVJ411P, AV_PIX_FMT_YUV411P),
            ]
            let known = plain.first { $0.0 == given }
            format = known?.1 ?? given
            isFullRange = unsafe known != nil || picture.pointee.color_range == AVCOL_RANGE_JPEG
            isRGB = Self.isRGB(format)
            let space = unsafe picture.pointee.colorspace
            givenMatrix = space
            converted = isRGB ? nil : ConvertedMatrix(space)
            // HD pictures that do not declare their matrix are treated as BT.709, as players do.
            let isHD = unsafe picture.pointee.height >= 720
            let isBT709 = space == AVCOL_SPC_BT709 || (space == AVCOL_SPC_UNSPECIFIED && isHD && !isRGB)
            matrix = isBT709 || converted != nil ? .bt709 : .bt601
        }

        /// Whether the matrix is one that is kept or converted. RGB needs none, and grey has no chroma.
        var hasKnownMatrix: Bool {
            let kept = [AVCOL_SPC_UNSPECIFIED, AVCOL_SPC_BT709, AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M, AVCOL_SPC_RGB]
            return isRGB || converted != nil || kept.contains(givenMatrix) || givenMatrix == AVCOL_SPC_RESERVED
        }

        private static func isRGB(_ format: AVPixelFormat) -> Bool {
            guard let known = unsafe av_pix_fmt_desc_get(format) else { return false }
            return unsafe known.pointee.flags & UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) != 0
        }

        /// The color space after conversion.
        var colorSpace: ColorSpace {
            ColorSpace(matrix: matrix, range: isFullRange && isAsWanted ? .full : .limited)
        }

        var isAsWanted: Bool { format == AV_PIX_FMT_YUV420P && converted == nil }
    }

    /// Fills `target`, which must have the picture's size.
    ///
    /// - Parameters:
    ///   - picture: the decoded picture.
    ///   - reading: how its samples are interpreted.
    ///   - target: the frame to fill.
    /// - Returns: `false` if the format cannot be converted.
    @unsafe
    func convert(
        _ picture: UnsafeMutablePointer<AVFrame>, _ reading: Reading, to target: inout MutableFrame
    ) -> Bool {
        let size = target.resolution
        let layout = target.layout
        // Both hold all rows of pictures of that size. The fourth plane is alpha, which the target does not have.
        var rows: [UnsafeMutablePointer<UInt8>?] = unsafe [
            target.mutablePointer(plane: 0), target.mutablePointer(plane: 1), target.mutablePointer(plane: 2), nil,
        ]
        var strides = [
            Int32(layout[plane: 0].stride), Int32(layout[plane: 1].stride), Int32(layout[plane: 2].stride), 0,
        ]
        var source: [UnsafePointer<UInt8>?] = unsafe [
            UnsafePointer(picture.pointee.data.0), UnsafePointer(picture.pointee.data.1),
            UnsafePointer(picture.pointee.data.2), UnsafePointer(picture.pointee.data.3),
        ]
        let lines = unsafe picture.pointee.linesize
        var sourceStrides = [lines.0, lines.1, lines.2, lines.3]
        if reading.isAsWanted {
            unsafe av_image_copy(
                &rows, &strides, &source, &sourceStrides, AV_PIX_FMT_YUV420P, Int32(size.width), Int32(size.height))
            return true
        }
        guard prepare(reading, size) else { return false }
        return unsafe sws_scale(context, source, sourceStrides, 0, Int32(size.height), rows, strides) == size.height
    }

    private func prepare(_ reading: Reading, _ size: Resolution) -> Bool {
        let wanted = Setup(reading: reading, size: size)
        guard setup != wanted else { return unsafe context != nil }
        setup = wanted
        unsafe sws_freeContext(context)
        unsafe context = PictureConverter.makeContext(wanted)
        return unsafe context != nil
    }

    private static func makeContext(_ setup: Setup) -> OpaquePointer? {
        guard let context = unsafe sws_alloc_context() else { return nil }
        let (width, height) = (Int64(setup.size.width), Int64(setup.size.height))
        let range: Int32 = setup.reading.isFullRange ? 1 : 0
        // The ranges must be known at setup: otherwise a context for equal formats only copies.
        let options = [
            ("srcw", width), ("srch", height), ("src_format", Int64(setup.reading.format.rawValue)),
            ("src_range", Int64(range)), ("dstw", width), ("dsth", height),
            ("dst_format", Int64(AV_PIX_FMT_YUV420P.rawValue)), ("dst_range", 0), ("sws_flags", Int64(flags)),
        ]
        for (name, value) in options {
            unsafe av_opt_set_int(UnsafeMutableRawPointer(context), name, value, 0)
        }
        // The matrix is kept; RGB becomes BT.601. A context without matrices rejects the call: it needs none.
        let matrix = unsafe sws_getCoefficients(setup.reading.matrix == .bt709 ? SWS_CS_ITU709 : SWS_CS_ITU601)
        if setup.reading.converted == nil {
            _ = unsafe sws_setColorspaceDetails(context, matrix, range, matrix, 0, 0, 1 << 16, 1 << 16)
        }
        guard unsafe sws_init_context(context, nil, nil) >= 0 else {
            unsafe sws_freeContext(context)
            return nil
        }
        // Converting between two matrices takes two steps through RGB, which are only set up during initialization.
        if let given = setup.reading.converted {
            let before = unsafe sws_getCoefficients(given.coefficients)
            _ = unsafe sws_setColorspaceDetails(context, before, range, matrix, 0, 0, 1 << 16, 1 << 16)
        }
        return unsafe context
    }
}

/// Returns the name of a format.
func name(of format: AVPixelFormat) -> String {
    guard let name = unsafe av_get_pix_fmt_name(format) else { return "\(format.rawValue)" }
    return unsafe String(cString: name)
}

extension PictureConverter {
    static let alphaChange = "alpha dropped"

    /// Returns the conversions of pictures like this one, in words; empty if they are only copied.
    @unsafe
    static func changes(to picture: UnsafeMutablePointer<AVFrame>, _ reading: Reading) -> [String] {
        guard let known = unsafe av_pix_fmt_desc_get(reading.format) else { return [] }
        let (depth, flags) = unsafe (known.pointee.comp.0.depth, Int32(truncatingIfNeeded: known.pointee.flags))
        let steps = unsafe (known.pointee.log2_chroma_w, known.pointee.log2_chroma_h)
        let isGrey = unsafe known.pointee.nb_components < 3
        var changes: [String] = []
        if depth > 8 { changes.append("\(depth) bits to 8") }
        if reading.isRGB {
            changes.append("RGB to BT.601")
        } else if let sampling = isGrey ? "grey" : sampling(of: steps), sampling != "4:2:0" {
            changes.append("\(sampling) to 4:2:0")
        }
        if let given = reading.converted { changes.append("\(given.name) to BT.709 (the matrix)") }
        if reading.isFullRange, !reading.isAsWanted, !reading.isRGB { changes.append("full to limited range") }
        if flags & AV_PIX_FMT_FLAG_ALPHA != 0 { changes.append(alphaChange) }
        return changes
    }
}

/// A matrix that is converted to BT.709.
enum ConvertedMatrix: Hashable {
    case bt2020, smpte240, fcc

    init?(_ space: AVColorSpace) {
        switch space {
        case AVCOL_SPC_BT2020_NCL: self = .bt2020
        case AVCOL_SPC_SMPTE240M: self = .smpte240
        case AVCOL_SPC_FCC: self = .fcc
        default: return nil
        }
    }

    var name: String {
        switch self {
        case .bt2020: "BT.2020"
        case .smpte240: "SMPTE 240M"
        case .fcc: "FCC"
        }
    }

    /// libswscale's number of the matrix.
    var coefficients: Int32 {
        switch self {
        case .bt2020: SWS_CS_BT2020
        case .smpte240: SWS_CS_SMPTE240M
        case .fcc: SWS_CS_FCC
        }
    }
}

extension ColorDescription {
    /// Creates the description of a picture after conversion. The numbers of FFmpeg are those of H.273.
    @unsafe
    init(_ picture: UnsafeMutablePointer<AVFrame>, _ reading: PictureConverter.Reading) {
        /// 2 is "unspecified"; 0 and 3 are reserved.
        func declared(_ number: UInt32) -> UInt8? { [0, 2, 3].contains(number) ? nil : UInt8(exactly: number) }
        let kept = reading.isRGB || reading.converted != nil ? nil : declared(reading.givenMatrix.rawValue)
        let isConverted = reading.isRGB || reading.converted != nil
        self.init(
            matrix: isConverted ? (reading.matrix == .bt709 ? 1 : 6) : kept,
            primaries: unsafe declared(picture.pointee.color_primaries.rawValue),
            transfer: unsafe declared(picture.pointee.color_trc.rawValue))
    }
}

/// Returns the name of a chroma sampling from its horizontal and vertical subsampling, as powers of two; `nil` if it
/// has no name.
private func sampling(of steps: (UInt8, UInt8)) -> String? {
    switch steps {
    case (0, 0): "4:4:4"
    case (1, 0): "4:2:2"
    case (1, 1): "4:2:0"
    case (0, 1): "4:4:0"
    case (2, 0): "4:1:1"
    case (2, 2): "4:1:0"
    default: nil
    }
}

/// Whether the lines of a picture were captured at one time, or as two fields.
public enum FieldOrder: String, Hashable, Sendable {
    /// At one time.
    case progressive
    /// The field with the first line was captured first.
    case topFieldFirst
    /// The field with the second line was captured first.
    case bottomFieldFirst
    /// Not declared, or the lines were mixed.
    case unknown

    /// Creates the order that the decoder reports for a picture, or else the container.
    @unsafe
    init(_ picture: UnsafeMutablePointer<AVFrame>, of container: AVFieldOrder) {
        if unsafe picture.pointee.interlaced_frame != 0 {
            self = unsafe picture.pointee.top_field_first != 0 ? .topFieldFirst : .bottomFieldFirst
            return
        }
        // According to FFmpeg's header the second letter is the field shown first, but FFmpeg's own muxers and
        // demuxers use the first letter for that.
        switch container {
        case AV_FIELD_TT, AV_FIELD_TB: self = .topFieldFirst
        case AV_FIELD_BB, AV_FIELD_BT: self = .bottomFieldFirst
        default: self = .progressive
        }
    }
}
