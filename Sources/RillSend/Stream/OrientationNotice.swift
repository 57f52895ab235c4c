import RillCore
import RillRTP

/// Tells receivers how far a stream's pictures have to be turned, in header extensions: of which frames, and with what
/// bytes (3GPP TS 26.114 §7.4.5).
///
/// The last packet of a frame bears it: of each key frame, and of each other frame that does not stand upright, as
/// libwebrtc takes silence for upright. After a change each frame tells it until the next key frame, so that no frame
/// that is lost takes the change with it.
struct OrientationNotice: Sendable {
    private let id: UInt8
    private var newest = Rotation.none
    private var hasChangedSinceKeyFrame = false
    private var bytes: [UInt8] = []

    /// Notices under the number that the session agreed on.
    init(id: UInt8) {
        self.id = id
        write()
    }

    /// The header extension of the next frame's last packet; no bytes for none.
    mutating func headerExtension(for frame: EncodedFrame) -> [UInt8] {
        if frame.isKey { hasChangedSinceKeyFrame = false }
        if frame.rotation != newest {
            newest = frame.rotation
            hasChangedSinceKeyFrame = !frame.isKey
            write()
        }
        return frame.isKey || newest != .none || hasChangedSinceKeyFrame ? bytes : []
    }

    private mutating func write() {
        let orientation = VideoOrientation(rotation: VideoOrientation.Rotation(newest))
        var layout = HeaderExtensionLayout()
        layout.add(id: id, byteCount: orientation.byteCount)
        let (id, newLayout) = (id, layout)
        bytes = [UInt8](capacity: layout.byteCount) { output in
            let writer = HeaderExtensionWriter(newLayout, into: &output)
            writer.append(orientation, id: id, into: &output)
            writer.finish(into: &output)
        }
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

extension RTPHeaderExtension {
    /// The block that an ``OrientationNotice`` wrote; `nil` where it wrote none.
    @_lifetime(copy bytes)
    init?(written bytes: Span<UInt8>) {
        guard !bytes.isEmpty else { return nil }
        do throws(RTPError) { try self.init(parsing: bytes) } catch {
            preconditionFailure("a header extension that was written here cannot be read: \(error)")
        }
    }
}
