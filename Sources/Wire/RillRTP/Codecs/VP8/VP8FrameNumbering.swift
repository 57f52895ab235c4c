import RillCore

/// Converts the encoder's frame properties to VP8 payload descriptors (RFC 7741 §4.2).
///
/// Descriptors have 15-bit picture IDs and, for streams with several temporal layers, TID, Y and TL0PICIDX.
struct VP8FrameNumbering {
    private var counters: PictureCounters

    init(_ settings: FrameNumbering.Settings) {
        counters = PictureCounters(settings)
    }

    /// Returns the descriptor of the next frame.
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
