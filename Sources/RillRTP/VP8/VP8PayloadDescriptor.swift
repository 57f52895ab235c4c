/// What stands before the frame's bytes in each packet of a VP8 stream (RFC 7741 §4.2).
public struct VP8PayloadDescriptor: Equatable, Sendable {
    /// N: no later frame refers to this one.
    public var isNonReference: Bool
    /// S: the packet begins a VP8 partition. With `partitionIndex` 0 it begins the frame.
    public var startsPartition: Bool
    /// PID: the partition that the packet's first byte belongs to, 0 to 7.
    public var partitionIndex: UInt8
    /// I: a number that counts the frames.
    public var pictureID: PictureID?
    /// L: counts the frames of temporal layer 0, modulo 256.
    public var tl0PictureIndex: UInt8?
    /// T: the temporal layer, 0 to 3, and Y: whether the frame refers to layer 0 alone.
    public var temporalLayer: TemporalLayer?
    /// K: number of the key frame that this one builds on, 0 to 31.
    public var keyIndex: UInt8?

    /// T and Y of the descriptor.
    public struct TemporalLayer: Equatable, Sendable {
        /// TID: 0 is the base layer, 3 the highest.
        public var index: UInt8
        /// Y: the frame refers to no frame above layer 0.
        public var isLayerSync: Bool

        /// Layer `index`, 0 to 3.
        @inlinable
        public init(index: UInt8, isLayerSync: Bool) {
            self.index = index
            self.isLayerSync = isLayerSync
        }
    }

    /// A descriptor of these fields. What does not fit its bits is found when it is written.
    @inlinable
    public init(
        isNonReference: Bool = false, startsPartition: Bool, partitionIndex: UInt8 = 0, pictureID: PictureID? = nil,
        tl0PictureIndex: UInt8? = nil, temporalLayer: TemporalLayer? = nil, keyIndex: UInt8? = nil
    ) {
        self.isNonReference = isNonReference
        self.startsPartition = startsPartition
        self.partitionIndex = partitionIndex
        self.pictureID = pictureID
        self.tl0PictureIndex = tl0PictureIndex
        self.temporalLayer = temporalLayer
        self.keyIndex = keyIndex
    }

    /// Whether the packet begins a frame.
    public var startsFrame: Bool { startsPartition && partitionIndex == 0 }
}
