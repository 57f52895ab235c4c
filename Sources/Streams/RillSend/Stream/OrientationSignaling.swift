import RillCore
import RillRTP

/// Decides which frames signal the rotation of their pictures (3GPP TS 26.114 §7.4.5).
///
/// The last packet of a frame carries it: for each key frame, and for every frame that is not upright, because
/// libwebrtc treats a missing orientation as upright. After a change, every frame up to the next key frame carries
/// it, so that losing a frame does not lose the change.
struct OrientationSignaling: Sendable {
    private var newest = Rotation.none
    private var hasChangedSinceKeyFrame = false

    /// Returns the orientation that the next frame signals; `nil` for none.
    mutating func orientation(of frame: EncodedFrame) -> VideoOrientation? {
        if frame.isKey { hasChangedSinceKeyFrame = false }
        if frame.rotation != newest {
            newest = frame.rotation
            hasChangedSinceKeyFrame = !frame.isKey
        }
        guard frame.isKey || newest != .none || hasChangedSinceKeyFrame else { return nil }
        return VideoOrientation(rotation: VideoOrientation.Rotation(newest))
    }
}

extension VideoOrientation.Rotation {
    fileprivate init(_ rotation: Rotation) {
        switch rotation {
        case .none: self = .none
        case .clockwise90: self = .clockwise90
        case .clockwise180: self = .clockwise180
        case .clockwise270: self = .clockwise270
        }
    }
}
