/// What a decoder does with what comes after damage: a frame that was cut, altered or never came.
public enum DamagePolicy: Sendable, Equatable {
    /// Nothing is shown that may build on the damage: frames are passed over up to the next key frame. The picture
    /// stands still, and is right when it moves again.
    case waitForKeyFrame
    /// Each frame is decoded upon what there is, and shown with its faults until a key frame mends them. It moves on, and
    /// may be wrong in any way. VP9 can only do it where the damage left nothing out: libvpx itself refuses what follows
    /// a frame that it could not decode.
    case continueDecoding
}
