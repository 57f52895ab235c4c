import RillCore
import RillRTP

/// Turns what the encoder says of its frames into what the VP8 descriptor says (RFC 7741 §4.2): picture IDs of 15 bits,
/// and for streams of several temporal layers TID, Y and TL0PICIDX.
struct VP8FrameNumbering {
    private var counters: PictureCounters

    init(_ settings: RTPStreamSettings) {
        counters = PictureCounters(settings)
    }

    /// The descriptor of the next frame.
    mutating func descriptor(for frame: EncodedFrame) -> VP8PayloadDescriptor {
        let index = counters.advance(to: frame)
        var descriptor = VP8PayloadDescriptor(
            isNonReference: frame.isDiscardable, startsPartition: true, pictureID: counters.pictureID)
        if counters.hasLayers {
            descriptor.tl0PictureIndex = counters.tl0PictureIndex
            descriptor.temporalLayer = VP8PayloadDescriptor.TemporalLayer(
                index: index, isLayerSync: frame.isLayerSync)
        }
        return descriptor
    }
}
