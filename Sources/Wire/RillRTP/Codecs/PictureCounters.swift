import RillCore

/// The counters that the payload formats of VP8 and VP9 share: 15-bit picture IDs, and TL0PICIDX.
///
/// Picture IDs follow the frame numbers, including gaps, so that a receiver can detect a frame that was never sent.
/// If the frame number does not increase (after the encoder was recreated), the picture ID increases by one.
struct PictureCounters {
    /// The picture ID of the newest frame.
    private(set) var pictureID: PictureID
    /// The index of the newest frame: that of its base layer frame.
    private(set) var tl0PictureIndex: UInt8
    private let temporalLayerCount: Int
    private var newestNumber: Int64?

    init(_ settings: FrameNumbering.Settings) {
        temporalLayerCount = settings.temporalLayerCount
        pictureID = .long(settings.firstPictureID)
        // The first base layer frame increments it to the first index.
        tl0PictureIndex = settings.firstTL0PictureIndex &- 1
    }

    /// Whether packets carry their layer.
    var hasLayers: Bool { temporalLayerCount > 1 }

    /// Advances to the next frame and returns its temporal layer. Traps if the settings do not have that layer.
    mutating func advance(to frame: EncodedFrame) -> UInt8 {
        if let newestNumber { pictureID = pictureID.advanced(by: max(1, frame.number &- newestNumber)) }
        newestNumber = frame.number
        let index = hasLayers ? frame.layer.temporalIndex : 0
        precondition(
            (0..<temporalLayerCount).contains(index), "temporal layer \(index) in a stream of \(temporalLayerCount)")
        if index == 0 { tl0PictureIndex &+= 1 }
        return UInt8(index)
    }
}
