import RillCore
import RillRTP

/// Turns what the encoder says of its frames into what the VP8 descriptor says (RFC 7741 §4.2): picture IDs of 15 bits,
/// and for streams of several temporal layers TID, Y and TL0PICIDX.
///
/// Picture IDs follow the frame numbers, gaps included, so that a receiver learns of a frame that was never sent; numbers
/// that do not go up (an encoder made anew) count as the next.
struct VP8FrameNumbering {
    private let temporalLayerCount: Int
    private var pictureID: PictureID
    private var tl0PictureIndex: UInt8
    private var newestNumber: Int64?

    init(_ settings: RTPStreamSettings) {
        temporalLayerCount = settings.temporalLayerCount
        pictureID = .long(settings.firstPictureID)
        // The first frame of the base layer counts up to the first index.
        tl0PictureIndex = settings.firstTL0PictureIndex &- 1
    }

    /// The descriptor of the next frame.
    mutating func descriptor(for frame: EncodedFrame) -> VP8PayloadDescriptor {
        if let newestNumber { pictureID = pictureID.advanced(by: max(1, frame.number &- newestNumber)) }
        newestNumber = frame.number
        var descriptor = VP8PayloadDescriptor(
            isNonReference: frame.isDiscardable, startsPartition: true, pictureID: pictureID)
        if temporalLayerCount > 1 {
            let index = frame.layer.temporalIndex
            precondition(
                (0..<temporalLayerCount).contains(index), "temporal layer \(index) in a stream of \(temporalLayerCount)"
            )
            if index == 0 { tl0PictureIndex &+= 1 }
            descriptor.tl0PictureIndex = tl0PictureIndex
            descriptor.temporalLayer = VP8PayloadDescriptor.TemporalLayer(
                index: UInt8(index), isLayerSync: frame.isLayerSync)
        }
        return descriptor
    }
}
