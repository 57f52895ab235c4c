import RillCore
import RillRTP

/// Says of which frames a stream tells how far its pictures have to be turned (3GPP TS 26.114 §7.4.5).
///
/// The last packet of a frame bears it: of each key frame, and of each other frame that does not stand upright, as
/// libwebrtc takes silence for upright. After a change each frame tells it until the next key frame, so that no frame
/// that is lost takes the change with it.
struct OrientationNotice: Sendable {
    private var newest = Rotation.none
    private var hasChangedSinceKeyFrame = false

    /// What the next frame tells; `nil` for nothing.
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
