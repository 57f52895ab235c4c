internal import CFFmpeg

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
    init(_ picture: UnsafeMutablePointer<AVFrame>, _ input: ContainerInput) {
        if unsafe picture.pointee.interlaced_frame != 0 {
            self = unsafe picture.pointee.top_field_first != 0 ? .topFieldFirst : .bottomFieldFirst
            return
        }
        // According to FFmpeg's header the second letter is the field shown first, but FFmpeg's own muxers and
        // demuxers use the first letter for that.
        switch unsafe input.parameters.pointee.field_order {
        case AV_FIELD_TT, AV_FIELD_TB: self = .topFieldFirst
        case AV_FIELD_BB, AV_FIELD_BT: self = .bottomFieldFirst
        default: self = .progressive
        }
    }
}
