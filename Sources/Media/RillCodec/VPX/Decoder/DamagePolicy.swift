/// How a decoder treats frames after damage: after one that was truncated, altered or lost.
public enum DamagePolicy: Sendable, Equatable {
    /// Shows nothing that may depend on the damage: frames are skipped until the next key frame. The picture freezes,
    /// and is correct when it continues.
    case waitForKeyFrame
    /// Decodes each frame from what is available, and shows it with its faults until a key frame repairs them. The
    /// picture continues and may be wrong in any way. With VP9 this only works if libvpx could still decode the damaged
    /// frame: it rejects all frames after one that it could not decode.
    case continueDecoding
}
