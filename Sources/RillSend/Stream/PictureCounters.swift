import RillCore
import RillRTP

/// The counters that the payload formats of VP8 and VP9 share: picture IDs of 15 bits, and TL0PICIDX.
///
/// Picture IDs follow the frame numbers, gaps included, so that a receiver learns of a frame that was never sent; numbers
/// that do not go up (an encoder made anew) count as the next.
struct PictureCounters {
    /// The newest frame's.
    private(set) var pictureID: PictureID
    /// The newest frame's: that of its base layer frame.
    private(set) var tl0PictureIndex: UInt8
    private let temporalLayerCount: Int
    private var newestNumber: Int64?

    init(_ settings: RTPStreamSettings) {
        temporalLayerCount = settings.temporalLayerCount
        pictureID = .long(settings.firstPictureID)
        // The first frame of the base layer counts up to the first index.
        tl0PictureIndex = settings.firstTL0PictureIndex &- 1
    }

    /// Whether packets say their layer.
    var hasLayers: Bool { temporalLayerCount > 1 }

    /// Goes on to the next frame; gives its temporal layer. A layer that the settings do not know of is the programmer's
    /// mistake.
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
