internal import CFFmpeg

/// Whether the lines of a picture were taken at one time, or every second one later than the others.
public enum FieldOrder: String, Hashable, Sendable {
    /// At one time.
    case progressive
    /// The first line and every second one from it were taken before those between them.
    case topFieldFirst
    /// The other way round.
    case bottomFieldFirst
    /// Nothing is said of it, or the lines were mixed.
    case unknown

    /// What the decoder says of a picture, or else the container.
    @unsafe
    init(_ picture: UnsafeMutablePointer<AVFrame>, _ input: ContainerInput) {
        if unsafe picture.pointee.interlaced_frame != 0 {
            self = unsafe picture.pointee.top_field_first != 0 ? .topFieldFirst : .bottomFieldFirst
            return
        }
        // Its header says of the second letter that it is the field shown first; all of FFmpeg's own writers and readers take
        // the first letter for that.
        switch unsafe input.parameters.pointee.field_order {
        case AV_FIELD_TT, AV_FIELD_TB: self = .topFieldFirst
        case AV_FIELD_BB, AV_FIELD_BT: self = .bottomFieldFirst
        default: self = .progressive
        }
    }
}
