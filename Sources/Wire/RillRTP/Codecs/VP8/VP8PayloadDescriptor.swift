/// The VP8 payload descriptor, before the frame's bytes in each packet (RFC 7741 §4.2).
///
/// ```text
///      0 1 2 3 4 5 6 7                      0 1 2 3 4 5 6 7
///     +-+-+-+-+-+-+-+-+                    +-+-+-+-+-+-+-+-+
///     |X|R|N|S|R| PID | (REQUIRED)         |X|R|N|S|R| PID | (REQUIRED)
///     +-+-+-+-+-+-+-+-+                    +-+-+-+-+-+-+-+-+
/// X:  |I|L|T|K| RSV   | (OPTIONAL)   X:    |I|L|T|K| RSV   | (OPTIONAL)
///     +-+-+-+-+-+-+-+-+                    +-+-+-+-+-+-+-+-+
/// I:  |M| PictureID   | (OPTIONAL)   I:    |M| PictureID   | (OPTIONAL)
///     +-+-+-+-+-+-+-+-+                    +-+-+-+-+-+-+-+-+
/// L:  |   TL0PICIDX   | (OPTIONAL)         |   PictureID   |
///     +-+-+-+-+-+-+-+-+                    +-+-+-+-+-+-+-+-+
/// T/K:|TID|Y| KEYIDX  | (OPTIONAL)   L:    |   TL0PICIDX   | (OPTIONAL)
///     +-+-+-+-+-+-+-+-+                    +-+-+-+-+-+-+-+-+
///                                    T/K:  |TID|Y| KEYIDX  | (OPTIONAL)
///                                          +-+-+-+-+-+-+-+-+
/// ```
public struct VP8PayloadDescriptor: Equatable, Sendable {
    /// N: whether no later frame refers to this one.
    public var isNonReference: Bool
    /// S: whether the packet starts a VP8 partition. With `partitionIndex` 0 it starts the frame.
    public var startsPartition: Bool
    /// PID: the partition of the packet's first byte, 0 to 7.
    public var partitionIndex: UInt8
    /// I: the picture ID, which counts the frames.
    public var pictureID: PictureID?
    /// L: counts the frames of temporal layer 0, modulo 256.
    public var tl0PictureIndex: UInt8?
    /// T: the temporal layer, 0 to 3, and Y: whether the frame refers to layer 0 only.
    public var temporalLayer: TemporalLayer?
    /// K: the number of the key frame that this frame depends on, 0 to 31.
    public var keyIndex: UInt8?

    /// The fields T and Y.
    public struct TemporalLayer: Equatable, Sendable {
        /// TID: 0 is the base layer, 3 the highest.
        public var index: UInt8
        /// Y: whether the frame refers to no frame above layer 0.
        public var isLayerSync: Bool

        /// Layer `index`, 0 to 3.
        @inlinable
        public init(index: UInt8, isLayerSync: Bool) {
            self.index = index
            self.isLayerSync = isLayerSync
        }
    }

    /// A descriptor with these fields. Values that exceed their bits trap when the descriptor is written.
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

    /// Whether the packet starts a frame.
    public var startsFrame: Bool { startsPartition && partitionIndex == 0 }
}
