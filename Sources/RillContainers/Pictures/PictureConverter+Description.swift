internal import CFFmpeg
import RillCore

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
        if reading.isBT2020 { changes.append("BT.2020 to BT.709 (the matrix)") }
        if reading.isFullRange, !reading.isAsWanted, !reading.isRGB { changes.append("full to limited range") }
        if flags & AV_PIX_FMT_FLAG_ALPHA != 0 { changes.append(alphaChange) }
        switch unsafe picture.pointee.color_trc {
        case AVCOL_TRC_SMPTE2084: changes.append("PQ left as it is")
        case AVCOL_TRC_ARIB_STD_B67: changes.append("HLG left as it is")
        default: break
        }
        return changes
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
